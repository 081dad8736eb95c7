import type { Placement } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { MoveTarget, RefusedLaunch, RunningAttempt } from "#server/scheduling/types.ts";
import { priceAt } from "../billing.ts";
import type { World } from "../engine.ts";
import type { Run } from "../run.ts";

/**
 * An attempt as the core sees it. The object stays the same until a decision changes it. Values that change with time alone (started,
 * saved, next checkpoint) come from the replay's clock, which is constant during a decision.
 */
export class LiveAttempt implements RunningAttempt {
	readonly run: Run;
	readonly jobId: string;
	readonly attemptId: string;
	readonly spec: JobSpec;
	readonly placement: Placement;
	readonly slots: number[];
	readonly placedAtMs: number;
	readonly speed: number;
	readonly completedMs: number;
	readonly stopping: boolean;
	readonly movingTo: MoveTarget | null;
	readonly offerId: string | null;
	readonly refused: readonly RefusedLaunch[];
	readonly expiresAtMs: number | null;
	readonly #world: World;
	/** Undefined, because it changes with time. */
	readonly #fixedPrice: bigint | null | undefined;

	constructor(
		world: World,
		given: {
			run: Run;
			spec: JobSpec;
			expiresAtMs: number | null;
			refused: readonly RefusedLaunch[];
			stopping?: boolean;
			movingTo?: MoveTarget | null;
		},
	) {
		const { run } = given;
		this.#world = world;
		this.run = run;
		this.jobId = run.job.id;
		this.attemptId = `${run.job.id}/${run.attemptNo}`;
		this.spec = given.spec;
		this.placement = placementOf(run);
		this.slots = run.home ? [...run.home.slots] : [];
		this.placedAtMs = run.placedAtMs;
		this.speed = run.speed;
		this.completedMs = run.savedBeforeMs;
		this.stopping = given.stopping ?? false;
		this.movingTo = given.movingTo ?? null;
		this.offerId = run.offer?.id ?? null;
		this.refused = given.refused;
		this.expiresAtMs = given.expiresAtMs;
		if (!run.offer) this.#fixedPrice = null;
		else if (!world.scenario.prices.has(run.offer.id)) {
			const { microUsdPerHour } = run.offer;
			this.#fixedPrice = microUsdPerHour === null ? null : microUsdPerHour * BigInt(run.instances);
		}
	}

	get startedAtMs(): number | null {
		return this.#world.nowMs >= this.run.commandAtMs ? this.run.commandAtMs : null;
	}

	get savedMs(): number {
		return this.run.savedAt(this.#world.nowMs);
	}

	get nextCheckpointAtMs(): number | null {
		const atMs = this.run.nextCheckpointAt(this.#world.nowMs);
		return atMs === Number.POSITIVE_INFINITY ? null : atMs;
	}

	get microUsdPerHour(): bigint | null {
		if (this.#fixedPrice !== undefined) return this.#fixedPrice;
		const { offer, instances } = this.run;
		const price = offer && priceAt(this.#world.scenario, offer, this.#world.nowMs);
		return price === null ? null : price * BigInt(instances);
	}

	with(change: { stopping?: boolean; movingTo?: MoveTarget | null }): LiveAttempt {
		const { run, spec, expiresAtMs, refused, stopping, movingTo } = this;
		return new LiveAttempt(this.#world, { run, spec, expiresAtMs, refused, stopping, movingTo, ...change });
	}
}

function placementOf({ home, offer }: Run): Placement {
	if (offer) {
		const { siteId, provider, region, zone, capacityType, instanceType, accelerator } = offer;
		return { siteId, provider, region, zone, capacityType, instanceType, poolId: null, accelerator };
	}
	const pool = home?.nodes.pool;
	return {
		siteId: pool?.siteId ?? "",
		provider: pool?.provider ?? "slurm",
		region: null,
		zone: null,
		capacityType: "owned",
		instanceType: null,
		poolId: pool?.id ?? null,
		accelerator: pool?.accelerator ?? null,
	};
}
