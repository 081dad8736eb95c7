import { describe, expect, it } from "vitest";
import { JsonItems } from "./json-items.ts";
import { parseTrace } from "./read-trace.ts";

const T = Date.UTC(2026, 2, 4, 10) / 1000;
const set = (number: number) => ({ set: true, infinite: false, number });
const unset = { set: false, infinite: false, number: 0 };
const gpu = (count: number) => [
	{ type: "cpu", name: "", id: 1, count: 8 },
	{ type: "gres", name: "gpu", id: 1001, count },
	{ type: "gres", name: "gpu:a100", id: 1002, count },
];
const slurmdb = {
	...{ job_id: 7, account: "risk", user: "ann", name: "x } [", state: { current: ["COMPLETED"], reason: "None" } },
	time: { elapsed: 3600, submission: T, start: T + 60, end: T + 3660, limit: set(120) },
	tres: { allocated: gpu(4), requested: gpu(4) },
	steps: [{ jobs: [1] }],
};
const slurmctld = {
	...{ job_id: 7, account: "risk", user_name: "ann", job_state: ["COMPLETED"], time_limit: set(120) },
	...{ submit_time: set(T), start_time: set(T + 60), end_time: set(T + 3660) },
	...{ tres_alloc_str: "cpu=8,gres/gpu=4,gres/gpu:a100=4", tres_req_str: "cpu=8,gres/gpu:a100=4" },
};
const SACCT = `JobID|User|Account|Submit|Start|ElapsedRaw|TimelimitRaw|ReqTRES|AllocTRES|State
7|ann|risk|2026-03-04T10:00:00|2026-03-04T10:01:00|3600|120|cpu=8,gres/gpu:a100=4|cpu=8,gres/gpu=4,gres/gpu:a100=4|COMPLETED
`;
const kubernetes = {
	...{ apiVersion: "batch/v1", kind: "Job" },
	metadata: { name: "train", namespace: "risk", uid: "u1", creationTimestamp: "2026-03-04T10:00:00Z" },
	spec: {
		parallelism: 2,
		completions: 2,
		template: {
			spec: {
				nodeSelector: { "nvidia.com/gpu.product": "A100-SXM4-80GB" },
				containers: [
					{ name: "t", resources: { limits: { "nvidia.com/gpu": "4", cpu: "8" } } },
					{ name: "sidecar", resources: {} },
				],
			},
		},
	},
	status: {
		...{ startTime: "2026-03-04T10:01:00Z", completionTime: "2026-03-04T11:01:00Z" },
		conditions: [{ type: "Complete", status: "True", lastTransitionTime: "2026-03-04T11:01:00Z" }],
	},
};
const file = (array: string, jobs: readonly unknown[]): string =>
	JSON.stringify({ meta: { jobs: { items: [{ a: 1 }] } }, [array]: jobs }, null, 1);
const lenient = (text: string) => parseTrace(text, "t.json", { lenient: true });

describe("a JSON trace", () => {
	it.each([
		["slurmdbd", slurmdb],
		["slurmctld", slurmctld],
	])("yields the same jobs from %s as from sacct", (_, job) => {
		const { jobs, recordedStartMs } = parseTrace(file("jobs", [job]), "t.json");
		const sacct = parseTrace(SACCT, "t.txt");
		expect(jobs).toEqual(sacct.jobs);
		expect(recordedStartMs).toBe(sacct.recordedStartMs);
	});
	it("reads Kubernetes Jobs: concurrent pods, run time, and the wait until the start", () => {
		expect(lenient(file("items", [kubernetes])).jobs).toEqual([
			{
				...{ id: "u1", submitMs: 0, durationMs: 3_600_000, gpus: 8, waitMs: 60_000, team: "risk", user: null },
				...{ accelerators: ["A100-SXM4-80GB"], deadlineMs: null, deadlineKind: null, status: "Complete", limitMs: null },
			},
		]);
	});
	it("reads Kubeflow jobs by their replicas", () => {
		const { template } = kubernetes.spec;
		const spec = { pytorchReplicaSpecs: { Master: { replicas: 1, template }, Worker: { replicas: 3, template } } };
		expect(lenient(file("items", [{ ...kubernetes, kind: "PyTorchJob", spec }])).jobs[0]?.gpus).toBe(16);
	});
	it("counts bad jobs with line and number, and reads the others", () => {
		const bad = { ...slurmdb, job_id: 8, time: { ...slurmdb.time, elapsed: "soon" } };
		const running = { ...kubernetes, status: { startTime: "2026-03-04T10:01:00Z" } };
		expect(() => parseTrace(`[${JSON.stringify(slurmdb)},\n${JSON.stringify(bad)}]`, "t.json")).toThrow(
			/line 2: Job 2 of the file: time.elapsed/,
		);
		const { jobs, notes } = lenient(JSON.stringify([slurmdb, bad, running, slurmdb]));
		expect([jobs.length, notes.badRows]).toEqual([1, 3]);
	});
	it("skips jobs without GPUs, and jobs that never started", () => {
		const cpuOnly = { ...slurmdb, job_id: 9, tres: { allocated: [], requested: [] } };
		const pending = { ...slurmctld, job_id: 10, job_state: ["PENDING"], start_time: set(T + 9), end_time: unset };
		const { notes } = lenient(JSON.stringify([slurmdb, cpuOnly, pending]));
		expect(notes).toMatchObject({ withoutGpus: 1, neverStarted: 1, badRows: 0 });
	});
	it("rejects JSON without jobs, and keeps the complete jobs of a truncated file", () => {
		expect(() => lenient('{"a": [1]}')).toThrow("without an array of jobs");
		const text = JSON.stringify([slurmdb, { ...slurmdb, job_id: 8 }]);
		expect(lenient(text.slice(0, -20)).notes.badRows).toBe(1);
	});
	it("parses the same in one-character pieces", () => {
		const text = file("jobs", [slurmdb, slurmctld]);
		const [whole, pieces] = [new JsonItems("t"), new JsonItems("t")];
		expect([...text].flatMap((character) => pieces.push(character))).toEqual(whole.push(text));
	});
});
