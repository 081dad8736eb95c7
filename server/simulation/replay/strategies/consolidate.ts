import type { Offer } from "#server/domain/capacity.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { priceAt } from "../billing.ts";
import type { World } from "../engine.ts";
import type { Run, RunEnd, SeenJob } from "../run.ts";
import { Pull } from "./pull.ts";

/**
 * Karpenter's consolidation (karpenter.sh, "Disruption"; `consolidationPolicy: WhenEmptyOrUnderutilized`) on top of `pull`: owned GPUs
 * first, and a cloud machine, on-demand included, is replaced as soon as a cheaper spot machine is available. Three simplifications favor
 * it: it moves only at checkpoints; the replacement's overlap costs nothing, although Karpenter starts it before stopping the old machine;
 * and spot replaces spot without Karpenter's minimum of 15 cheaper machine types.
 */
export class Consolidate extends Pull {
	readonly #cloud: World;
	/** Work after which a machine is replaced, as Karpenter's `consolidateAfter`. */
	readonly #afterMs: number;
	/** Offers for which jobs were stopped, by the job's index. */
	readonly #targets = new Map<number, Offer>();

	constructor(world: World, afterHours = 0) {
		super(world);
		this.#cloud = world;
		this.#afterMs = afterHours * HOUR_MS;
	}

	override ended(run: Run, why: RunEnd): void {
		if (why !== "moved") this.#targets.delete(run.job.index);
		super.ended(run, why);
	}

	override decide(): void {
		super.decide();
		for (const run of this.away.values()) this.#replace(run);
	}

	protected override launched(run: Run): void {
		super.launched(run);
		this.#targets.delete(run.job.index);
		this.#wakeAtCheckpoint(run, Math.max(run.workAtMs, run.workAtMs + this.#afterMs));
	}

	protected override firstChoice(job: SeenJob): Offer | null {
		return this.#targets.get(job.index) ?? null;
	}

	#replace(run: Run): void {
		const { nowMs } = this.#cloud;
		if (run.stop !== null || run.refused || nowMs < run.workAtMs + this.#afterMs || run.nextCheckpointAt(nowMs) !== nowMs) return;
		const target = this.#cheaperThan(run);
		if (target) {
			this.#targets.set(run.job.index, target);
			this.#cloud.stop(run, nowMs, "moved");
		} else this.#wakeAtCheckpoint(run, nowMs + 1);
	}

	#cheaperThan({ job, offer }: Run): Offer | null {
		const { scenario, nowMs } = this.#cloud;
		const priceOf = (of: Offer): number => Number(priceAt(scenario, of, nowMs) ?? 0n);
		if (!offer || offer.capacityType === "reserved") return null;
		for (const candidate of this.ranking.cheapest(job, "spot")) {
			if (priceOf(candidate) >= priceOf(offer)) return null;
			if (this.#cloud.isAvailableNow(candidate)) return candidate;
		}
		return null;
	}

	#wakeAtCheckpoint(run: Run, fromMs: number): void {
		const atMs = run.nextCheckpointAt(fromMs);
		if (Number.isFinite(atMs)) this.#cloud.wakeAt(atMs);
	}
}
