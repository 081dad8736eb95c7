import type { ClusterNode } from "#server/domain/cluster-node.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { DriverError } from "../driver-errors.ts";
import type { SlurmCalls } from "./client.ts";
import type { SlurmNode, SlurmPartition } from "./mapper.ts";
import { clusterNodesOf, poolsOf, type SlurmPool } from "./pools.ts";
import type { ParsedSlurmSettings } from "./settings.ts";

/** Partitions change only when an administrator changes them. */
const PARTITIONS_EVERY_MS = 60_000;

/** The pools, read again only if they are some seconds old. */
export class PoolWatch {
	readonly #settings: ParsedSlurmSettings;
	readonly #calls: SlurmCalls;
	readonly #clock: Clock;
	#partitions: { list: SlurmPartition[]; atMs: number } | null = null;
	#pools: { list: SlurmPool[]; nodes: ClusterNode[]; atMs: number } | null = null;

	constructor(settings: ParsedSlurmSettings, calls: SlurmCalls, clock: Clock) {
		this.#settings = settings;
		this.#calls = calls;
		this.#clock = clock;
	}

	/** @throws DriverError invalid_request if nothing there is usable, which means that the settings are wrong */
	async now(): Promise<SlurmPool[]> {
		const nowMs = this.#clock.nowMs();
		if (this.#pools && nowMs - this.#pools.atMs < this.#settings.nodesPollMs) return this.#pools.list;
		if (!this.#partitions || nowMs - this.#partitions.atMs >= PARTITIONS_EVERY_MS) {
			this.#partitions = { list: await this.#calls.partitions(), atMs: nowMs };
		}
		const nodes = await this.#calls.nodes();
		const list = poolsOf(nodes, this.#partitions.list, this.#settings);
		if (list.length === 0) throw describeUnusable(nodes, this.#partitions.list, this.#settings);
		this.#pools = { list, nodes: clusterNodesOf(nodes, list), atMs: nowMs };
		return list;
	}

	/** The nodes as of the last reading; the same array until the next. */
	nodes(): readonly ClusterNode[] {
		return this.#pools?.nodes ?? [];
	}

	/** @throws DriverError invalid_request if no such pool exists */
	async one(poolId: string): Promise<SlurmPool> {
		const pools = await this.now();
		const found = pools.find((p) => p.id === poolId);
		if (found) return found;
		const ids = pools.map((p) => p.id).join(", ");
		throw new DriverError("invalid_request", `this site has the pools ${ids}, not ${JSON.stringify(poolId)}`);
	}
}

function describeUnusable(nodes: readonly SlurmNode[], partitions: readonly SlurmPartition[], settings: ParsedSlurmSettings): DriverError {
	const types = [...new Set(nodes.flatMap((n) => n.gpus.map((g) => g.type)))].join(", ") || "none";
	const names = partitions.map((p) => p.name).join(", ") || "none";
	const asked = `the types ${Object.keys(settings.accelerators).join(", ")} in ${settings.partitions ? `the partitions ${settings.partitions.join(", ")}` : "all partitions that are up"}`;
	return new DriverError(
		"invalid_request",
		`Slurm has no GPUs of ${asked}. Types of its nodes: ${types}; partitions: ${names}. Correct "accelerators" or "partitions" in the site's settings.`,
	);
}
