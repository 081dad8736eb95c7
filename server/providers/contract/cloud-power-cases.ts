import { expect, it } from "vitest";
import type { InstanceObservation } from "../driver.ts";
import { aLaunch, type CloudHarness, MISSING_INSTANCE } from "./cloud-harness.ts";
import { eventually } from "./cluster-harness.ts";

export function powerCases(account: () => CloudHarness): void {
	const until = (h: CloudHarness, made: InstanceObservation, state: InstanceObservation["state"]) =>
		eventually(h, `the instance is ${state}`, async () => {
			const [seen] = await h.driver.describe(made.region, [made.providerInstanceId]);
			return seen?.state === state ? seen : null;
		});

	it("stops a machine and starts the same one again, however often it is called", async (context) => {
		const h = account();
		const { power } = h.driver;
		if (!power) return context.skip("this driver does not stop machines");
		const request = aLaunch(h);
		const made = await h.driver.launch(request);
		const { region, providerInstanceId } = made;
		await until(h, made, "running");
		await power.start(region, providerInstanceId);
		await power.stop(region, providerInstanceId);
		await power.stop(region, providerInstanceId);
		const stopped = await until(h, made, "stopped");
		expect(stopped).toMatchObject({ instanceId: request.instanceId, billing: { phase: "over" } });
		await power.stop(region, providerInstanceId);
		await power.start(region, providerInstanceId);
		await power.start(region, providerInstanceId);
		const again = await until(h, made, "running");
		expect([again.providerInstanceId, again.privateAddress]).toEqual([providerInstanceId, stopped.privateAddress]);
	});

	it("reports missing capacity for a start, leaves the machine stopped, and starts it later", async (context) => {
		const h = account();
		const { power } = h.driver;
		if (!power || !h.faults?.refuseNextStart) return context.skip("this driver does not stop machines, or its starts cannot be refused");
		const made = await h.driver.launch(aLaunch(h));
		const { region, providerInstanceId } = made;
		await until(h, made, "running");
		await power.stop(region, providerInstanceId);
		await until(h, made, "stopped");
		h.faults.refuseNextStart();
		await expect(power.start(region, providerInstanceId)).rejects.toMatchObject({ kind: "insufficient_capacity" });
		const [refused] = await h.driver.describe(region, [providerInstanceId]);
		expect(refused).toMatchObject({ state: "stopped", billing: { phase: "over" } });
		await power.start(region, providerInstanceId);
		await until(h, made, "running");
	});

	it("terminates a stopped machine", async (context) => {
		const h = account();
		const { power } = h.driver;
		if (!power) return context.skip("this driver does not stop machines");
		const made = await h.driver.launch(aLaunch(h));
		await until(h, made, "running");
		await power.stop(made.region, made.providerInstanceId);
		await until(h, made, "stopped");
		await h.driver.terminate(made.region, made.providerInstanceId);
		await eventually(h, "the instance is over", async () => {
			const [seen] = await h.driver.describe(made.region, [made.providerInstanceId]);
			return !seen || seen.state === "terminated";
		});
	});

	it("rejects to stop a spot machine, and does not find one that is missing", async (context) => {
		const h = account();
		const { power } = h.driver;
		if (!power) return context.skip("this driver does not stop machines");
		await expect(power.stop(h.regions[0], MISSING_INSTANCE)).rejects.toMatchObject({ kind: "not_found" });
		await expect(power.start(h.regions[0], MISSING_INSTANCE)).rejects.toMatchObject({ kind: "not_found" });
		const made = await h.driver.launch(aLaunch(h, { capacityType: "spot" }));
		await until(h, made, "running");
		await expect(power.stop(made.region, made.providerInstanceId)).rejects.toMatchObject({ kind: "invalid_request" });
	});
}
