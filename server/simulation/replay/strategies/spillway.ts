import type { JobSpec } from "#server/domain/job.ts";
import type { BudgetRule, Policy } from "#server/domain/policy.ts";
import type { Reason } from "#server/domain/reasons.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { judgeJob } from "#server/policy/judge-job.ts";
import { decide } from "#server/scheduling/decide.ts";
import { keptRooms } from "#server/scheduling/kept-room.ts";
import { PREWARM_REVIEW_MS } from "#server/scheduling/prewarm/decide-prewarm.ts";
import { REFUSALS_KEPT_MS } from "#server/scheduling/requests-left.ts";
import { needsGuard } from "#server/scheduling/running/needs-guard.ts";
import type {
	Action,
	DecideMemo,
	MoveTarget,
	OfferRecord,
	PendingJob,
	Plan,
	PoolView,
	RefusedLaunch,
	Snapshot,
} from "#server/scheduling/types.ts";
import { GraphPlans } from "../core/graph-plans.ts";
import { HomeQueue } from "../core/home-queue.ts";
import { KeptPool } from "../core/kept-pool.ts";
import { LiveAttempt } from "../core/live-attempt.ts";
import { MoneyHeld } from "../core/money-held.ts";
import { OfferMemory } from "../core/offer-memory.ts";
import { WorkList } from "../core/work-list.ts";
import type { Strategy, World } from "../engine.ts";
import { GridAhead } from "../grid-ahead.ts";
import { GridRecord } from "../grid-record.ts";
import type { HomeNodes } from "../home-nodes.ts";
import type { KeptMachine } from "../kept-machine.ts";
import type { MeasuredRun } from "../meter.ts";
import type { Run, RunEnd, SeenJob } from "../run.ts";
import { RunHistory } from "../run-history.ts";
import { SpeedHistory } from "../speed-history.ts";
import { TraceSpecs } from "../trace-spec.ts";

/** Facts from our own records that a trace does not contain. */
export interface SpillwayOptions {
	/** Called for every action that a decision takes. */
	onAction?: ((atMs: number, action: Action) => void) | undefined;
	/** Runs that finished before the replay starts, oldest first, and how offers behaved. */
	priorRuns?: readonly { spec: JobSpec; durationMs: number }[];
	priorOffers?: ReadonlyMap<string, OfferRecord>;
	/** Spending on a budget before that, by calendar month (billing.ts, monthOf). */
	spentBefore?: (budget: BudgetRule) => readonly (readonly [month: number, microUsd: bigint])[];
	/** Applies the policy's prewarm rules. Absent: like the live scheduler, which keeps no machines without a job. */
	keepsMachines?: boolean;
	/** Replaces WAITING_TICK_MS, COOLDOWN_MS and run-history's READ_EVERY_MS. */
	waitingTickMs?: number;
	cooldownMs?: number;
	readRunsEveryMs?: number;
}

const NONE_REFUSED: readonly RefusedLaunch[] = [];
/** How often waiting jobs that may burst are considered while nothing happens. */
const WAITING_TICK_MS = MINUTE_MS;
/**
 * How often cloud jobs that could go home are considered while nothing happens: within LIMITS.moveCheckpointWithinMs of each checkpoint.
 */
const MOVING_TICK_MS = 5 * MINUTE_MS;
/** How long a job avoids an offer that reclaimed its machine (the live setting offerCooldownMs). */
const COOLDOWN_MS = 10 * MINUTE_MS;
/** How long a job avoids a region after its API throttled a launch. */
const THROTTLE_PAUSE_MS = MINUTE_MS;
/** Time constant for counting arrivals. */
const ARRIVALS_MS = 3 * HOUR_MS;

function gridOf({ gridOnRecord, gridForecast, grid, startMs }: World["scenario"]): GridRecord | GridAhead | null {
	if (gridOnRecord) return new GridRecord(gridOnRecord);
	return gridForecast ? new GridAhead(grid, startMs, gridForecast.kind, gridForecast.hours) : null;
}

/**
 * Spillway's own core under a policy: builds the snapshot that a live cycle would load, calls the same `decide`, and applies the plan.
 * Start times, refusals and interruptions are learned as they happen; run times are learned from finished jobs.
 */
