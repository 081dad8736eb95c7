import { describe, expect, it } from "vitest";
import { aSpec } from "../contract/cluster-harness.ts";
import { type SubmissionInput, submissionOf } from "./submission.ts";
import { newestOf, VERSIONS } from "./versions.ts";

const HOUR_MS = 3_600_000;
const spec = aSpec({
	...{ command: ["python"], gpus: 2, nodes: 2, duration: { estimateMs: null, maxMs: 12 * HOUR_MS } },
	resources: { gpus: 2, accelerators: [], cpus: 16, memoryGiB: 1.5 },
});
const input = (changes: Partial<SubmissionInput> = {}): SubmissionInput => ({
	attemptId: "att_1",
	spec,
	pool: {
		id: "gpu-h100x8",
		partition: "gpu",
		partitions: new Set(),
		gresType: "h100",
		accelerator: "H100-80GB",
		gpusPerNode: 8,
		maxTimeMs: null,
		nodes: [],
	},
	settings: { account: "research" },
	environment: { A: "1", B: "x=y z" },
	script: "#!/bin/sh\ntrue\n",
	folder: "/s/a",
	slurmLog: "/s/a/slurm.log",
	...changes,
});
type Job = { job: Record<string, unknown>; script?: string };
const common = {
	...{
		name: "spillway-att_1",
		comment: "spillway att_1",
		partition: "gpu",
		account: "research",
		tasks: 2,
		tasks_per_node: 1,
		cpus_per_task: 16,
	},
	...{
		current_working_directory: "/s/a",
		standard_input: "/dev/null",
		standard_output: "/s/a/slurm.log",
		standard_error: "/s/a/slurm.log",
	},
};
const script = "#!/bin/sh\ntrue\n";

describe("a submission", () => {
	it.each(["v0.0.36", "v0.0.37", "v0.0.38"] as const)("has plain numbers in %s", (version) => {
		expect(submissionOf(version, input())).toEqual({
			script,
			job: {
				...common,
				...{
					nodes: [2, 2],
					no_requeue: true,
					gres: "gpu:h100:2",
					memory_per_node: 1536,
					time_limit: 730,
					environment: { A: "1", B: "x=y z" },
				},
			},
		});
	});

	it.each(["v0.0.40", "v0.0.41", "v0.0.42", "v0.0.45"] as const)("has numbers with a set flag in %s", (version) => {
		const figure = (number: number) => ({ set: true, infinite: false, number });
		expect(submissionOf(version, input())).toEqual({
			job: {
				...{ ...common, script, minimum_nodes: 2, maximum_nodes: 2, requeue: false, tres_per_node: "gres/gpu:h100:2" },
				...{ memory_per_node: figure(1536), time_limit: figure(730), environment: ["A=1", "B=x=y z"] },
			},
		});
	});

	it("requests no GPUs, no memory and no time if the job specifies none", () => {
		for (const version of VERSIONS) {
			const bare = submissionOf(version, input({ spec: aSpec({ command: ["true"], gpus: 0 }) })) as Job;
			expect(Object.keys(bare.job).filter((key) => /gres|tres_per|memory|time_limit|cpus/.test(key))).toEqual([]);
		}
	});

	it.each([
		["the slack", null, 730],
		["at most what its partition allows", 12.05 * HOUR_MS, 723],
		["a limit that Slurm rejects, when the partition allows less than the job", 6 * HOUR_MS, 730],
	])("gives Slurm's own limit %s", (_what, maxTimeMs, minutes) => {
		const { job } = submissionOf("v0.0.38", input({ pool: { ...input().pool, maxTimeMs } })) as Job;
		expect(job.time_limit).toBe(minutes);
	});

	it("names GPUs without a type as Slurm does", () => {
		const pool = { ...input().pool, gresType: "gpu" };
		expect((submissionOf("v0.0.38", input({ pool })) as Job).job.gres).toBe("gpu:2");
		expect((submissionOf("v0.0.42", input({ pool })) as Job).job.tres_per_node).toBe("gres/gpu:2");
	});
});

it("uses the newest version that the server supports too", () => {
	const paths = (...versions: string[]) => versions.map((v) => `/slurm/${v}/jobs`);
	expect(newestOf(paths("v0.0.36", "v0.0.38", "v0.0.37"))).toBe("v0.0.38");
	expect(newestOf(paths("v0.0.39", "v0.0.40", "v0.0.41"))).toBe("v0.0.41");
	expect(newestOf(paths("v0.0.44", "v0.0.45", "v0.0.46"))).toBe("v0.0.45");
	expect(newestOf(["/slurmdb/v0.0.38/jobs"])).toBeNull();
});

it("requests one leaf switch for a gang that needs a high-bandwidth interconnect, and for no other job", () => {
	const switches = (version: "v0.0.38" | "v0.0.42", changes: Partial<SubmissionInput["spec"]>) =>
		(submissionOf(version, input({ spec: { ...spec, ...changes } })) as Job).job["required_switches"];
	// 22.05 rejects it.
	expect(switches("v0.0.38", { interconnect: "high" })).toBeUndefined();
	expect(switches("v0.0.42", { interconnect: "high" })).toEqual({ set: true, infinite: false, number: 1 });
	expect([switches("v0.0.42", {}), switches("v0.0.42", { interconnect: "high", nodes: 1 })]).toEqual([undefined, undefined]);
});
