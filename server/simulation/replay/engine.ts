import type { Offer, OfferQuota } from "#server/domain/capacity.ts";
import type { RunSpec } from "#server/domain/pipeline/pipeline.ts";
import { assert } from "#server/kernel/assert.ts";
import { hash32 } from "#server/kernel/random.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { NO_STAGING } from "#server/scheduling/data.ts";
import { LIMITS } from "#server/scheduling/limits.ts";
import { availableUntil, isAvailable } from "./availability.ts";
import { EventQueue } from "./event-queue.ts";
import type { GraphPlanner } from "./graphs/graph-planner.ts";
import { GraphRuns, traceJobOf } from "./graphs/graph-runs.ts";
import type { LiveGraph } from "./graphs/live-graph.ts";
import { reportGraphs } from "./graphs/report-graphs.ts";
import { HomeNodes } from "./home-nodes.ts";
import { ReplayJob } from "./job.ts";
import { JobFigures } from "./job-figures.ts";
import { type KeptHow, KeptMachine, startFromStoppedMs } from "./kept-machine.ts";
import { type MeasuredRun, Meter } from "./meter.ts";
import { isAllowedIn, ReplayData } from "./replay-data.ts";
import type { SeenJob } from "./run.ts";
import { placeOf, Run, type RunEnd } from "./run.ts";
import { trueSpeed } from "./true-speeds.ts";
import type { ReplayedPipeline, ReplayPipeline, ReplayReport, ReplayScenario, TraceJob } from "./types.ts";

/** Decides placements. Events are reported first; `decide` is called once all events of a moment are reported. */
export interface Strategy {
	arrived(job: SeenJob): void;
	/** The attempt ended. Unless it finished, its job is pending again. */
	ended(run: Run, why: RunEnd, measured: MeasuredRun): void;
	/** A machine without a job was refused or reclaimed. */
	lost?(machine: KeptMachine): void;
	decide(): void;
	/** The job was cancelled while it was waiting. */
	withdrawn?(job: SeenJob): void;
	/** Places whole graphs. Absent: each step is a job with its pipeline's deadline. */
	readonly graphs?: GraphPlanner;
	/** Number of decisions actually made. Absent: every call counts. */
	readonly decisions?: number;
}

/** What a strategy may see and do. It sees the present only, not how long a job runs or when capacity comes and goes. */
export interface World {
	readonly nowMs: number;
	/** Whether jobs may still be submitted. */
	readonly hasArrivals: boolean;
	readonly scenario: Readonly<Omit<ReplayScenario, "availability">>;
	readonly pools: readonly HomeNodes[];
	/** Starts a job in free slots. */
	placeHome(job: SeenJob, nodes: HomeNodes, slots: readonly number[]): Run;
	/** Requests the job's machines; refused after scenario.refusalMs when there are none. They end themselves after `lifeMs`. */
	launch(job: SeenJob, offer: Offer, lifeMs?: number, kept?: readonly KeptMachine[]): Run;
	/** Launches a machine without a job; refused after scenario.refusalMs when there is none. */
	keep(offer: Offer, how: KeptHow): KeptMachine;
	/** Keeps a machine of a cloud attempt that has just ended. */
	keepAfter(run: Run, how: KeptHow): KeptMachine;
	/** Ends a machine without a job. */
	endKept(machine: KeptMachine): void;
	/** Ends an attempt at a moment. Work saved by then is kept; slots or instances are released when its processes have ended. */
	stop(run: Run, atMs: number, why: "evicted" | "moved" | "stopped"): void;
	/** Marks a job that no strategy can ever run. */
	giveUp(job: SeenJob): void;
	/** Schedules a call of `decide`, whatever else happens. */
	wakeAt(atMs: number): void;
	/** What a provider's own listing currently says about an offer. Only for strategies modeled on users with such a listing. */
	isAvailableNow(offer: Offer): boolean;
	/** Reserved machines that are free now; 0 after the reservation ends. Infinite for other capacity types. */
	reservedFree(offer: Offer): number;
	/** Current use of the quota that covers the offer, in the quota's unit; 0 without a quota. */
	quotaUsed(offer: Offer): number;
	readonly data: ReplayData;
}

