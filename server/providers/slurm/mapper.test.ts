import { describe, expect, it } from "vitest";
import { gpusInGres, gpusInTres, isOver, jobSchema, nodeSchema, partitionSchema } from "./mapper.ts";

/** Fields of real responses from 22.05.8 (v0.0.38) and 24.11.5 (v0.0.42), without unused ones. */
const PLAIN_JOB = {
	...{ job_id: 12, name: "spillway-att_1", user_name: "root", partition: "gpu", job_state: "RUNNING", state_reason: "None" },
	...{ restart_cnt: 0, submit_time: 1795315139, start_time: 1795315139, end_time: 1795315439, time_limit: 5, node_count: 1 },
	...{ nodes: "gpu01", tres_alloc_str: "cpu=2,mem=1000M,node=1,billing=2", tres_req_str: "cpu=2,mem=1000M,node=1,billing=2" },
	...{ tres_per_node: "gres:gpu:h100:2", gres_detail: ["gpu:h100:2(IDX:0-1)"], exit_code: 0 },
};
const figure = (number: number) => ({ set: true, infinite: false, number });
const FIGURES_JOB = {
	...{ job_id: 38, name: "spillway-att_1", user_name: "root", partition: "gpu", job_state: ["FAILED"], state_reason: "NonZeroExitCode" },
	...{ restart_cnt: 0, submit_time: figure(1795316847), start_time: figure(1795316847), end_time: figure(1795316848) },
	...{ time_limit: { set: false, infinite: true, number: 0 }, node_count: figure(1), nodes: "gpu01" },
	...{ tres_alloc_str: "cpu=1,mem=4000M,node=1,billing=1", tres_req_str: "cpu=1,mem=4000M,node=1,billing=1" },
	...{ tres_per_node: "gres/gpu:h100:1", gres_detail: [] },
	exit_code: { status: ["ERROR"], return_code: figure(4), signal: { id: { set: false, infinite: false, number: 0 }, name: "" } },
};

describe("jobs", () => {
	it("are parsed from plain numbers", () => {
		expect(jobSchema.parse(PLAIN_JOB)).toMatchObject({
			...{ id: 12, name: "spillway-att_1", user: "root", partition: "gpu", state: "RUNNING", reason: "None", restarts: 0 },
			...{ submittedAtMs: 1795315139_000, startedAtMs: 1795315139_000, endedAtMs: null, timeLimitMs: 300_000 },
			...{ nodes: 1, gpus: 2, nodeList: "gpu01" },
		});
	});

	it("are parsed from numbers with a set flag", () => {
		expect(jobSchema.parse(FIGURES_JOB)).toMatchObject({
			...{ id: 38, name: "spillway-att_1", user: "root", partition: "gpu", state: "FAILED", reason: "NonZeroExitCode", restarts: 0 },
			...{ submittedAtMs: 1795316847_000, startedAtMs: 1795316847_000, endedAtMs: 1795316848_000, timeLimitMs: null },
			...{ nodes: 1, gpus: 1, nodeList: "gpu01" },
		});
	});

	it("that are pending have no start, whatever Slurm estimates", () => {
		expect(jobSchema.parse({ ...PLAIN_JOB, job_state: "PENDING" })).toMatchObject({ startedAtMs: null, endedAtMs: null });
	});

	it.each([
		[["COMPLETED", "COMPLETING"], "COMPLETED"],
		["COMPLETING", "COMPLETING"],
		[["RUNNING", "CONFIGURING"], "RUNNING"],
		["CONFIGURING", "RUNNING"],
		[["PENDING", "REQUEUED"], "PENDING"],
		["REQUEUED", "PENDING"],
		["REQUEUE_HOLD", "PENDING"],
		["NODE_FAIL", "NODE_FAIL"],
		["SOMETHING_NEW", "UNKNOWN"],
	])("in the state %s are %s", (said, state) => {
		expect(jobSchema.parse({ ...PLAIN_JOB, job_state: said }).state).toBe(state);
	});

	it("have ended only in a final state", () => {
		expect(["PENDING", "RUNNING", "SUSPENDED", "COMPLETING", "UNKNOWN"].filter((s) => isOver(s as never))).toEqual([]);
		expect(
			["COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY"].every((s) => isOver(s as never)),
		).toBe(true);
	});

	it("without a number are rejected", () => {
		expect(jobSchema.safeParse({ ...PLAIN_JOB, job_id: undefined }).success).toBe(false);
	});
});

describe("nodes and partitions", () => {
	const node = { name: "gpu01", partitions: ["gpu"], gres: "gpu:h100:4(S:0-1)", gres_used: "gpu:h100:2(IDX:0,2)", reason: "x" };
	const read = {
		name: "gpu01",
		partitions: ["gpu"],
		gpus: [{ type: "h100", count: 4 }],
		gpusUsed: [{ type: "h100", count: 2 }],
		reason: "x",
	};

	it("have states as words and flags, or as a list", () => {
		expect(nodeSchema.parse({ ...node, state: "mixed", state_flags: ["DRAIN"] })).toEqual({ ...read, states: ["MIXED", "DRAIN"] });
		expect(nodeSchema.parse({ ...node, state: ["MIXED", "DRAIN"] })).toEqual({ ...read, states: ["MIXED", "DRAIN"] });
		expect(nodeSchema.parse({ ...node, state: ["IDLE+DRAIN"] })).toEqual({ ...read, states: ["IDLE", "DRAIN"] });
	});

	it("of 22.05 and 24.11 report their limits in different formats", () => {
		const unlimited = { name: "gpu", up: true, maxTimeMs: null };
		expect(partitionSchema.parse({ name: "gpu", state: "UP", max_time_limit: -1 })).toEqual(unlimited);
		expect(partitionSchema.parse({ name: "gpu", state: "UP", max_time_limit: 60 })).toEqual({ ...unlimited, maxTimeMs: 3_600_000 });
		const newer = (time: unknown, state = ["UP"]) => partitionSchema.parse({ name: "gpu", partition: { state }, maximums: { time } });
		expect(newer({ set: false, infinite: true, number: 0 })).toEqual(unlimited);
		expect(newer(figure(60))).toEqual({ ...unlimited, maxTimeMs: 3_600_000 });
		expect(newer(figure(60), ["DOWN"]).up).toBe(false);
	});
});

it.each([
	["gpu:h100:8(S:0-1)", [{ type: "h100", count: 8 }]],
	["gpu:8", [{ type: "gpu", count: 8 }]],
	[
		"gpu:h100:4,gpu:a100:2(IDX:0,1),shard:8",
		[
			{ type: "h100", count: 4 },
			{ type: "a100", count: 2 },
		],
	],
	["gpu:h100:0(IDX:N/A)", [{ type: "h100", count: 0 }]],
	["", []],
	["craynetwork:4", []],
])("reads the GPUs in %s", (gres, gpus) => {
	expect(gpusInGres(gres)).toEqual(gpus);
});

it.each([
	["cpu=4,mem=8G,gres/gpu=2,gres/gpu:h100=2", 2],
	["cpu=4,gres/gpu:h100=2,gres/gpu:a100=1", 3],
	["cpu=4,mem=8G", 0],
])("counts the GPUs in %s as %i", (tres, gpus) => {
	expect(gpusInTres(tres)).toBe(gpus);
});
