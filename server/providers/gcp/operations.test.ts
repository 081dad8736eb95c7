import { describe, expect, it } from "vitest";
import { machineName } from "./names.ts";
import { endingsOf, type GceOperation, goneObservation, operationSchema } from "./operations.ts";

const NAME = machineName("spw-1", "ins_1_001_0");

function operation(operationType: string, changes: Partial<GceOperation> = {}, minute = 0): GceOperation {
	return operationSchema.parse({
		name: `operation-${minute}`,
		operationType,
		status: "DONE",
		targetId: "42",
		targetLink: `https://www.googleapis.com/compute/v1/projects/p/zones/us-central1-a/instances/${NAME}`,
		zone: "https://www.googleapis.com/compute/v1/projects/p/zones/us-central1-a",
		insertTime: `2026-11-22T02:0${minute}:00.000-08:00`,
		...changes,
	});
}
const failed = { error: { errors: [{ code: "ZONE_RESOURCE_POOL_EXHAUSTED", message: "full" }] } };
const endOf = (...operations: GceOperation[]) => {
	const ending = endingsOf(operations).get("42");
	return ending ? { code: ending.code, over: ending.over } : null;
};

describe("the record of a machine's end", () => {
	it.each([
		["made", [operation("insert")], null],
		["being made", [operation("insert", { status: "RUNNING" })], null],
		["never made", [operation("insert", failed)], { code: "ZONE_RESOURCE_POOL_EXHAUSTED", over: true }],
		["being deleted", [operation("insert"), operation("delete", { status: "RUNNING" }, 1)], { code: "delete", over: false }],
		["deleted", [operation("delete", {}, 1), operation("insert")], { code: "delete", over: true }],
		["not deleted", [operation("insert"), operation("delete", failed, 1)], null],
		[
			"switched off by itself",
			[operation("insert"), operation("compute.instances.guestTerminate", {}, 1)],
			{ code: "compute.instances.guestTerminate", over: true },
		],
		["moved", [operation("insert"), operation("compute.instances.migrateOnHostMaintenance", {}, 1)], null],
		[
			"preempted and then deleted",
			[operation("insert"), operation("compute.instances.preempted", {}, 1), operation("delete", {}, 2)],
			{ code: "spot: compute.instances.preempted", over: true },
		],
		["stopped and started again", [operation("insert"), operation("stop", {}, 1), operation("start", {}, 2)], null],
		["stopped, with a refused start", [operation("stop", {}, 1), operation("start", failed, 2)], { code: "stop", over: true }],
		["relabelled", [operation("insert"), operation("setLabels", {}, 1)], null],
	] as const)("of one that was %s", (_what, operations, ending) => {
		expect(endOf(...operations)).toEqual(ending);
	});

	it("shows when it ran: from its creation until its deletion was requested, or its preemption was complete", () => {
		const at = (s: number) => new Date(Date.parse("2026-11-22T10:00:00Z") + s * 1_000).toISOString();
		const made = operation("insert", { endTime: at(20) });
		const preempted = operation("compute.instances.preempted", { insertTime: at(300), endTime: at(330) });
		const deleted = operation("delete", { insertTime: at(400), endTime: at(440) });
		const timesOf = (...all: GceOperation[]) => {
			const ending = endingsOf(all).get("42");
			return ending && [ending.ranFromMs, ending.untilMs].map((ms) => (ms === null ? null : new Date(ms).toISOString()));
		};
		expect(timesOf(made, deleted)).toEqual([at(20), at(400)]);
		expect(timesOf(made, preempted, deleted)).toEqual([at(20), at(330)]);
		const stopped = operation("stop", { insertTime: at(100) });
		const started = operation("start", { insertTime: at(200) });
		expect(timesOf(made, stopped)).toEqual([at(20), at(100)]);
		// A stopped machine costs its disk until it is deleted.
		expect(timesOf(made, stopped, deleted)).toEqual([at(20), at(400)]);
		expect(timesOf(made, stopped, started, preempted, deleted)).toEqual([at(20), at(330)]);
		expect(timesOf(made, { ...preempted, status: "RUNNING", endTime: null })).toEqual([at(20), null]);
		expect(timesOf(operation("insert"), deleted)).toEqual([null, at(400)]);
	});

	it("names the machine from the data in the record", () => {
		const ending = endingsOf([operation("compute.instances.preempted", {}, 5), operation("insert")]).get("42");
		expect(ending && goneObservation("spw-1", ending)).toMatchObject({
			providerInstanceId: "us-central1-a/42",
			instanceId: "ins_1_001_0",
			region: "us-central1",
			zone: "us-central1-a",
			state: "terminated",
			launchedAtMs: Date.parse("2026-11-22T10:00:00Z"),
			stateReasonCode: "spot: compute.instances.preempted",
		});
	});
});
