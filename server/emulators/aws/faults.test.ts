import {
	DescribeInstancesCommand,
	RunInstancesCommand,
	type RunInstancesCommandInput,
	TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import { afterEach, beforeAll, describe, expect, it } from "vitest";

import { eventually } from "../shared/testing/eventually.ts";
import { ec2Faults } from "./ec2-faults.ts";
import { launchOf, SPOT, startTestEmulator, type TestEmulator } from "./testing/fixture.ts";

let emulator: TestEmulator;
let nowMs = Date.now();
beforeAll(async () => {
	emulator = await startTestEmulator({ clock: () => nowMs });
	return () => emulator.dispose();
});
afterEach(() => emulator.faults.clear());

async function launch(overrides: Partial<RunInstancesCommandInput> = {}, maxAttempts = 1): Promise<string> {
	const { Instances = [] } = await emulator.client("us-east-1", { maxAttempts }).send(new RunInstancesCommand(launchOf(overrides)));
	return Instances[0]?.InstanceId ?? "";
}

const stateOf = (id: string) => emulator.instances().find(({ instanceId }) => instanceId === id)?.state;

describe("scripted errors", () => {
	it.each([
		["InsufficientInstanceCapacity", 500],
		["MaxSpotInstanceCountExceeded", 400],
		["VcpuLimitExceeded", 400],
		["RequestLimitExceeded", 503],
		["UnauthorizedOperation", 403],
		["SomethingElse", 400],
	])("%s is returned with HTTP %i, once, and nothing is launched", async (code, httpStatusCode) => {
		const before = emulator.instances().length;
		emulator.faults.add({ action: "RunInstances", error: { code } });
		await expect(launch()).rejects.toMatchObject({ name: code, $metadata: { httpStatusCode } });
		expect(emulator.instances()).toHaveLength(before);
		await launch();
	});

	it("affect only the calls that they name", async () => {
		emulator.faults.add({
			action: "RunInstances",
			match: { spot: true, zone: "us-east-1a" },
			error: { code: "InsufficientInstanceCapacity" },
			times: "always",
		});
		const inZone = (AvailabilityZone: string) => ({ Placement: { AvailabilityZone } });
		await expect(launch({ InstanceMarketOptions: SPOT, ...inZone("us-east-1a") })).rejects.toMatchObject({
			name: "InsufficientInstanceCapacity",
		});
		await launch(inZone("us-east-1a"));
		await launch({ InstanceMarketOptions: SPOT, ...inZone("us-east-1b") });
	});

	it("make a launch without a zone use one that has capacity", async () => {
		emulator.faults.add({
			action: "RunInstances",
			match: { zone: "us-east-1a" },
			error: { code: "InsufficientInstanceCapacity" },
			times: "always",
		});
		const ids = [await launch(), await launch(), await launch()];
		expect(ids.map((id) => emulator.instances().find((i) => i.instanceId === id)?.zone)).toEqual([
			"us-east-1b",
			"us-east-1b",
			"us-east-1b",
		]);
	});

	it("are retried by the SDK like Amazon's own", async () => {
		emulator.faults.add({ action: "RunInstances", error: { code: "RequestLimitExceeded" }, times: 2 });
		await launch({}, 3);
		expect(emulator.faults.list()).toEqual([]);
	});
});

describe("scripted behavior", () => {
	it("loses the response of a successful launch: the same token finds it", async () => {
		emulator.faults.add({ action: "RunInstances", behaviour: { kind: "lose_answer" } });
		await expect(launch({ ClientToken: "lost" })).rejects.toMatchObject({ code: "ECONNRESET" });
		const [made, ...more] = emulator.instances().filter(({ clientToken }) => clientToken === "lost");
		expect(more).toEqual([]);
		expect(await launch({ ClientToken: "lost" })).toBe(made?.instanceId);
	});

	it("delays a launch, or only its response", async () => {
		emulator.faults.add({ action: "RunInstances", behaviour: { kind: "delay_action", durationMs: 50 } });
		emulator.faults.add({ action: "DescribeInstances", behaviour: { kind: "delay_answer", durationMs: 50 } });
		const underWay = launch({ ClientToken: "late" });
		const id = await underWay;
		const describing = emulator.client().send(new DescribeInstancesCommand({ InstanceIds: [id] }));
		expect((await describing).Reservations).toHaveLength(1);
		expect(emulator.faults.list()).toEqual([]);
	});

	it("hides a new machine for a while from every call without its token", async () => {
		emulator.faults.add({ action: "RunInstances", behaviour: { kind: "invisible", durationMs: 5_000 } });
		const id = await launch({ ClientToken: "hidden" });
		const describeIt = () => emulator.client().send(new DescribeInstancesCommand({ InstanceIds: [id] }));
		await expect(describeIt()).rejects.toMatchObject({ name: "InvalidInstanceID.NotFound" });
		await expect(emulator.client().send(new TerminateInstancesCommand({ InstanceIds: [id] }))).rejects.toMatchObject({
			name: "InvalidInstanceID.NotFound",
		});
		expect(await launch({ ClientToken: "hidden" })).toBe(id);
		nowMs += 5_000;
		expect((await describeIt()).Reservations).toHaveLength(1);
	});

	it("delays termination", async () => {
		const slow = await launch();
		const quick = await launch();
		const terminate = (id: string) => emulator.client().send(new TerminateInstancesCommand({ InstanceIds: [id] }));
		emulator.faults.add({ action: "TerminateInstances", behaviour: { kind: "slow_termination", durationMs: 60_000 } });
		await terminate(slow);
		await terminate(quick);
		await eventually("the quick one", () => stateOf(quick) === "terminated");
		expect(stateOf(slow)).toBe("shutting-down");
		nowMs += 60_000;
		await terminate(slow);
		await eventually("the slow one", () => stateOf(slow) === "terminated");
	});

	it("lets a machine vanish", async () => {
		emulator.faults.add({ action: "RunInstances", behaviour: { kind: "vanish", durationMs: 0 } });
		const id = await launch();
		await eventually("gone", () => emulator.instances().find(({ instanceId }) => instanceId === id)?.vanished);
		await expect(emulator.client().send(new DescribeInstancesCommand({ InstanceIds: [id] }))).rejects.toMatchObject({
			name: "InvalidInstanceID.NotFound",
		});
	});

	it("boots slowly", async () => {
		emulator.faults.add({ action: "RunInstances", behaviour: { kind: "slow_boot", durationMs: 60_000 } });
		const slow = await launch();
		const quick = await launch();
		await eventually("the quick one to run", () => stateOf(quick) === "running");
		expect(stateOf(slow)).toBe("pending");
	});
});

describe("the script", () => {
	it("is validated, and lists its remaining faults", () => {
		const faults = ec2Faults();
		expect(() => faults.add({ action: "RunInstances" })).toThrow(/either error or behaviour/);
		expect(() => faults.add({ action: "RunInstances", error: { code: "X" }, times: 0 })).toThrow();
		const id = faults.add({ action: "*", error: { code: "X" }, times: 2 });
		expect(() => faults.take("entrance", { action: "DescribeTags", region: "us-east-1" })).toThrow("X");
		expect(faults.list()).toMatchObject([{ id, remaining: 1 }]);
		expect(faults.remove(id)).toBe(true);
		expect(faults.remove(id)).toBe(false);
	});

	it("is also set over HTTP, and rejected when invalid", async () => {
		const control = (method: string, path: string, body?: unknown) =>
			fetch(`${emulator.url}/_emulator/${path}`, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
		const added = await control("POST", "faults", { action: "RunInstances", error: { code: "VcpuLimitExceeded" } });
		expect(added.status).toBe(201);
		await expect(launch()).rejects.toMatchObject({ name: "VcpuLimitExceeded" });
		expect((await control("POST", "faults", { action: "RunInstances", error: { code: "X", colour: "blue" } })).status).toBe(400);
		expect((await control("POST", "faults")).status).toBe(400);
		await control("POST", "faults", { action: "RunInstances", error: { code: "X" } });
		expect((await control("DELETE", "faults")).status).toBe(200);
		expect(await (await control("GET", "faults")).json()).toEqual({ faults: [] });
		expect(await (await control("GET", "instances")).json()).toEqual({ instances: JSON.parse(JSON.stringify(emulator.instances())) });
		expect((await control("POST", "interrupt", { instanceId: "i-0" })).status).toBe(404);
		expect((await control("GET", "health")).status).toBe(200);
		expect((await control("GET", "nothing")).status).toBe(404);
	});
});