export class Spillway implements Strategy {
	decisions = 0;
	readonly #world: World;
	readonly #policy: Policy;
	readonly #memo: DecideMemo = { kept: new Map() };
	readonly #specs: TraceSpecs;
	readonly #history: RunHistory;
	/** null: the scenario gives no speeds. */
	readonly #speeds: SpeedHistory | null;
	readonly #options: SpillwayOptions;
	/** Attempts that exceeded their job's maximum run time: the job fails. */
	readonly #overdue = new Set<Run>();
	readonly #money: MoneyHeld;
	readonly graphs: GraphPlans;
	#reservationsSeen = 0;
	readonly #offers: OfferMemory;
	readonly #jobs = new Map<string, SeenJob>();
	readonly #pending = new HomeQueue();
	readonly #running = new WorkList<LiveAttempt>();
	/** Recent refused launches of each job (REFUSALS_KEPT_MS). */
	readonly #refused = new Map<string, readonly RefusedLaunch[]>();
	readonly #pools: { nodes: HomeNodes; version: number; view: PoolView }[];
	readonly #lookers = new WeakMap<JobSpec, boolean>();
	readonly #movesHome: boolean;
	readonly #movesCheaper: boolean;
	/** Set if a rule waits for greener hours and some are on record. */
	readonly #grid: GridRecord | GridAhead | null;
	/** Pending jobs that need more than a free slot: other actions are possible for them, or they wait for something else. */
	readonly #pressing = new Set<string>();
	/** Cloud jobs with other options than going home: spot jobs with a deadline, and all jobs if a rule lets work move to a cheaper offer. */
	readonly #watched = new Set<string>();
	/** Cloud attempts by GPUs. */
	readonly #cloudGpus = new Map<number, number>();
	readonly #kept: readonly KeptPool[];
	#reviewAtMs = 0;
	#changed = false;
	#wakeAtMs = Number.POSITIVE_INFINITY;
	#arrivals = { atMs: 0, gpus: 0 };

