import type { JobSpec } from "#server/domain/job.ts";
import { remainingOf } from "#server/scheduling/run-time.ts";
import type { Strategy, World } from "../engine.ts";
import type { HomeNodes } from "../home-nodes.ts";
import type { Run, RunEnd, SeenJob } from "../run.ts";
import { RunHistory } from "../run-history.ts";
import { TraceSpecs } from "../trace-spec.ts";
import { canEverRunHome, startHome } from "./start-home.ts";

/** Jobs that differ only in their submission: if the first does not fit, none does. */
interface Line {
	spec: JobSpec;
	jobs: SeenJob[];
	head: number;
}

/** Where and when the blocked first job is expected to start. */
interface Reservation {
	job: SeenJob;
	atMs: number;
	nodes: ReadonlySet<string>;
}

/**
 * Owned machines only with EASY backfill (Lifka 1995; Slurm's sched/backfill with a depth of one reservation), in submission order. The
 * first job that does not fit gets a reservation at its expected start. Later jobs start now if they are expected to end before it or do
 * not use its nodes. Run times are the users' limits if the trace has them, else the P90 of finished jobs of the same kind, from the
 * history that Spillway also has. A job that runs longer is expected to end as remainingOf (server/scheduling/run-time.ts) computes, from
 * its last checkpoint in time on.
 */
export class OwnedBackfill implements Strategy {
	readonly #world: World;
	readonly #specs: TraceSpecs;
	readonly #history = new RunHistory();
	readonly #lines = new Map<string, Line>();
	/** By node, with the spec under which its run time is learned. */
	readonly #running = new Map<string, Map<Run, JobSpec>>();

	constructor(world: World) {
		this.#world = world;
		this.#specs = new TraceSpecs(world.scenario.checkpointEveryMs);
	}

	arrived(job: SeenJob): void {
		if (!canEverRunHome(this.#world, job)) {
			this.#world.giveUp(job);
			return;
		}
		const key = `${job.team}\n${job.user}\n${job.nodes}\n${job.gpusPerNode}\n${job.limitMs}\n${job.accelerators.join("|")}`;
		const line = this.#lines.get(key);
		if (line) line.jobs.push(job);
		else this.#lines.set(key, { spec: this.#specs.specOf(job), jobs: [job], head: 0 });
	}

	ended(run: Run, why: RunEnd): void {
		for (const node of nodesOf(run)) this.#running.get(node)?.delete(run);
		if (why === "finished") this.#history.add(this.#specs.specOf(run.job), run.job.savedMs);
	}

	decide(): void {
		let first: SeenJob | null = null;
		let reservation: Reservation | null = null;
		const blocked = new Set<Line>();
		for (;;) {
			const line = this.#nextLine(blocked);
			const job = line?.jobs[line.head];
			if (!line || !job) return;
			if (first === null) {
				if (this.#start(line)) continue;
				first = job;
				// Reads past runs at the same moments whether or not a reservation is needed, so that results do not depend on it.
				this.#history.runTimeOf(this.#world.nowMs);
				if (this.#world.pools.every((nodes) => nodes.freeGpus === 0)) return;
			} else if (this.#world.pools.some((nodes) => nodes.canEverFit(job) && nodes.fit(job.nodes, job.gpusPerNode) !== null)) {
				// Expensive, so computed only if a later job has room now.
				reservation ??= this.#reserve(first);
				if (this.#mayJump(job, line.spec, reservation) && this.#start(line)) continue;
			}
			blocked.add(line);
		}
	}

	/** The queue with the earliest first job. */
	#nextLine(blocked: ReadonlySet<Line>): Line | null {
		let first: Line | null = null;
		let least = Number.POSITIVE_INFINITY;
		for (const line of this.#lines.values()) {
			while (line.jobs[line.head]?.givenUp) line.head++;
			const index = line.jobs[line.head]?.index ?? Number.POSITIVE_INFINITY;
			if (index >= least || blocked.has(line)) continue;
			least = index;
			first = line;
		}
		return first;
	}

	#start(line: Line): boolean {
		const job = line.jobs[line.head];
		const run = job && startHome(this.#world, job);
		if (!run) return false;
		line.head++;
		const spec = this.#specs.specOf(job);
		for (const node of nodesOf(run)) {
			const runs = this.#running.get(node);
			if (runs) runs.set(run, spec);
			else this.#running.set(node, new Map([[run, spec]]));
		}
		return true;
	}

	/** The earliest time at which enough nodes have room if everything ends as expected. */
	#reserve(job: SeenJob): Reservation {
		let best: Reservation = { job, atMs: Number.POSITIVE_INFINITY, nodes: new Set() };
		for (const nodes of this.#world.pools) {
			if (!nodes.canEverFit(job)) continue;
			const ready = Array.from({ length: nodes.pool.nodes }, (_, node) => ({ node, atMs: this.#roomAt(nodes, node, job.gpusPerNode) }))
				.sort((a, b) => a.atMs - b.atMs || a.node - b.node)
				.slice(0, job.nodes);
			const atMs = ready.at(-1)?.atMs ?? Number.POSITIVE_INFINITY;
			if (ready.length === job.nodes && atMs < best.atMs)
				best = { job, atMs, nodes: new Set(ready.map(({ node }) => nameOf(nodes, node))) };
		}
		return best;
	}

	/** When that many slots of a node are expected to be free. */
	#roomAt(nodes: HomeNodes, node: number, gpus: number): number {
		let free = nodes.freeOn(node);
		if (free >= gpus) return this.#world.nowMs;
		const running = this.#running.get(nameOf(nodes, node)) ?? [];
		const runs = Array.from(running, ([run, spec]) => ({ run, endMs: this.#expectedEnd(run, spec) }));
		runs.sort((a, b) => a.endMs - b.endMs);
		for (const { run, endMs } of runs) {
			free += run.job.gpusPerNode;
			if (free >= gpus) return endMs;
		}
		return Number.POSITIVE_INFINITY;
	}

	#expectedEnd(run: Run, spec: JobSpec): number {
		const { nowMs } = this.#world;
		const doneMs = run.savedBeforeMs + Math.max(0, nowMs - run.workAtMs) * run.speed;
		const rest = remainingOf(this.#history.runTimeOf(nowMs)(spec), doneMs, null);
		return nowMs + rest.p90Ms / run.speed;
	}

	/** Whether it may start before the reserved job: over in time, or on other nodes. */
	#mayJump(job: SeenJob, spec: JobSpec, reservation: Reservation): boolean {
		const { nowMs } = this.#world;
		for (const nodes of this.#world.pools) {
			const fit = nodes.canEverFit(job) ? nodes.fit(job.nodes, job.gpusPerNode) : null;
			if (!fit) continue;
			const lengthMs = this.#history.runTimeOf(nowMs)(spec).p90Ms / nodes.pool.speed;
			return nowMs + lengthMs <= reservation.atMs || fit.every((node) => !reservation.nodes.has(nameOf(nodes, node)));
		}
		return false;
	}
}

function nodesOf(run: Run): string[] {
	if (!run.home) return [];
	const { nodes, slots } = run.home;
	return [...new Set(slots.map((slot) => nameOf(nodes, Math.floor(slot / nodes.pool.gpusPerNode))))];
}

function nameOf(nodes: HomeNodes, node: number): string {
	return `${nodes.pool.id}/${node}`;
}