export interface EngineOptions {
	onProgress?: ((done: number, total: number) => void) | undefined;
	/** Called for every attempt that ends, and for every job that arrives or ends. */
	onRun?: ((measured: MeasuredRun) => void) | undefined;
	/** Called for every run of a pipeline that becomes a job. */
	onRelease?: ((job: TraceJob) => void) | undefined;
	onEvent?: ((atMs: number, what: string, run: Run | SeenJob) => void) | undefined;
	/** Called for every job that arrives. The replay itself releases jobs that are over. */
	onJob?: ((job: ReplayJob) => void) | undefined;
	/** Called for every machine that is no longer kept without a job. */
	onKept?: ((machine: KeptMachine, toMs: number) => void) | undefined;
	/** UTC ms at which the replay ends, whatever still runs or waits. Absent: when every job is over. */
	untilMs?: number | undefined;
	/** Called at `untilMs`, before running attempts are cut off. */
	onCutOff?: (() => void) | undefined;
}

type EngineReport = Omit<ReplayReport, "overshootUsd" | "decisions" | "decisionsPerSecond" | "replaySeconds">;

interface Event {
	kind: "finish" | "interrupt" | "refuse" | "expire" | "stop" | "stopped" | "wake" | "withdraw" | "pipeline" | "lose" | "report";
	run: Run | null;
	/** The job that a person cancels. */
	job?: ReplayJob;
	/** The pipeline to submit. */
	pipeline?: ReplayPipeline;
	/** The machine without a job that is refused or reclaimed. */
	machine?: KeptMachine;
	/** The step that the run's metric reaches. */
	step?: number;
}

const WAKE: Event = { kind: "wake", run: null };
/** Time from the request to stop until the slots are free: Slurm's KillWait, 30 s by default (slurm.conf). */
const STOP_MS = 30 * SECOND_MS;
const PROGRESS_EVERY = 1024;

/**
 * A lean discrete-event replay: no driver faults, but capacity is refused and reclaimed as recorded. Work is saved every checkpointEveryMs.
 * An attempt that ends early loses its boot, staging and restore time and the work since the last checkpoint.
 */
export class Engine implements World {
	readonly scenario: ReplayScenario;
	readonly pools: readonly HomeNodes[];
	/** Jobs of the trace, in order of submission. */
	readonly #trace: readonly TraceJob[];
	/** Jobs that arrived and are not over, by index. Others are not kept: a long trace would not fit in memory. */
	readonly #live = new Map<number, ReplayJob>();
	readonly #figures: JobFigures;
	readonly #graphs: GraphRuns;
	readonly #gpusPerNode: number;
	readonly meter: Meter;
	readonly data: ReplayData;
	/** Free reserved machines by offer id. Kept here because an offer that a strategy holds may show an older count. */
	readonly #reservedFree: Map<string, number>;
	/** What live machines use, by quota and region. */
	readonly #quotaUsed = new Map<string, number>();
	/** Launch requests of the current minute, by `provider:region`. */
	readonly #requests = new Map<string, { minute: number; count: number }>();
	readonly #options: EngineOptions;
	readonly #events = new EventQueue<Event>();
	/** Machines without a job. */
	readonly #kept = new Set<KeptMachine>();
	#machines = 0;
	readonly #stopMs: number;
	#nowMs: number;
	#nextArrival = 0;
	/** Jobs of the trace and of pipelines so far. */
	#known: number;
	#left: number;
	#decisions = 0;

	constructor(traceJobs: readonly TraceJob[], scenario: ReplayScenario, options: EngineOptions = {}) {
		this.scenario = scenario;
		this.pools = scenario.pools.map((pool) => new HomeNodes(pool));
		const widest = scenario.pools.reduce((most, pool) => Math.max(most, pool.gpusPerNode), 0);
		this.#gpusPerNode = widest || scenario.offers.reduce((most, offer) => Math.max(most, offer.gpus), 1);
		this.#trace = [...traceJobs].sort((a, b) => a.submitMs - b.submitMs);
		this.data = new ReplayData(scenario);
		this.#graphs = new GraphRuns(scenario);
		for (const pipeline of scenario.pipelines ?? [])
			this.#events.push(scenario.startMs + pipeline.submitMs, { kind: "pipeline", run: null, pipeline });
		this.meter = new Meter(scenario, this.data);
		this.#figures = new JobFigures((job) => this.meter.leastMs(job));
		this.#reservedFree = new Map(scenario.offers.map((offer) => [offer.id, offer.reservedFree ?? 0]));
		this.#options = options;
		this.#stopMs = scenario.stopMs ?? STOP_MS;
		this.#nowMs = scenario.startMs;
		this.#known = this.#trace.length;
		this.#left = this.#known;
	}

