import type { Offer } from "#server/domain/capacity.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { priorModel } from "#server/scheduling/spot-guarantee/learner.ts";
import type { CurrentCapacity, DeadlineState } from "#server/scheduling/spot-guarantee/types.ts";
import {
	chooseUniformProgress,
	type UniformProgressChoice,
	type UniformProgressJob,
} from "#server/scheduling/spot-guarantee/uniform-progress.ts";
import type { Strategy, World } from "../engine.ts";
import type { MeasuredRun } from "../meter.ts";
import type { Run, RunEnd, SeenJob } from "../run.ts";
import { RunHistory } from "../run-history.ts";
import { TraceSpecs } from "../trace-spec.ts";
import { launchOnDemand } from "./cloud-on-demand.ts";
import { EagerSpot } from "./eager-spot.ts";
import { OfferRanking } from "./offer-ranking.ts";
import { Pull, reserve } from "./pull.ts";
import { startHome } from "./start-home.ts";

/** How often the rule is evaluated: the finest step of the paper's traces. */
const REVIEW_MS = 10 * MINUTE_MS;

interface Watched {
	job: SeenJob;
	memory: UniformProgressJob;
	onDemandTries: number;
}

/** The rule looks only at whether a zone is up, not at its quality. */
const MODEL = priorModel();

/**
 * Uniform Progress ("Can't Be Late", NSDI '24; server/scheduling/spot-guarantee/uniform-progress.ts, the paper's reading) for jobs with a
 * strict deadline: spot in the job's cheapest zone, on-demand when it falls behind even progress or nothing else is safe, and waiting in
 * between. It has no owned machines. The paper's rule gets the length of the computation; here it gets the user's limit, or else the P90 of
 * similar jobs, at most the time to the deadline minus one changeover. It sees whether its zone is up, as in the paper. Jobs without a
 * strict deadline are managed as in eager_spot.
 * With `owned`, strict jobs start at home if they fit there and return home at a checkpoint as soon as they fit, which the paper does not
 * cover. The other jobs are managed as in pull.
 */
export class UniformProgress implements Strategy {
	readonly #world: World;
	readonly #owned: boolean;
	readonly #eager: EagerSpot;
	readonly #ranking: OfferRanking;
	readonly #specs: TraceSpecs;
	readonly #history = new RunHistory();
	readonly #watched = new Map<number, Watched>();
	#reviewAtMs = Number.POSITIVE_INFINITY;
	#changed = false;

	constructor(world: World, { owned = false } = {}) {
		this.#world = world;
		this.#owned = owned;
		this.#eager = owned ? new Pull(world) : new EagerSpot(world);
		this.#ranking = new OfferRanking(world);
		this.#specs = new TraceSpecs(world.scenario.checkpointEveryMs);
	}

	arrived(job: SeenJob): void {
		if (job.deadlineAtMs === null || (job.deadlineKind !== "strict" && job.deadlineKind !== null)) {
			this.#eager.arrived(job);
			return;
		}
		const { nowMs, scenario } = this.#world;
		const changeoverMs = scenario.bootMs + scenario.restoreMs;
		const expectedMs = job.limitMs ?? this.#history.runTimeOf(nowMs)(this.#specs.specOf(job)).p90Ms;
		const workMs = Math.max(1, Math.min(expectedMs, job.deadlineAtMs - nowMs - changeoverMs));
		this.#watched.set(job.index, { job, memory: { startedAtMs: nowMs, workMs, locked: false }, onDemandTries: 0 });
		this.#changed = true;
	}

	ended(run: Run, why: RunEnd, _measured: MeasuredRun): void {
		const { job } = run;
		if (why === "finished") this.#history.add(this.#specs.specOf(job), job.savedMs);
		const watched = this.#watched.get(job.index);
		if (!watched) {
			this.#eager.ended(run, why);
			return;
		}
		this.#changed = true;
		if (why === "finished") this.#watched.delete(job.index);
		else if (why === "refused" && run.offer?.capacityType === "on_demand") watched.onDemandTries++;
	}

