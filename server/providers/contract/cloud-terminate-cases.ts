import { expect, it } from "vitest";
import { aLaunch, type CloudHarness, listed, MISSING_INSTANCE } from "./cloud-harness.ts";
import { eventually } from "./cluster-harness.ts";

export function terminateCases(account: () => CloudHarness): void {
	it("ignores an instance that is missing or has ended", async () => {
		const h = account();
		await h.driver.terminate(h.regions[0], MISSING_INSTANCE);
		const request = aLaunch(h);
		const made = await h.driver.launch(request);
		await h.driver.terminate(request.region, made.providerInstanceId);
		await h.driver.terminate(request.region, made.providerInstanceId);
		await eventually(h, "the instance is over", async () => {
			const [seen] = await h.driver.describe(request.region, [made.providerInstanceId]);
			return !seen || seen.state === "terminated";
		});
		await h.driver.terminate(request.region, made.providerInstanceId);
	});

	it("reports an instance as terminated, with the reason, only when the provider does", async (context) => {
		const h = account();
		if (!h.faults) return context.skip("this account cannot be made to fail");
		const request = aLaunch(h);
		const pass = h.faults.slowNextTermination();
		const made = await h.driver.launch(request);
		await h.driver.terminate(request.region, made.providerInstanceId);
		expect((await listed(h.driver, request.instanceId)).map((i) => i.state)).toEqual(["stopping"]);
		pass();
		await h.driver.terminate(request.region, made.providerInstanceId);
		const over = await eventually(h, "the instance is over", async () => {
			const [seen] = await listed(h.driver, request.instanceId);
			return seen?.state === "terminated" ? seen : null;
		});
		expect(over.stateReasonCode).toMatch(/./);
	});
}
