import { expect, it } from "vitest";
import { foreignJobsOf } from "./foreign-queue.ts";
import { type KubePod, podSchema } from "./objects.ts";
import type { KubePool } from "./pools.ts";

const pool: KubePool = {
	...{ id: "h100x4", accelerator: "H100-80GB", resource: "nvidia.com/gpu", gpusPerNode: 4, selector: {} },
	nodes: ["a", "b"].map((name) => ({ name, freeGpus: 0 })),
	nodesToCome: 0,
};

interface Wanted {
	gpus: number;
	node?: string;
	owner?: string;
	priority?: number;
	minute?: number;
	gate?: boolean;
}
const aPod = (name: string, { gpus, node, owner, priority = 0, minute = 0, gate = false }: Wanted): KubePod =>
	podSchema.parse({
		metadata: {
			...{ name, namespace: "research", uid: `uid-${name}`, creationTimestamp: `2026-11-22T07:${String(minute).padStart(2, "0")}:00Z` },
			ownerReferences: owner ? [{ kind: "Job", name: owner, uid: `uid-${owner}` }] : [],
		},
		spec: {
			...{ nodeName: node, priority, schedulingGates: gate ? [{ name: "later" }] : [] },
			containers: [{ resources: { limits: { "nvidia.com/gpu": String(gpus) } } }],
		},
		status: node ? { phase: "Running", startTime: "2026-11-22T08:00:00Z" } : { phase: "Pending" },
	});
const seen = (...pods: KubePod[]) =>
	foreignJobsOf(pods, { pools: [pool], resources: ["nvidia.com/gpu"], taken: new Map([["h100x4", [1, 4, 5, 6]]]), theirs: [] });

it("reports pods of one owner as one job, with the slots that it holds", () => {
	const [job, ...more] = seen(aPod("x-0", { gpus: 2, node: "a", owner: "x" }), aPod("x-1", { gpus: 1, node: "b", owner: "x" }));
	expect(more).toEqual([]);
	expect(job).toMatchObject({ id: "uid-x", name: "x", partition: "research", poolId: "h100x4", state: "running", nodes: 2, gpus: 3 });
	expect(job).toMatchObject({ slots: [1, 4, 5], position: null, startedAtMs: Date.parse("2026-11-22T08:00:00Z"), waitingReason: null });
});

it("orders pending jobs by priority, then by age, after the running ones", () => {
	const jobs = seen(
		aPod("old", { gpus: 1, minute: 1 }),
		aPod("young", { gpus: 1, minute: 2 }),
		aPod("urgent", { gpus: 1, minute: 3, priority: 5 }),
		aPod("runs", { gpus: 1, minute: 4, node: "a" }),
	);
	expect(jobs.map((j) => [j.name, j.position])).toEqual([
		["runs", null],
		["urgent", 0],
		["old", 1],
		["young", 2],
	]);
});

it("omits pods without GPUs, and reports a gated one as held", () => {
	const jobs = seen(aPod("web", { gpus: 0, node: "a" }), aPod("gated", { gpus: 8, gate: true }));
	expect(jobs).toHaveLength(1);
	expect(jobs[0]).toMatchObject({ name: "gated", state: "held", waitingReason: "SchedulingGated", poolId: null, slots: [] });
});
