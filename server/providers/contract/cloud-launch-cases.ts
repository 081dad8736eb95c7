import { expect, it } from "vitest";
import { aLaunch, type CloudHarness, isAlive, listed } from "./cloud-harness.ts";
import { eventually } from "./cluster-harness.ts";

const NO_FAULTS = "this account cannot be made to fail";

export function launchCases(account: () => CloudHarness): void {
	it.each(["on_demand", "spot"] as const)("launches one %s instance with our tags", async (capacityType) => {
		const h = account();
		const request = aLaunch(h, { capacityType });
		const made = await h.driver.launch(request);
		expect(made).toMatchObject({
			instanceId: request.instanceId,
			region: request.region,
			instanceType: request.instanceType,
			capacityType,
			stateReasonCode: null,
		});
		expect(made.providerInstanceId).not.toBe("");
		expect(["pending", "running"]).toContain(made.state);
		if (!h.placesByRegion || made.zone !== null) expect(made.zone?.startsWith(request.region)).toBe(true);
		expect(Number.isSafeInteger(made.launchedAtMs)).toBe(true);
		const running = await eventually(h, "the instance runs", async () => {
			const [seen] = await h.driver.describe(request.region, [made.providerInstanceId]);
			return seen?.state === "running" ? seen : null;
		});
		expect(running).toMatchObject({ providerInstanceId: made.providerInstanceId, instanceId: request.instanceId, capacityType });
		expect(running.launchedAtMs).toBe(made.launchedAtMs);
	});

	it("returns the same instance for the same token: repeated, concurrent, and from a new driver", async () => {
		const h = account();
		const request = aLaunch(h);
		const answers = await Promise.all(Array.from({ length: 6 }, () => h.driver.launch(request)));
		answers.push(await h.driver.launch(request), await h.again().launch(request));
		expect(new Set(answers.map((a) => a.providerInstanceId)).size).toBe(1);
		expect(await eventually(h, "the list has it", async () => (await listed(h.driver, request.instanceId))[0])).toBeDefined();
		expect(await listed(h.driver, request.instanceId)).toHaveLength(1);
	});

	it("launches no second instance after the first one has ended", async () => {
		const h = account();
		const request = aLaunch(h);
		const made = await h.driver.launch(request);
		await h.driver.terminate(request.region, made.providerInstanceId);
		await eventually(h, "the instance is over", async () => {
			const [seen] = await h.driver.describe(request.region, [made.providerInstanceId]);
			return seen?.state === "terminated";
		});
		const again = await h.driver.launch(request);
		expect(again).toMatchObject({ providerInstanceId: made.providerInstanceId, state: "terminated" });
		expect((await listed(h.driver, request.instanceId)).filter(isAlive)).toEqual([]);
	});

	it("rejects the same token with other parameters as token_mismatch", async () => {
		const h = account();
		const request = aLaunch(h);
		const made = await h.driver.launch(request);
		const other = { ...request, userData: `${request.userData}# changed\n` };
		await expect(h.driver.launch(other)).rejects.toMatchObject({ name: "DriverError", kind: "token_mismatch" });
		expect((await h.driver.findByToken(request.region, request.instanceId))?.providerInstanceId).toBe(made.providerInstanceId);
		expect(await listed(h.driver, request.instanceId)).toHaveLength(1);
	});

	it("reports a lost response as transient, finds the instance by its token, and returns it when the call is repeated", async (context) => {
		const h = account();
		if (!h.faults) return context.skip(NO_FAULTS);
		h.faults.loseNextLaunchAnswer();
		const request = aLaunch(h);
		// A driver may retry on its own, and then knows the result.
		const first = await h.driver.launch(request).catch((error: unknown) => {
			expect(error).toMatchObject({ name: "DriverError", kind: "transient" });
			return null;
		});
		const found = await eventually(h, "the instance is found", () => h.driver.findByToken(request.region, request.instanceId));
		const again = await h.driver.launch(request);
		expect(again.providerInstanceId).toBe(found.providerInstanceId);
		expect(first?.providerInstanceId ?? again.providerInstanceId).toBe(again.providerInstanceId);
		expect(await listed(h.driver, request.instanceId)).toHaveLength(1);
	});

	it("reports a timeout as transient, and launches one instance only", async (context) => {
		const h = account();
		if (!h.faults?.delayNextLaunchAnswer) return context.skip(NO_FAULTS);
		const impatient = h.faults.delayNextLaunchAnswer();
		const request = aLaunch(h);
		await expect(impatient.launch(request)).rejects.toMatchObject({ name: "DriverError", kind: "transient" });
		const again = await eventually(h, "the same call is answered", () => h.driver.launch(request).catch(() => null));
		expect((await listed(h.driver, request.instanceId)).map((i) => i.providerInstanceId)).toEqual([again.providerInstanceId]);
	});

	it("finds nothing while listings lag, and then the same instance", async (context) => {
		const h = account();
		if (!h.faults) return context.skip(NO_FAULTS);
		const show = h.faults.hideNextLaunch();
		const request = aLaunch(h);
		const made = await h.driver.launch(request);
		expect(await h.driver.findByToken(request.region, request.instanceId)).toBeNull();
		expect(await h.driver.describe(request.region, [made.providerInstanceId])).toEqual([]);
		expect((await h.driver.launch(request)).providerInstanceId).toBe(made.providerInstanceId);
		show();
		const found = await eventually(h, "the listing has caught up", () => h.driver.findByToken(request.region, request.instanceId));
		expect(found.providerInstanceId).toBe(made.providerInstanceId);
	});
}
