import { expect, it } from "vitest";
import type { LaunchRequest } from "../driver.ts";
import { DriverError } from "../driver-errors.ts";
import type { ComputeCalls } from "./client.ts";
import { launchMachine } from "./launch.ts";
import { type GceInstance, gceInstanceSchema, instanceResource } from "./mapper.ts";
import { machineName, requestIdOf } from "./names.ts";
import { type GceOperation, operationSchema } from "./operations.ts";
import { gcpSettingsSchema } from "./settings.ts";

const ZONE = "us-central1-a";
const PLACE = { zone: ZONE, nowMs: Date.parse("2026-11-22T10:00:00Z") };
const SETTINGS = gcpSettingsSchema.parse({
	...{ controlPlane: "spw-1", project: "acme-bursts", regions: ["us-central1"] },
	image: "projects/debian-cloud/global/images/family/debian-12",
	...{ capacityTimeoutMs: 30, operationPollMs: 5 },
});
const REQUEST: LaunchRequest = {
	...{ instanceId: "ins_1_001_0", jobId: "job_1", attemptId: "att_1_001", region: "us-central1", zone: ZONE },
	...{ instanceType: "g2-standard-4", capacityType: "on_demand", userData: "#!/bin/sh\n", expiresAtMs: PLACE.nowMs + 3_600_000 },
};
const NAME = machineName("spw-1", REQUEST.instanceId);

function operation(operationType: string, changes: Record<string, unknown> = {}): GceOperation {
	return operationSchema.parse({
		...{ name: `op-${operationType}`, operationType, status: "DONE", targetId: "42" },
		...{ targetLink: `https://x/zones/${ZONE}/instances/${NAME}`, zone: `https://x/zones/${ZONE}`, insertTime: "2026-11-22T10:00:00Z" },
		...changes,
	});
}

function machine(changes: Record<string, unknown> = {}): GceInstance {
	const { labels } = instanceResource(REQUEST, ZONE, SETTINGS, PLACE.nowMs);
	return gceInstanceSchema.parse({
		...{ id: "42", name: NAME, status: "RUNNING", zone: `https://x/zones/${ZONE}`, machineType: `https://x/zones/${ZONE}/machineTypes/g2` },
		...{ creationTimestamp: "2026-11-22T10:00:01Z", labels, ...changes },
	});
}

/** A zone with these recorded operations and this machine. */
function aZone(has: { operations?: GceOperation[]; instance?: GceInstance | null; insert?: () => GceOperation; now?: GceOperation }) {
	const requestIds: string[] = [];
	const calls = {
		operations: async (_zone: string, { type }: { type?: string }) =>
			(has.operations ?? []).filter((op) => type === undefined || op.operationType === type),
		instance: async () => has.instance ?? null,
		operation: async () => has.now ?? operation("insert"),
		async insert(_zone: string, _resource: unknown, requestId: string) {
			requestIds.push(requestId);
			if (!has.insert) throw new Error("no insert was expected");
			return has.insert();
		},
	};
	return { requestIds, launch: () => launchMachine(asCalls(calls), SETTINGS, REQUEST, PLACE) };
}

// The launch uses only these four calls.
function asCalls(calls: object): ComputeCalls {
	return calls as ComputeCalls;
}

it("creates no second machine, even when the first one has ended and Google has forgotten the request", async () => {
	const zone = aZone({ operations: [operation("insert"), operation("delete", { insertTime: "2026-11-22T12:00:00Z" })] });
	expect(await zone.launch()).toMatchObject({
		...{ providerInstanceId: `${ZONE}/42`, instanceId: REQUEST.instanceId, state: "terminated", stateReasonCode: "delete" },
		...{ instanceType: "g2-standard-4", capacityType: "on_demand" },
	});
	expect(zone.requestIds).toEqual([]);
});

it("uses a new request id after a failure, because Google would repeat the failure for the old one", async () => {
	const refusal = operation("insert", { targetId: "41", error: { errors: [{ code: "ZONE_RESOURCE_POOL_EXHAUSTED" }] } });
	const zone = aZone({ operations: [refusal], insert: () => operation("insert"), instance: machine() });
	expect((await zone.launch()).providerInstanceId).toBe(`${ZONE}/42`);
	expect(zone.requestIds).toEqual([requestIdOf(NAME, 1)]);
});

it("returns as soon as Google has allocated the machine, and not before", async () => {
	const running = operation("insert", { status: "RUNNING" });
	const staging = aZone({ insert: () => running, now: running, instance: machine({ status: "STAGING" }) });
	expect((await staging.launch()).state).toBe("pending");
	const waiting = aZone({ insert: () => running, now: running, instance: machine({ status: "PROVISIONING" }) });
	await expect(waiting.launch()).rejects.toMatchObject({ kind: "transient", providerCode: "OperationRunning" });
});

it("reports the operation's error: no capacity, and nothing was created", async () => {
	const full = operation("insert", { error: { errors: [{ code: "ZONE_RESOURCE_POOL_EXHAUSTED", message: "full" }] } });
	const zone = aZone({ insert: () => operation("insert", { status: "RUNNING" }), now: full });
	await expect(zone.launch()).rejects.toMatchObject({ kind: "insufficient_capacity", providerCode: "ZONE_RESOURCE_POOL_EXHAUSTED" });
});

it.each([
	["a machine that is not Spillway's", { labels: {} }, { kind: "invalid_request", message: expect.stringMatching(/delete or rename it/) }],
	["a machine of another request", { labels: { "spillway-instance": REQUEST.instanceId } }, { kind: "token_mismatch" }],
])("does not take %s for its own", async (_what, changes, error) => {
	const taken = () => {
		throw new DriverError("invalid_request", "taken", { providerCode: "alreadyExists" });
	};
	await expect(aZone({ insert: taken, instance: machine(changes) }).launch()).rejects.toMatchObject(error);
});

it("finds its machine by name if no operation records it", async () => {
	const taken = () => {
		throw new DriverError("invalid_request", "taken", { providerCode: "alreadyExists" });
	};
	expect((await aZone({ insert: taken, instance: machine() }).launch()).providerInstanceId).toBe(`${ZONE}/42`);
});

it("reports something missing at Google, such as an image, as an invalid request", async () => {
	const missing = () => {
		throw new DriverError("not_found", "no image", { providerCode: "notFound" });
	};
	await expect(aZone({ insert: missing }).launch()).rejects.toMatchObject({ kind: "invalid_request", message: "no image" });
});

it("does not guess if the created machine is not shown: the outcome is unknown", async () => {
	await expect(aZone({ operations: [operation("insert")] }).launch()).rejects.toMatchObject({
		kind: "transient",
		providerCode: "NotShown",
	});
});
