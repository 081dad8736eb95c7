import { describe, expect, it } from "vitest";
import type { LaunchRequest } from "../driver.ts";
import { FakeCloud } from "./fake-cloud.ts";
import { fakeOffer } from "./fake-offers.ts";
import { FakeTimers } from "./timers.ts";

const START_MS = 1_700_000_000_000;

function fixture() {
	const timers = new FakeTimers(START_MS);
	const cloud = new FakeCloud({
		clock: timers.clock,
		regions: ["us-east-1"],
		offers: [fakeOffer()],
		bootDelayMs: 10,
		terminateDelayMs: 10,
	});
	return { timers, cloud, driver: cloud.driver("aws", "test") };
}

const request = (n: number, changes: Partial<LaunchRequest> = {}): LaunchRequest => ({
	instanceId: `ins_${n}_001_0`,
	jobId: `job_${n}`,
	attemptId: `att_${n}_001`,
	region: "us-east-1",
	zone: null,
	instanceType: "g5.xlarge",
	capacityType: "spot",
	userData: "",
	expiresAtMs: START_MS + 1,
	...changes,
});

describe("scripted launches", () => {
	it("delayed_create: no machine, no listing and no second one until its time", async () => {
		const { timers, cloud, driver } = fixture();
		cloud.launches.next({ kind: "delayed_create", durationMs: 100 });
		await expect(driver.launch(request(1))).rejects.toMatchObject({ kind: "transient" });
		await expect(driver.launch(request(1))).rejects.toMatchObject({ kind: "transient" });
		expect(cloud.instances().filter((i) => i.alive)).toEqual([]);
		timers.advance(100);
		expect((await driver.list()).instances).toHaveLength(1);
		expect(cloud.instances().filter((i) => i.alive)).toHaveLength(1);
	});

	it("vanish: missing from every response and no longer running", async () => {
		const { timers, cloud, driver } = fixture();
		cloud.launches.next({ kind: "vanish", afterMs: 50 });
		await driver.launch(request(1));
		timers.advance(50);
		expect((await driver.list()).instances).toEqual([]);
		expect(cloud.instances().map((i) => i.alive)).toEqual([false]);
	});

	it("interrupt: announced, then reclaimed with the provider's reason", async () => {
		const { timers, cloud, driver } = fixture();
		cloud.launches.next({ kind: "interrupt", afterMs: 100, noticeMs: 50 });
		await driver.launch(request(1));
		expect(cloud.instances()[0]?.interruptedAtMs).toBe(START_MS + 150);
		timers.advance(149);
		expect((await driver.list()).instances[0]?.state).toBe("running");
		timers.advance(11);
		expect((await driver.list()).instances[0]).toMatchObject({ state: "terminated", stateReasonCode: "Server.SpotInstanceTermination" });
	});

	it("a standing fault affects matching launches until it is lifted", async () => {
		const { cloud, driver } = fixture();
		const lift = cloud.launches.always({ capacityType: "spot" }, { kind: "error", error: "insufficient_capacity" });
		await expect(driver.launch(request(1))).rejects.toMatchObject({ kind: "insufficient_capacity" });
		await expect(driver.launch(request(2))).rejects.toMatchObject({ kind: "insufficient_capacity" });
		await driver.launch(request(3, { capacityType: "on_demand" }));
		lift();
		await driver.launch(request(1));
		expect(cloud.instances()).toHaveLength(2);
	});
});

it("records each call with its outcome", async () => {
	const { cloud, driver } = fixture();
	cloud.calls.fail("terminate", "throttled");
	const made = await driver.launch(request(1));
	await expect(driver.terminate("us-east-1", made.providerInstanceId)).rejects.toMatchObject({ kind: "throttled" });
	await driver.terminate("us-east-1", made.providerInstanceId);
	expect(cloud.calls.recorded.map((c) => [c.method, c.outcome])).toEqual([
		["launch", "ok"],
		["terminate", "throttled"],
		["terminate", "ok"],
	]);
});