	constructor(world: World, policy: Policy, options: SpillwayOptions = {}) {
		this.#options = options;
		this.#history = new RunHistory(options.readRunsEveryMs);
		for (const { spec, durationMs } of options.priorRuns ?? []) this.#history.add(spec, durationMs);
		this.#world = world;
		this.#speeds = world.scenario.throughput ? new SpeedHistory(world.scenario.throughput) : null;
		this.#policy = policy;
		this.#specs = new TraceSpecs(world.scenario.checkpointEveryMs);
		this.#money = new MoneyHeld(policy, options.spentBefore);
		this.graphs = new GraphPlans({ policy, money: this.#money, snapshot: () => this.#snapshot() });
		this.#offers = new OfferMemory(world, options.priorOffers);
		const rules = options.keepsMachines ? policy.rules : [];
		this.#kept = rules.flatMap((rule) => (rule.effect.kind === "prewarm" ? new KeptPool(world, policy, rule, rule.effect) : []));
		this.#pools = world.pools.map((nodes) => ({ nodes, version: nodes.version, view: viewOf(nodes) }));
		const waits = policy.rules.some(({ effect }) => effect.kind === "defer" && effect.to === "greener");
		this.#grid = waits ? gridOf(world.scenario) : null;
		this.#movesCheaper = policy.rules.some(({ effect }) => effect.kind === "move" && effect.to.includes("cheaper"));
		this.#movesHome = policy.rules.some(({ effect }) => effect.kind === "move");
	}

	arrived(job: SeenJob): void {
		const spec = this.#specs.specOf(job);
		this.#jobs.set(job.id, job);
		this.#countArrival(job);
		this.#wait(job, spec, []);
	}

	ended(run: Run, why: RunEnd, measured: MeasuredRun): void {
		const { job } = run;
		const live = this.#running.get(job.id);
		const spec = live?.spec ?? this.#specs.specOf(job);
		this.#running.delete(job.id);
		this.#watched.delete(job.id);
		this.#money.settle(run, measured.costByMonth);
		this.#changed = true;
		this.#speeds?.add(spec, run, measured.endMs);
		if (run.offer) {
			this.#countCloud(run, -1);
			let free = run.instances;
			for (const pool of this.#kept) free -= pool.ended(run, spec, why, free);
			if (why !== "refused") this.#offers.ended(run, why === "interrupted");
		}
		if (why === "finished") {
			this.#refused.delete(job.id);
			this.#jobs.delete(job.id);
			this.#history.add(spec, job.savedMs);
			return;
		}
		if (why === "withdrawn" || why === "cut_off") return;
		if (this.#overdue.delete(run)) {
			this.#jobs.delete(job.id);
			this.#world.giveUp(job);
			return;
		}
		this.#wait(job, spec, this.#avoided(run, why), why === "moved" ? (live?.movingTo ?? null) : null);
	}

	withdrawn(job: SeenJob): void {
		this.#forget(job.id);
		this.#jobs.delete(job.id);
		this.#changed = true;
	}

	/** Why the pending jobs considered by a decision wait, as a live cycle would report it now. */
	waiting(): Map<string, Reason> {
		return decide(this.#snapshot(), { brief: true }).waiting;
	}

	/** Charges to a budget of the policy in each of its periods (core/money-held.ts). */
	posted(budget: BudgetRule): Map<number, bigint> {
		return this.#money.posted(budget);
	}

	/** Reviews the machines without a job. */
	#review(): void {
		const { nowMs } = this.#world;
		if (this.#kept.length === 0 || nowMs < this.#reviewAtMs) return;
		for (const pool of this.#kept) pool.review(this.#offers.offers());
		this.#reviewAtMs = nowMs + PREWARM_REVIEW_MS;
		// Otherwise a job that never starts would keep the replay going.
		if (this.#world.hasArrivals || this.#running.size > 0) this.#world.wakeAt(this.#reviewAtMs);
	}

	lost(machine: KeptMachine): void {
		for (const pool of this.#kept) if (pool.idle.has(machine)) pool.lost(machine);
	}

	decide(): void {
		this.#review();
		if (!this.shouldDecide()) {
			this.#wakeLater();
			return;
		}
		this.decisions++;
		this.#changed = false;
		const { actions, copyAhead } = decide(this.#snapshot(), { memo: this.#memo, actionsOnly: true });
		for (const action of actions) {
			this.#options.onAction?.(this.#world.nowMs, action);
			this.#apply(action);
		}
		if (actions.length > 0) this.#changed = true;
		if (copyAhead) this.#copy(copyAhead);
		this.#wakeLater();
	}

	/** Starts the copies that launches wait for, and schedules a decision when one is complete. */
	#copy(asked: NonNullable<Plan["copyAhead"]>): void {
		const { data, nowMs } = this.#world;
		for (const { place, uris } of asked.values()) {
			const thereMs = data.copyAhead(place, uris, nowMs);
			if (thereMs <= nowMs || thereMs >= this.#wakeAtMs) continue;
			this.#wakeAtMs = thereMs;
			this.#world.wakeAt(thereMs);
		}
	}

	/** Whether a decision can have an effect: a job is waiting or cloud work could go home, and something changed or the next tick is due. */
	shouldDecide(): boolean {
		const due = this.#world.nowMs >= this.#wakeAtMs;
		// Work returns home only at checkpoints, so every MOVING_TICK_MS is often enough.
		if (due && this.#couldGoHome()) return true;
		if (due && this.#watched.size > 0) return true;
		return (due || this.#changed) && (this.#pressing.size > 0 || (this.#pending.size > 0 && this.#hasFreeSlot()));
	}

	#hasFreeSlot(): boolean {
		return this.#world.pools.some((nodes) => nodes.freeGpus > 0);
	}

	#couldGoHome(): boolean {
		if (!this.#movesHome || this.#cloudGpus.size === 0) return false;
		let least = Number.POSITIVE_INFINITY;
		for (const gpus of this.#cloudGpus.keys()) least = Math.min(least, gpus);
		return this.#world.pools.some((nodes) => nodes.freeGpus >= least);
	}

	#wakeLater(): void {
		const { nowMs } = this.#world;
		if (this.#wakeAtMs <= nowMs) this.#wakeAtMs = Number.POSITIVE_INFINITY;
		const watches = this.#watched.size > 0 || this.#couldGoHome();
		const tickMs = this.#pressing.size > 0 ? (this.#options.waitingTickMs ?? WAITING_TICK_MS) : watches ? MOVING_TICK_MS : null;
		if (tickMs === null || nowMs + tickMs >= this.#wakeAtMs) return;
		this.#wakeAtMs = nowMs + tickMs;
		this.#world.wakeAt(this.#wakeAtMs);
	}

	#snapshot(): Snapshot {
		const { nowMs, scenario } = this.#world;
		const data = this.#world.data.seenAt(nowMs);
		this.#refreshReservations();
		for (const pool of this.#pools) {
			if (pool.version === pool.nodes.version) continue;
			pool.version = pool.nodes.version;
			pool.view = { ...pool.view, freeSlots: pool.nodes.freeSlots() };
		}
		return {
			nowMs,
			seed: scenario.seed,
			policy: this.#policy,
			policyVersion: 1,
			pools: this.#pools.map(({ view }) => view),
			offers: this.#offers.offers(),
			pending: this.#pending.list(),
			running: this.#running.list(),
			budgets: this.#money.views(nowMs),
			durations: this.#history.stats(nowMs),
			priceMaxAgeMs: Number.MAX_SAFE_INTEGER,
			cloudStartMs: scenario.cloudStartMs ?? { p50Ms: scenario.bootMs, p90Ms: scenario.bootMs },
			boardWatts: scenario.boardWatts,
			restoreMs: scenario.restoreMs,
			offerRecords: this.#offers.records(),
			arrivingGpusPerHour: this.#arrivingGpusPerHour(),
			...(data ? { data } : {}),
			...(scenario.mounts ? { mounts: scenario.mounts } : {}),
			...(this.#speeds ? { throughput: this.#speeds.view(nowMs) } : {}),
			...(this.#grid ? { gridForecast: this.#grid.ahead(nowMs) } : {}),
		};
	}

	/** Pending jobs of pipelines see what their pipeline has left now. */
	#refreshReservations(): void {
		if (this.#reservationsSeen === this.#money.reservationVersion) return;
		this.#reservationsSeen = this.#money.reservationVersion;
		for (const waiting of [...this.#pending.list()]) {
			const pipelineId = this.#jobs.get(waiting.jobId)?.pipelineId ?? null;
			if (pipelineId === null) continue;
			const { reservation: _before, ...rest } = waiting;
			this.#pending.replace({ ...rest, ...this.#reservationOf(pipelineId) });
		}
	}

	#reservationOf(pipelineId: string | null): Pick<PendingJob, "reservation"> {
		const reservation = pipelineId === null ? null : this.#money.reservationOf(pipelineId);
		return reservation ? { reservation } : {};
	}

	#apply(action: Action): void {
		const job = this.#jobs.get(action.jobId);
		if (!job) return;
		switch (action.kind) {
			case "place_home": {
				const nodes = this.#world.pools.find(({ pool }) => pool.id === action.poolId);
				if (nodes) this.#began(job, this.#world.placeHome(job, nodes, action.slots), null);
				return;
			}
			case "launch": {
				const spec = this.#pending.get(job.id)?.spec ?? this.#specs.specOf(job);
				let took: readonly KeptMachine[] = [];
				for (const pool of this.#kept) if (took.length === 0) took = pool.take(job, spec, action.offer);
				const run = this.#world.launch(job, action.offer, action.lifeMs, took);
				for (const pool of this.#kept) pool.started(run, spec, took);
				this.#money.hold(run, action.budgetIds, action.holdMicroUsd);
				this.#offers.launched(run);
				this.#countCloud(run, 1);
				this.#began(job, run, run.placedAtMs + action.lifeMs);
				return;
			}
			case "hold":
			case "release": {
				const waiting = this.#pending.get(job.id);
				if (waiting) this.#pending.replace({ ...waiting, state: action.kind === "hold" ? "held" : "queued" });
				return;
			}
			case "fail":
				this.#forget(job.id);
				this.#world.giveUp(job);
				return;
			case "stop":
			case "evict":
				if (action.kind === "evict") this.#keepRoom(action);
				else if (action.reason.code === "max_duration_exceeded") this.#noteOverdue(job);
				this.#stop(job, this.#world.nowMs, action.kind === "stop" ? "stopped" : "evicted", null);
				return;
			case "move":
				this.#stop(job, action.atMs, "moved", action.to);
				return;
		}
	}

	#noteOverdue({ run }: SeenJob): void {
		if (run) this.#overdue.add(run);
	}

	/** Reserves the freed room for the job it was made for. A live cycle derives this from the eviction's reason. */
	#keepRoom({ forJobId, reason }: Extract<Action, { kind: "evict" }>): void {
		const { nowMs } = this.#world;
		const room = keptRooms([{ stopReason: reason, askedAtMs: nowMs, endedAtMs: null }], nowMs).get(forJobId);
		const waiting = this.#pending.get(forJobId);
		if (room && waiting) this.#pending.replace({ ...waiting, room });
	}

	#began(job: SeenJob, run: Run, expiresAtMs: number | null): void {
		const spec = this.#pending.get(job.id)?.spec ?? this.#specs.specOf(job);
		this.#forget(job.id);
		const live = new LiveAttempt(this.#world, { run, spec, expiresAtMs, refused: this.#refused.get(job.id) ?? NONE_REFUSED });
		this.#running.set(live);
		if (run.offer && (this.#movesCheaper || needsGuard(live))) this.#watched.add(job.id);
	}

	#stop(job: SeenJob, atMs: number, why: "stopped" | "evicted" | "moved", movingTo: MoveTarget | null): void {
		const live = this.#running.get(job.id);
		if (!live) return;
		this.#running.set(live.with({ stopping: atMs <= this.#world.nowMs, movingTo }));
		this.#world.stop(live.run, atMs, why);
	}

	#wait(job: SeenJob, spec: JobSpec, avoidOffers: PendingJob["avoidOffers"], movingTo: MoveTarget | null = null): void {
		const pending: PendingJob = {
			jobId: job.id,
			spec,
			state: "queued",
			submittedAtMs: job.submittedAtMs,
			pendingSinceMs: job.pendingSinceMs,
			nextAttemptNo: job.attempts + 1,
			completedMs: job.savedMs,
			avoidOffers,
			refused: this.#refused.get(job.id) ?? NONE_REFUSED,
			approvedMicroUsd: job.recorded?.approvedMicroUsd ?? null,
			movingTo,
			// Set from the start: adding it later would make V8 discard its compiled code for pending jobs.
			room: null,
			...this.#reservationOf(job.pipelineId),
		};
		const presses = this.#looksAround(spec) || spec.deadlineMs !== null || movingTo !== null;
		this.#pending.add(pending, !presses);
		if (presses) this.#pressing.add(job.id);
		this.#changed = true;
	}

	/** Removes it from the pending jobs. */
	#forget(jobId: string): void {
		this.#pressing.delete(jobId);
		this.#pending.delete(jobId);
	}

	/** Whether it may leave home, or be deferred to an hour in which nothing else needs to happen. */
	#looksAround(spec: JobSpec): boolean {
		const known = this.#lookers.get(spec);
		if (known !== undefined) return known;
		const { burst, defers } = judgeJob(this.#policy, spec);
		const looks = burst.length > 0 || defers.length > 0;
		this.#lookers.set(spec, looks);
		return looks;
	}

	#avoided(run: Run, why: RunEnd): PendingJob["avoidOffers"] {
		if (!run.offer) return [];
		const { nowMs } = this.#world;
		const offerId = run.offer.id;
		// The live loop retries a throttled call and learns nothing about the offer.
		if (run.throttled) return this.#offers.throttled(run).map((id) => ({ offerId: id, untilMs: nowMs + THROTTLE_PAUSE_MS }));
		if (why === "refused") {
			this.#refused.set(run.job.id, [
				...(this.#refused.get(run.job.id) ?? []).filter(({ atMs }) => nowMs - atMs < REFUSALS_KEPT_MS),
				{ offerId, atMs: nowMs },
			]);
			return [{ offerId, untilMs: this.#offers.refused(run) }];
		}
		return why === "interrupted" ? [{ offerId, untilMs: nowMs + (this.#options.cooldownMs ?? COOLDOWN_MS) }] : [];
	}

	#countCloud(run: Run, by: 1 | -1): void {
		const left = (this.#cloudGpus.get(run.job.gpus) ?? 0) + by;
		if (left > 0) this.#cloudGpus.set(run.job.gpus, left);
		else this.#cloudGpus.delete(run.job.gpus);
	}

	#countArrival(job: SeenJob): void {
		const { nowMs } = this.#world;
		this.#arrivals = { atMs: nowMs, gpus: this.#arrivalsNow() + job.gpus };
	}

	#arrivalsNow(): number {
		return this.#arrivals.gpus * Math.exp(-(this.#world.nowMs - this.#arrivals.atMs) / ARRIVALS_MS);
	}

	#arrivingGpusPerHour(): number {
		return this.#arrivalsNow() / (ARRIVALS_MS / HOUR_MS);
	}
}

function viewOf(nodes: HomeNodes): PoolView {
	return { multiNode: true, provider: "slurm", ...nodes.pool, healthy: true, freeSlots: nodes.freeSlots() };
}