	get nowMs(): number {
		return this.#nowMs;
	}

	get hasArrivals(): boolean {
		return this.#nextArrival < this.#trace.length || this.#graphs.isLive;
	}

	get decisions(): number {
		return this.#decisions;
	}

	#makeJob(job: TraceJob, index: number): ReplayJob {
		const { startMs, throughput } = this.scenario;
		return new ReplayJob(job, index, startMs, this.#gpusPerNode, this.data.readBy(job.team), throughput);
	}

	/** The report without what only the caller knows, once `run` has returned. */
	report(strategy: string): EngineReport {
		// The misses come last: reports are compared as text.
		const { strictMisses, avoidableStrictMisses, softMisses, ...waits } = this.#figures.report();
		const capacity = this.meter.report(this.#figures.firstMs);
		return { strategy, ...waits, ...capacity, strictMisses, avoidableStrictMisses, softMisses };
	}

	/** Results of the pipelines, in order of submission. Absent: the scenario has none. */
	reportPipelines(): ReplayedPipeline[] | null {
		if (!this.scenario.pipelines) return null;
		const jobOf = (graph: LiveGraph, run: RunSpec, step: number): ReplayJob => {
			const hasWritten = (name: string): boolean => graph.hasSucceeded(name);
			const given = { id: run.name, run, step, deadlineMs: null, submitMs: 0, hasWritten, fails: false };
			return this.#makeJob(traceJobOf(this.scenario, graph.pipeline, given), -1);
		};
		return reportGraphs(this.#graphs.all, (graph, run, step) => this.meter.leastMs(jobOf(graph, run, step)));
	}

	/** Replays until every job is done or given up, or no events remain. */
	run(strategy: Strategy): void {
		let steps = 0;
		const { untilMs = Number.POSITIVE_INFINITY } = this.#options;
		while (this.#left > 0 || this.#graphs.isLive) {
			const atMs = Math.min(this.#nextArrivalMs, this.#events.nextMs);
			if (atMs === Number.POSITIVE_INFINITY || atMs > untilMs) break;
			assert(atMs >= this.#nowMs, "time does not go back");
			this.#nowMs = atMs;
			while (this.#events.nextMs <= atMs) this.#handle(strategy, this.#events.pop() ?? WAKE);
			while (this.#nextArrivalMs <= atMs) this.#submitNext(strategy);
			this.#release(strategy);
			this.#decisions++;
			strategy.decide();
			if (++steps % PROGRESS_EVERY === 0) this.#options.onProgress?.(this.#known - this.#left, this.#known);
		}
		if (untilMs !== Number.POSITIVE_INFINITY) this.#cutOff(strategy, untilMs);
		for (const machine of [...this.#kept]) this.endKept(machine);
		this.#countUnfinished();
		this.#options.onProgress?.(this.#known - this.#left, this.#known);
	}

	/** Submission of the next job of the trace, UTC ms; infinite after the last one. */
	get #nextArrivalMs(): number {
		const next = this.#trace[this.#nextArrival];
		return next ? this.scenario.startMs + next.submitMs : Number.POSITIVE_INFINITY;
	}

	#submitNext(strategy: Strategy): void {
		const index = this.#nextArrival++;
		const trace = this.#trace[index];
		if (!trace) return;
		const job = this.#makeJob(trace, index);
		const withdrawnMs = job.recorded?.withdrawnMs ?? null;
		if (withdrawnMs !== null) this.#events.push(this.scenario.startMs + withdrawnMs, { kind: "withdraw", run: null, job });
		this.#arrive(strategy, job);
	}

	#arrive(strategy: Strategy, job: ReplayJob): void {
		this.#live.set(job.index, job);
		this.#options.onJob?.(job);
		this.#options.onEvent?.(this.#nowMs, "submitted", job);
		strategy.arrived(job);
	}

	/** The job is done, given up or cancelled. */
	#close(job: ReplayJob): void {
		this.#left--;
		this.#live.delete(job.index);
		this.#figures.add(job);
	}

	#countUnfinished(): void {
		for (const job of this.#live.values()) this.#figures.add(job);
		for (let index = this.#nextArrival; index < this.#trace.length; index++) {
			const trace = this.#trace[index];
			if (trace) this.#figures.add(this.#makeJob(trace, index));
		}
	}

	/** Makes jobs of the runs that can start now. */
	#release(strategy: Strategy): void {
		for (const trace of this.#graphs.release(strategy.graphs, this.#nowMs)) {
			const job = this.#makeJob(trace, this.#known++);
			this.#left++;
			this.#graphs.began(job);
			this.#options.onRelease?.(trace);
			this.#arrive(strategy, job);
		}
	}

	#cutOff(strategy: Strategy, untilMs: number): void {
		this.#nowMs = Math.max(this.#nowMs, untilMs);
		this.#options.onCutOff?.();
		const byIndex = [...this.#live.values()].sort((a, b) => a.index - b.index);
		for (const { run } of byIndex) if (run) this.#end(strategy, run, "cut_off");
	}

	placeHome(seen: SeenJob, nodes: HomeNodes, slots: readonly number[]): Run {
		assert(slots.length === seen.gpus, `job ${seen.id} needs ${seen.gpus} slots, got ${slots.length}`);
		nodes.take(slots);
		return this.#begin(seen, {
			home: { nodes, slots },
			offer: null,
			bootMs: 0,
			staging: NO_STAGING,
			speed: this.#speedOn(seen, nodes.pool.accelerator, nodes.pool.speed),
		});
	}

	keep(offer: Offer, how: KeptHow): KeptMachine {
		const id = `kept-${++this.#machines}`;
		const refused = this.#isThrottled(offer) || this.#isRefused({ id: `${id}/1`, instances: 1 }, offer);
		const readyAtMs = this.#nowMs + this.scenario.bootMs;
		const machine = new KeptMachine({ ...how, id, offer, sinceMs: this.#nowMs, readyAtMs, refused, hasRun: false });
		if (refused) this.#events.push(this.#nowMs + this.scenario.refusalMs, { kind: "lose", run: null, machine });
		else this.#hold(machine);
		return machine;
	}

	keepAfter({ offer }: Run, how: KeptHow): KeptMachine {
		assert(offer !== null, "only cloud machines are kept");
		const [id, nowMs] = [`kept-${++this.#machines}`, this.#nowMs];
		const machine = new KeptMachine({ ...how, id, offer, sinceMs: nowMs, readyAtMs: nowMs, refused: false, hasRun: true });
		this.#hold(machine);
		return machine;
	}

	endKept(machine: KeptMachine): void {
		assert(!machine.over && !machine.refused, `machine ${machine.id} is over`);
		machine.over = true;
		this.#kept.delete(machine);
		if (!machine.stopped) this.#countQuota(machine.offer, -1);
		machine.costMicroUsd = this.meter.measureKept(machine, this.#nowMs);
		this.#options.onKept?.(machine, this.#nowMs);
	}

	#hold(machine: KeptMachine): void {
		this.#kept.add(machine);
		// Quotas count running machines, and a stopped one holds no capacity that could be reclaimed.
		if (machine.stopped) return;
		this.#countQuota(machine.offer, 1);
		const goneMs = Math.min(
			this.#unavailableAt(machine.offer),
			this.#nowMs + this.#takenAfter({ id: machine.id, instances: 1 }, machine.offer),
		);
		if (goneMs !== Number.POSITIVE_INFINITY) this.#events.push(goneMs, { kind: "lose", run: null, machine });
	}

	/** When the recorded availability of the offer next ends, UTC ms; infinite without a record. */
	#unavailableAt(offer: Offer): number {
		const trace = this.scenario.availability.get(offer.id);
		return trace ? this.scenario.startMs + availableUntil(trace, this.#nowMs - this.scenario.startMs) : Number.POSITIVE_INFINITY;
	}

	launch(seen: SeenJob, offer: Offer, lifeMs = Number.POSITIVE_INFINITY, kept: readonly KeptMachine[] = []): Run {
		assert(offer.gpus >= seen.gpusPerNode, `offer ${offer.id} has too few GPUs for job ${seen.id}`);
		assert(isAllowedIn(seen.data, offer), `data of job ${seen.id} must not leave its area, and ${offer.id} lies outside`);
		// Only Spillway has data copied into stores.
		const staging = this.data.staging(seen.data, offer, seen.submittedAtMs);
		const speed = this.#speedOn(seen, offer.accelerator, 1);
		assert(kept.length === 0 || kept.length === seen.nodes, `job ${seen.id} needs ${seen.nodes} machines`);
		const run = this.#begin(seen, { home: null, offer, bootMs: this.#bootMsOf(kept), staging, speed });
		run.continues = kept.length > 0 && kept.every(({ stopped }) => !stopped);
		run.throttled = !run.continues && this.#isThrottled(offer);
		if (run.continues) for (const machine of kept) this.endKept(machine);
		else if (run.throttled || this.#isRefused({ id: `${run.job.id}/${run.attemptNo}`, instances: run.instances }, offer)) {
			run.refused = true;
			this.#events.push(this.#nowMs + this.scenario.refusalMs, { kind: "refuse", run });
			return run;
		} else for (const machine of kept) this.endKept(machine);
		this.#countQuota(offer, run.instances);
		if (offer.capacityType === "reserved") {
			this.#countReserved(offer, run.instances);
			const { availableUntilMs = null } = offer;
			if (availableUntilMs !== null) this.#events.push(availableUntilMs, { kind: "expire", run });
		}
		this.#endsBySelf(run, offer, lifeMs);
		return run;
	}

	/** Schedules the end of a cloud attempt's machines: their life is over, or the cloud reclaims them. */
	#endsBySelf(run: Run, offer: Offer, lifeMs: number): void {
		if (lifeMs !== Number.POSITIVE_INFINITY) this.#events.push(this.#nowMs + lifeMs, { kind: "expire", run });
		const untilMs = this.#unavailableAt(offer);
		if (untilMs !== Number.POSITIVE_INFINITY) this.#events.push(untilMs, { kind: "interrupt", run });
		const takenMs = this.#takenAfter({ id: `${run.job.id}/${run.attemptNo}`, instances: run.instances }, offer);
		if (takenMs !== Number.POSITIVE_INFINITY) this.#events.push(this.#nowMs + takenMs, { kind: "interrupt", run });
	}

	/** From a launch to a running command: a boot, or what is left of it on machines that are kept. */
	#bootMsOf(kept: readonly KeptMachine[]): number {
		if (kept.length === 0) return this.scenario.bootMs;
		const startMs = kept.some(({ stopped }) => stopped) ? startFromStoppedMs(this.scenario) : LIMITS.warmStartMs;
		return kept.reduce((left, { readyAtMs }) => Math.max(left, readyAtMs - this.#nowMs), 0) + startMs;
	}

	stop(run: Run, atMs: number, why: "evicted" | "moved" | "stopped"): void {
		if (run.over || run.stopping || run.refused) return;
		run.stop = { atMs: Math.max(atMs, this.#nowMs), why };
		if (atMs > this.#nowMs) this.#events.push(atMs, { kind: "stop", run });
		else this.#endProcesses(run);
	}

	giveUp(seen: SeenJob): void {
		const job = this.#jobOf(seen);
		assert(job.run === null && job.finishedAtMs === null && !job.givenUp, `job ${job.id} cannot be given up now`);
		job.givenUp = true;
		this.#close(job);
		if (job.pipelineId === null) return;
		this.#graphs.ended(job.id, false);
		this.wakeAt(this.#nowMs);
	}

	wakeAt(atMs: number): void {
		this.#events.push(Math.max(atMs, this.#nowMs), WAKE);
	}

	isAvailableNow(offer: Offer): boolean {
		const trace = this.scenario.availability.get(offer.id);
		return !trace || isAvailable(trace, this.#nowMs - this.scenario.startMs);
	}

	reservedFree(offer: Offer): number {
		if (offer.capacityType !== "reserved") return Number.POSITIVE_INFINITY;
		if (this.#nowMs >= (offer.availableUntilMs ?? Number.POSITIVE_INFINITY)) return 0;
		return this.#reservedFree.get(offer.id) ?? 0;
	}

	quotaUsed(offer: Offer): number {
		return offer.quota ? (this.#quotaUsed.get(quotaKey(offer, offer.quota)) ?? 0) : 0;
	}

	#speedOn(job: SeenJob, accelerator: string, otherwise: number): number {
		const { throughput } = this.scenario;
		if (!throughput) return otherwise;
		const speed = trueSpeed(throughput, job, accelerator);
		assert(speed > 0, `job ${job.id} cannot run on ${accelerator}`);
		return speed;
	}

	/** Time until one of its instances is reclaimed: exponential at the recorded rate, the same for every policy. */
	#takenAfter({ id, instances }: { id: string; instances: number }, offer: Offer): number {
		const perHour = (this.scenario.interruptionsPerHour?.get(offer.id) ?? 0) * instances;
		if (perHour <= 0) return Number.POSITIVE_INFINITY;
		const share = (hash32(`${this.scenario.seed}/${id}/${offer.id}/taken`) + 0.5) / 2 ** 32;
		return Math.ceil((-Math.log(share) / perHour) * HOUR_MS);
	}

	#countReserved(offer: Offer, instances: number): void {
		this.#reservedFree.set(offer.id, (this.#reservedFree.get(offer.id) ?? 0) - instances);
	}

	#countQuota(offer: Offer, instances: number): void {
		if (offer.quota) this.#quotaUsed.set(quotaKey(offer, offer.quota), this.quotaUsed(offer) + instances * unitsOf(offer, offer.quota));
	}

	#begin(seen: SeenJob, where: Pick<Run, "home" | "offer" | "speed" | "staging"> & { bootMs: number }): Run {
		const job = this.#jobOf(seen);
		assert(job.run === null && job.finishedAtMs === null && !job.givenUp, `job ${job.id} has a live attempt, or is over`);
		job.attempts++;
		const { restoreMs } = this.scenario;
		const saves = job.recorded ? job.recorded.spec.checkpoint : { intervalMs: this.scenario.checkpointEveryMs };
		const checkpointEveryMs = saves?.intervalMs ?? Number.POSITIVE_INFINITY;
		const run = new Run({ job, placedAtMs: this.#nowMs, restoreMs, checkpointEveryMs, ...where });
		job.run = run;
		this.#options.onEvent?.(this.#nowMs, run.home ? "placed_home" : "launched", run);
		const doneAtMs = run.workAtMs + Math.ceil((job.workMs - job.savedMs) / run.speed);
		this.#events.push(doneAtMs, { kind: "finish", run });
		this.#expectReport(run, job);
		return run;
	}

	/** Schedules the next value of the job's metric. The last one comes with its end. */
	#expectReport(run: Run, job: ReplayJob, after = 0): void {
		const count = this.#graphs.valueCount(job.id);
		const step = Math.max(after, Math.floor((run.savedBeforeMs / job.workMs) * count)) + 1;
		if (step >= count) return;
		const atMs = run.workAtMs + Math.ceil(((step / count) * job.workMs - run.savedBeforeMs) / run.speed);
		this.#events.push(atMs, { kind: "report", run, step });
	}

	#report(strategy: Strategy, run: Run, step: number): void {
		for (const job of this.#graphs.reported(run.job.id, step)) this.#withdraw(strategy, job);
		if (!run.over) this.#expectReport(run, this.#jobOf(run.job), step);
	}

	/** Counts the request, including throttled ones, as providers do. */
	#isThrottled(offer: Offer): boolean {
		const { requestsPerMinute } = this.scenario;
		if (requestsPerMinute === undefined) return false;
		const minute = Math.floor(this.#nowMs / MINUTE_MS);
		const place = placeOf(offer);
		const before = this.#requests.get(place);
		const count = before?.minute === minute ? before.count + 1 : 1;
		this.#requests.set(place, { minute, count });
		return count > requestsPerMinute;
	}

	#isRefused({ id, instances }: { id: string; instances: number }, offer: Offer): boolean {
		if (!this.isAvailableNow(offer) || this.reservedFree(offer) < instances) return true;
		if (offer.quota && this.quotaUsed(offer) + instances * unitsOf(offer, offer.quota) > offer.quota.limit) return true;
		const shortages = this.scenario.refusedDuring?.get(offer.id);
		if (shortages?.some(({ fromMs, toMs }) => fromMs <= this.#nowMs && this.#nowMs < toMs)) return true;
		const { onDemandRefusalShare: share, seed } = this.scenario;
		if (share <= 0 || offer.capacityType !== "on_demand") return false;
		return hash32(`${seed}/${id}/${offer.id}`) / 2 ** 32 < share;
	}

	#handle(strategy: Strategy, { kind, run, job, pipeline, machine, step = 0 }: Event): void {
		if (pipeline) this.#graphs.submit(pipeline, strategy.graphs, this.#nowMs);
		if (job) this.#withdraw(strategy, job);
		if (machine && !machine.over) this.#lose(strategy, machine);
		if (run === null || run.over) return;
		switch (kind) {
			case "finish":
				if (run.stopping || run.refused) return;
				this.#end(strategy, run, "finished");
				this.#report(strategy, run, this.#graphs.valueCount(run.job.id));
				return;
			case "report":
				if (!run.stopping && !run.refused) this.#report(strategy, run, step);
				return;
			case "interrupt":
			case "expire":
				this.#end(strategy, run, run.stopping ? (run.stop?.why ?? "stopped") : kind === "expire" ? "expired" : "interrupted");
				return;
			case "refuse":
				this.#end(strategy, run, "refused");
				return;
			case "stop":
				if (run.stop?.atMs === this.#nowMs && !run.stopping) this.#endProcesses(run);
				return;
			case "stopped":
				this.#end(strategy, run, run.stop?.why ?? "stopped");
				return;
			case "wake":
			case "withdraw":
			case "pipeline":
			case "lose":
				return;
		}
	}

	#lose(strategy: Strategy, machine: KeptMachine): void {
		if (machine.refused) machine.over = true;
		else this.endKept(machine);
		strategy.lost?.(machine);
	}

	#withdraw(strategy: Strategy, job: ReplayJob): void {
		if (job.finishedAtMs !== null || job.givenUp) return;
		const { run } = job;
		if (run) this.#end(strategy, run, run.refused ? "refused" : "withdrawn");
		if (!run || run.refused) strategy.withdrawn?.(job);
		job.givenUp = true;
		this.#close(job);
		if (job.pipelineId !== null) this.#graphs.withdrawn(job.id);
		this.#options.onEvent?.(this.#nowMs, "withdrawn", job);
	}

	#endProcesses(run: Run): void {
		run.stopping = true;
		this.#options.onEvent?.(this.#nowMs, "stopping", run);
		this.#events.push(this.#nowMs + this.#stopMs, { kind: "stopped", run });
	}

	#end(strategy: Strategy, run: Run, why: RunEnd): void {
		const job = this.#jobOf(run.job);
		run.over = true;
		run.home?.nodes.release(run.home.slots);
		if (run.offer && !run.refused) this.#countQuota(run.offer, -run.instances);
		if (run.offer?.capacityType === "reserved" && !run.refused) this.#countReserved(run.offer, -run.instances);
		const before = job.savedMs;
		const workedUntilMs = run.stopping ? Math.min(run.stop?.atMs ?? this.#nowMs, this.#nowMs) : this.#nowMs;
		job.savedMs = why === "finished" ? job.workMs : why === "refused" ? before : Math.min(run.savedAt(workedUntilMs), job.workMs);
		if (why !== "refused" && job.firstStartMs === null && run.commandAtMs <= workedUntilMs) {
			job.firstStartMs = run.commandAtMs;
			job.startedInCloud = run.offer !== null;
		}
		if (job.savedMs > before) job.savedAt = run.offer && placeOf(run.offer);
		job.run = null;
		job.pendingSinceMs = this.#nowMs;
		if (why === "finished") {
			job.finishedAtMs = this.#nowMs;
			this.#close(job);
			if (job.pipelineId !== null) this.#graphs.ended(job.id, true);
		}
		const measured = this.meter.measure(run, why, this.#nowMs, job.savedMs - before);
		if (job.pipelineId !== null) this.#graphs.measured(measured);
		this.#options.onRun?.(measured);
		this.#options.onEvent?.(this.#nowMs, why, run);
		strategy.ended(run, why, measured);
	}

	#jobOf(seen: SeenJob): ReplayJob {
		const job = this.#live.get(seen.index);
		assert(job === seen, `job ${seen.id} is over, or is not of this replay`);
		return job;
	}
}

/** One key per quota and region. */
function quotaKey({ provider, region }: Offer, { name }: OfferQuota): string {
	return `${provider}:${region} ${name}`;
}

/** Units of the quota that one machine uses. */
export function unitsOf({ gpus, vcpus }: Pick<Offer, "gpus" | "vcpus">, { unit }: OfferQuota): number {
	return unit === "cores" ? vcpus : gpus;
}
