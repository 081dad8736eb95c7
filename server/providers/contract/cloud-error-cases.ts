import { expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { DriverError } from "../driver-errors.ts";
import { aLaunch, type CloudHarness, LAUNCH_REFUSALS, type LaunchRefusal, listed } from "./cloud-harness.ts";

const NO_FAULTS = "this account cannot be made to fail";
const refusals = Object.entries(LAUNCH_REFUSALS) as [LaunchRefusal, (typeof LAUNCH_REFUSALS)[LaunchRefusal]][];

export function errorCases(account: () => CloudHarness): void {
	it("accepts an account that responds", async () => {
		await account().driver.check();
	});

	it.for(refusals)("reports %s as %s, with the provider's code, and launches nothing", async ([refusal, kind], context) => {
		const h = account();
		if (!h.faults) return context.skip(NO_FAULTS);
		h.faults.refuseNextLaunch(refusal);
		const request = aLaunch(h, { capacityType: refusal === "spot_count_quota" ? "spot" : "on_demand" });
		const error: unknown = await h.driver.launch(request).then(
			() => null,
			(thrown: unknown) => thrown,
		);
		expect(error).toBeInstanceOf(DriverError);
		expect(error).toMatchObject({ kind, providerCode: expect.stringMatching(/./) });
		expect(await h.driver.findByToken(request.region, request.instanceId)).toBeNull();
		// The same call succeeds later: a rejected call does not consume its token.
		await h.driver.launch(request);
		expect(await listed(h.driver, request.instanceId)).toHaveLength(1);
	});

	it("distinguishes rejected credentials from all other errors", async (context) => {
		const h = account();
		if (!h.faults) return context.skip(NO_FAULTS);
		h.faults.refuseCredentials();
		await expect(h.driver.check()).rejects.toMatchObject({ name: "DriverError", kind: "unauthorized" });
	});

	it.for([
		["ahead", 2 * HOUR_MS],
		["behind", -2 * HOUR_MS],
	] as const)(
		"reports a provider clock that is two hours %s as wrong_clock with the fix, unless the provider follows it, and loses nothing",
		async ([, offsetMs], context) => {
			const h = account();
			if (!h.faults?.setClockOff) return context.skip("this account has no clock");
			const before = await h.driver.launch(aLaunch(h));
			h.faults.setClockOff(offsetMs);
			const request = aLaunch(h);
			const follows = h.faults.followsClock === true;
			const expected = { name: "DriverError", kind: "wrong_clock", message: expect.stringMatching(/2\.0 h|1[12]\d min/) };
			const asked = [h.driver.check(), h.driver.launch(request), h.driver.describe(before.region, [before.providerInstanceId])];
			for (const answer of await Promise.allSettled(asked)) {
				if (follows) expect(answer).toMatchObject({ status: "fulfilled" });
				else expect(answer).toMatchObject({ status: "rejected", reason: expected });
			}
			const { failedRegions, sweptRegions, instances } = await h.driver.list();
			if (follows) expect(instances.map((i) => i.instanceId).sort()).toEqual([before.instanceId, request.instanceId].sort());
			else {
				expect(sweptRegions).toEqual([]);
				for (const { message } of failedRegions) expect(message).toContain("NTP");
			}
			h.faults.setClockOff(0);
			await h.driver.launch(request);
			expect(await listed(h.driver, request.instanceId)).toHaveLength(1);
			expect(await listed(h.driver, before.instanceId ?? "")).toHaveLength(1);
		},
	);

	it("reports an invalid request as invalid_request, which is not retried", async () => {
		const h = account();
		const request = aLaunch(h, { instanceType: "no-such.type" });
		await expect(h.driver.launch(request)).rejects.toMatchObject({ name: "DriverError", kind: "invalid_request" });
	});

	it("accepts responses with unknown fields", async (context) => {
		const h = account();
		if (!h.wire) return context.skip("there is no wire");
		h.wire.addUnknownFields();
		const made = await h.driver.launch(aLaunch(h));
		expect((await h.driver.list()).instances.map((i) => i.providerInstanceId)).toEqual([made.providerInstanceId]);
		expect((await h.driver.offers()).failedRegions).toEqual([]);
	});

	it("does not treat a response without ids as empty", async (context) => {
		const h = account();
		if (!h.wire) return context.skip("there is no wire");
		const request = aLaunch(h);
		await h.driver.launch(request);
		h.wire.dropInstanceIds();
		const all = await h.driver.list();
		expect(all.sweptRegions).not.toContain(request.region);
		expect(all.failedRegions.map((f) => f.region)).toContain(request.region);
		await expect(h.driver.findByToken(request.region, request.instanceId)).rejects.toMatchObject({ kind: "transient" });
		await expect(h.driver.launch(aLaunch(h))).rejects.toMatchObject({ kind: "transient" });
	});
}
