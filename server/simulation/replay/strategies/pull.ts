import type { World } from "../engine.ts";
import type { Run, RunEnd, SeenJob } from "../run.ts";
import { EagerSpot } from "./eager-spot.ts";

/**
 * The simplest good rule: owned GPUs if the job fits there now, else the cheapest spot offer that accepts (else on-demand), and back home
 * at a checkpoint as soon as it fits. The smallest job goes first, to fill freed slots. It uses no run times.
 */
export class Pull extends EagerSpot {
	readonly #home: World;
	/** Live cloud attempts by their job's index. */
	protected readonly away = new Map<number, Run>();

	constructor(world: World) {
		super(world);
		this.#home = world;
	}

	override ended(run: Run, why: RunEnd): void {
		this.away.delete(run.job.index);
		super.ended(run, why);
	}

	override decide(): void {
		super.decide();
		const { pools, nowMs } = this.#home;
		const free = pools.map((nodes) => nodes.freeGpus);
		const inFlight = [...this.away.values()].filter(({ stop }) => stop !== null);
		for (const { job } of inFlight) reserve(job, free);
		if (!free.some((gpus) => gpus > 0)) return;
		for (const run of [...this.away.values()].sort((a, b) => a.job.gpus - b.job.gpus || a.job.index - b.job.index)) {
			if (run.stop !== null || run.refused || nowMs < run.workAtMs) continue;
			if (!reserve(run.job, free)) continue;
			this.#home.stop(run, run.nextCheckpointAt(nowMs), "moved");
		}
	}

	protected override launched(run: Run): void {
		this.away.set(run.job.index, run);
	}
}

/** Takes the job's GPUs from the first pool that has enough. */
export function reserve(job: SeenJob, free: number[]): boolean {
	const place = free.findIndex((gpus) => gpus >= job.gpus);
	if (place < 0) return false;
	free[place] = (free[place] ?? 0) - job.gpus;
	return true;
}
