import { describe, expect, it } from "vitest";
import { slotsOf } from "../pool-slots.ts";
import type { SlurmNode, SlurmPartition } from "./mapper.ts";
import { clusterNodesOf, poolsOf, type SlurmPool } from "./pools.ts";

const aNode = (name: string, changes: Partial<SlurmNode> = {}): SlurmNode => ({
	name,
	partitions: ["gpu"],
	states: ["IDLE"],
	gpus: [{ type: "h100", count: 4 }],
	gpusUsed: [{ type: "h100", count: 0 }],
	reason: "",
	...changes,
});
const aPartition = (name: string, changes: Partial<SlurmPartition> = {}): SlurmPartition => ({
	name,
	up: true,
	maxTimeMs: null,
	...changes,
});
const accelerators = { h100: "H100-80GB", a100: "A100-80GB" };

describe("pools", () => {
	it("are equal nodes of a partition: the same GPU type and number", () => {
		const nodes = [
			aNode("b"),
			aNode("a"),
			aNode("c", { gpus: [{ type: "h100", count: 8 }] }),
			aNode("d", { gpus: [{ type: "a100", count: 4 }] }),
			aNode("e", { gpus: [] }),
			aNode("f", { gpus: [{ type: "k80", count: 4 }] }),
		];
		const pools = poolsOf(nodes, [aPartition("gpu")], { accelerators });
		expect(pools.map((p) => [p.id, p.accelerator, p.nodes.map((n) => n.name)])).toEqual([
			["gpu-a100x4", "A100-80GB", ["d"]],
			["gpu-h100x4", "H100-80GB", ["a", "b"]],
			["gpu-h100x8", "H100-80GB", ["c"]],
		]);
	});

	it("count a node of several partitions once, in the preferred one", () => {
		const nodes = [aNode("a", { partitions: ["debug", "gpu"] }), aNode("b")];
		const partitions = [aPartition("debug"), aPartition("gpu")];
		const ids = (chosen?: string[]) =>
			poolsOf(nodes, partitions, { accelerators, ...(chosen ? { partitions: chosen } : {}) }).map((p) => [p.id, p.nodes.length]);
		expect(ids()).toEqual([
			["debug-h100x4", 1],
			["gpu-h100x4", 1],
		]);
		expect(ids(["gpu"])).toEqual([["gpu-h100x4", 2]]);
		expect(ids(["gpu", "debug"])).toEqual([["gpu-h100x4", 2]]);
	});

	it("list their nodes by name, with Slurm's reasons that keep jobs off them", () => {
		const nodes = [
			aNode("a", { gpusUsed: [{ type: "h100", count: 3 }], states: ["MIXED"] }),
			aNode("b", { states: ["IDLE", "DRAIN"], reason: "fan" }),
			aNode("c", { states: ["DOWN*"] }),
			aNode("d", { gpus: [{ type: "k80", count: 2 }], gpusUsed: [] }),
			aNode("e", { gpus: [] }),
		];
		const pools = poolsOf(nodes, [aPartition("gpu")], { accelerators });
		const [poolId, gpus] = ["gpu-h100x4", 4];
		expect(clusterNodesOf(nodes, pools)).toEqual([
			{ name: "a", poolId, state: "ready", reason: null, gpus, gpusUsed: 3 },
			{ name: "b", poolId, state: "closed", reason: "IDLE+DRAIN: fan", gpus, gpusUsed: 0 },
			{ name: "c", poolId, state: "down", reason: "DOWN*", gpus, gpusUsed: 0 },
			{ name: "d", poolId: null, state: "ready", reason: null, gpus: 2, gpusUsed: 0 },
		]);
	});

	it.each([
		["DOWN"],
		["IDLE", "DRAIN"],
		["MIXED", "DRAIN"],
		["IDLE", "NOT_RESPONDING"],
		["IDLE", "MAINTENANCE"],
		["INVAL"],
		["IDLE", "INVALID_REG"],
		["DOWN*"],
		["RESERVED"],
	])("have nothing free on a node that is %s %s", (...states) => {
		const [pool] = poolsOf([aNode("a", { states })], [aPartition("gpu")], { accelerators });
		expect(pool?.nodes).toEqual([{ name: "a", freeGpus: 0 }]);
	});

	it("have nothing free in a partition that is down", () => {
		const [pool] = poolsOf([aNode("a")], [aPartition("gpu", { up: false })], { accelerators, partitions: ["gpu"] });
		expect(pool?.nodes).toEqual([{ name: "a", freeGpus: 0 }]);
	});
});

describe("slots", () => {
	const aPool = (...free: number[]): SlurmPool => ({
		id: "p",
		partition: "gpu",
		partitions: new Set(["gpu"]),
		gresType: "h100",
		accelerator: "H100-80GB",
		gpusPerNode: 4,
		maxTimeMs: null,
		nodes: free.map((freeGpus, n) => ({ name: `n${n}`, freeGpus })),
	});
	const held = (slots: number[], hasGpus = true) => ({ poolId: "p", slots, hasGpus });
	/** Free slots of each node. */
	const freeOf = (pool: SlurmPool, holders: ReturnType<typeof held>[]) => {
		const { unavailableSlots, nodes, gpusPerNode } = slotsOf(pool, holders);
		const taken = new Set([...unavailableSlots, ...holders.flatMap((h) => h.slots)]);
		return Array.from(
			{ length: nodes },
			(_, n) => Array.from({ length: gpusPerNode }, (_s, i) => n * gpusPerNode + i).filter((s) => !taken.has(s)).length,
		);
	};

	it("are unavailable if others have the GPUs or the node is down", () => {
		expect(slotsOf(aPool(4, 0, 1), [])).toMatchObject({ nodes: 3, gpusPerNode: 4, unavailableSlots: [4, 5, 6, 7, 9, 10, 11] });
	});

	it("with our attempts are never unavailable", () => {
		expect(slotsOf(aPool(0, 2), [held([0, 1, 2, 3]), held([4, 5])]).unavailableSlots).toEqual([]);
	});

	it("show what is free elsewhere if Slurm placed a job on another node than its slots are on", () => {
		// Slots of the first node, GPUs of the second one.
		expect(freeOf(aPool(4, 0), [held([0, 1, 2, 3])])).toEqual([0, 4]);
		// A whole node stays whole, and is not spread over the others.
		expect(freeOf(aPool(4, 0, 1), [held([0, 1, 2, 3])])).toEqual([0, 4, 1]);
	});

	it("are kept for our jobs that Slurm has not started yet", () => {
		expect(freeOf(aPool(4, 4), [held([0, 1], false)])).toEqual([2, 4]);
		expect(freeOf(aPool(0, 4), [held([0, 1, 2, 3], false)]).reduce((a, b) => a + b)).toBe(0);
	});

	it("are as many free ones as Slurm has free GPUs, wherever they are", () => {
		for (let seed = 0; seed < 500; seed++) {
			const digit = (n: number, base: number) => Math.floor(seed / base ** n) % base;
			const free = [digit(0, 5), digit(1, 5), digit(2, 5)];
			const mine = Array.from({ length: digit(1, 4) * 2 }, (_, i) => (i * 5 + seed) % 12);
			const total = free.reduce((a, b) => a + b, 0);
			const slots = [...new Set(mine)];
			const shown = freeOf(aPool(...free), [held(slots)]).reduce((a, b) => a + b, 0);
			expect(shown).toBe(Math.min(total, 12 - slots.length));
		}
	});
});