	decide(): void {
		const { nowMs } = this.#world;
		const isDue = this.#changed || nowMs >= this.#reviewAtMs;
		// Strict jobs take free home slots first.
		if (isDue) this.#reviewAll();
		this.#eager.decide();
		if (!isDue) return;
		if (this.#watched.size === 0 || (this.#reviewAtMs > nowMs && this.#reviewAtMs !== Number.POSITIVE_INFINITY)) return;
		this.#reviewAtMs = nowMs + REVIEW_MS;
		this.#world.wakeAt(this.#reviewAtMs);
	}

	#reviewAll(): void {
		this.#changed = false;
		for (const [index, watched] of this.#watched) {
			if (watched.job.givenUp) this.#watched.delete(index);
			else this.#review(watched);
		}
		if (this.#owned) this.#returnHome();
	}

	#returnHome(): void {
		const { pools, nowMs } = this.#world;
		const free = pools.map((nodes) => nodes.freeGpus);
		const away = [...this.#watched.values()].flatMap(({ job }) => (job.run?.offer ? [job.run] : []));
		for (const { job, stop } of away) if (stop !== null) reserve(job, free);
		for (const run of away) {
			if (run.stop !== null || run.refused || nowMs < run.workAtMs || !reserve(run.job, free)) continue;
			this.#world.stop(run, run.nextCheckpointAt(nowMs), "moved");
		}
	}

	#review(watched: Watched): void {
		const { job, memory } = watched;
		const { run } = job;
		if (run && (run.home || run.stop !== null || run.refused)) return;
		if (this.#owned && !run && startHome(this.#world, job)) return;
		const offer = this.#ranking.cheapest(job, "spot")[0];
		const choice = chooseUniformProgress(this.#stateOf(watched, offer), memory, "paper");
		if (run) this.#change(run, choice);
		else if (choice.on === "on_demand") launchOnDemand(this.#world, this.#ranking, job, watched.onDemandTries);
		else if (choice.on === "spot" && offer) this.#world.launch(job, offer);
	}

	/** It leaves on-demand at its next checkpoint so that nothing is lost, and spot immediately, because the deadline is close. */
	#change(run: Run, choice: UniformProgressChoice): void {
		const { nowMs } = this.#world;
		const isOn = run.offer?.capacityType === "spot" ? "spot" : "on_demand";
		if (choice.on !== isOn) this.#world.stop(run, isOn === "spot" ? nowMs : run.nextCheckpointAt(nowMs), "moved");
	}

	#stateOf({ job, memory }: Watched, offer: Offer | undefined): DeadlineState {
		const { nowMs, scenario } = this.#world;
		const { run } = job;
		const savedMs = run ? run.savedAt(nowMs) : job.savedMs;
		const doneMs = run ? run.savedBeforeMs + Math.max(0, nowMs - run.workAtMs) : savedMs;
		const changeoverMs = scenario.bootMs + scenario.restoreMs;
		const up = offer !== undefined && this.#world.isAvailableNow(offer);
		const zone = offer && { id: offer.id, microUsdPerHour: Number(offer.microUsdPerHour ?? 0n), up, ageMs: 0, model: MODEL };
		return {
			nowMs,
			deadlineMs: job.deadlineAtMs ?? Number.POSITIVE_INFINITY,
			workLeftMs: Math.max(1, memory.workMs - savedMs),
			unsavedMs: doneMs - savedMs,
			checkpointEveryMs: scenario.checkpointEveryMs,
			changeoverMs: { onDemand: changeoverMs, spot: changeoverMs, home: scenario.restoreMs },
			nextChoiceWithinMs: REVIEW_MS,
			on: standingOf(run, nowMs),
			zones: zone ? [zone] : [],
			onDemandMicroUsdPerHour: Number(this.#ranking.cheapest(job, "on_demand")[0]?.microUsdPerHour ?? 0n) || null,
			home: null,
		};
	}
}

function standingOf(run: Run | null, nowMs: number): CurrentCapacity {
	if (!run?.offer) return { kind: "none" };
	const startingMs = Math.max(0, run.workAtMs - nowMs);
	return run.offer.capacityType === "spot" ? { kind: "spot", zoneId: run.offer.id, startingMs } : { kind: "on_demand", startingMs };
}
