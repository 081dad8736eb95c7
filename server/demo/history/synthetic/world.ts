import { reason } from "#server/domain/reasons.ts";
import { type Random, seededRandom } from "#server/kernel/random.ts";
import { EventQueue } from "#server/simulation/replay/event-queue.ts";
import { SimAgents } from "./agents.ts";
import { Book } from "./book.ts";
import { BudgetLedger } from "./budget-ledger.ts";
import { SimCloud } from "./cloud.ts";
import type { SimContext, Sink } from "./context.ts";
import { Cycle } from "./cycle.ts";
import { addRun } from "./durations.ts";
import { cancelJob } from "./ending.ts";
import { HomeSite } from "./home-site.ts";
import { InstanceSync } from "./instance-sync.ts";
import { OfferShelf } from "./offer-shelf.ts";
import type { AttemptRecord, InstanceRecord } from "./records.ts";
import type { Arrival, Scenario } from "./scenario.ts";
import { simId } from "./sim-ids.ts";

/** When no job waits, only checkpoints happen: they are checked less often, or runs would be slow. */
const IDLE_TICKS = 4;

/**
 * A company's pools, a cloud, the people who submit, and the control plane between them, on a virtual clock. The
 * control plane decides with the real `decide`, and the rows are those that the live loop would have recorded.
 */
export class World implements SimContext {
	readonly scenario: Scenario;
	readonly book = new Book();
	readonly budgets: BudgetLedger;
	readonly shelf: OfferShelf;
	readonly random: { cloud: Random; ids: Random };
	readonly sink: Sink;
	readonly cloud: SimCloud;
	readonly agents: SimAgents;
	readonly home: HomeSite;
	readonly cycle: Cycle;
	readonly #sync: InstanceSync;
	readonly #events = new EventQueue<() => void>();
	readonly #firstPrices: ReadonlyMap<string, bigint | null>;
	#nowMs: number;
	#nextArrival = 0;
	#cycleDue = false;
	#tickDue = false;

	constructor(scenario: Scenario, sink: Sink) {
		const root = seededRandom(scenario.seed);
		this.scenario = scenario;
		this.random = { cloud: root.fork("cloud"), ids: root.fork("ids") };
		this.budgets = new BudgetLedger(this.book, scenario.policy.budgets);
		this.shelf = new OfferShelf(scenario.offers);
		this.#firstPrices = new Map(scenario.offers.map((o) => [o.id, o.microUsdPerHour]));
		this.#nowMs = scenario.startMs;
		this.agents = new SimAgents(this);
		this.cloud = new SimCloud(this, this.agents);
		this.agents.attach(this.cloud);
		this.home = new HomeSite(this);
		this.#sync = new InstanceSync(this, this.cloud);
		this.cycle = new Cycle(this, {
			handOver: (attempt) => this.at(this.#nowMs, () => this.home.sync(attempt)),
			launch: (row) => this.poke(row, this.#nowMs),
		});
		this.sink = {
			...sink,
			news: (line) => {
				if (line.kind === "job_succeeded" && line.jobId !== null) addRun(this.cycle.durations, this.book.job(line.jobId));
				sink.news(line);
			},
		};
		this.#start();
	}

	nowMs(): number {
		return this.#nowMs;
	}

	/** Runs the next event. */
	step(): void {
		const atMs = this.#events.nextMs;
		const run = this.#events.pop();
		if (!run) return;
		this.#nowMs = Math.max(this.#nowMs, atMs);
		run();
	}

	/** Time of the next event; infinite if there is none. */
	nextAtMs(): number {
		return this.#events.nextMs;
	}

	/** No further event can affect a job or a machine. */
	isQuiet(): boolean {
		const { book } = this;
		const left = book.pending.size + book.liveAttempts.size + book.liveInstances.size + this.cloud.alive.size;
		return left === 0 && this.#nextArrival >= this.scenario.arrivals.length;
	}

	at(atMs: number, run: () => void): void {
		if (Number.isFinite(atMs)) this.#events.push(Math.max(atMs, this.#nowMs), run);
	}

	wake(): void {
		if (this.#cycleDue) return;
		this.#cycleDue = true;
		this.at(this.#nowMs + this.scenario.timing.wakeMs, () => {
			this.#cycleDue = false;
			if (this.#hasToDecide()) this.cycle.run();
			this.#tick();
		});
	}

	poke(row: InstanceRecord, atMs: number): void {
		this.at(atMs, () => this.#sync.sync(row));
	}

	stopRequested(attempt: AttemptRecord): void {
		const instance = attempt.instanceId === null ? undefined : this.book.instances.get(attempt.instanceId);
		if (!instance) {
			this.at(this.#nowMs, () => this.home.sync(attempt));
			return;
		}
		const { timing } = this.scenario;
		// The agent receives it with its next heartbeat; one that does not is ended by force.
		this.at(this.#nowMs + timing.syncMs, () => this.agents.stop(attempt));
		this.poke(instance, this.#nowMs + timing.syncMs);
		this.poke(instance, this.#nowMs + 2 * timing.stopGraceMs + timing.callRetryMs + 1);
	}

	#start(): void {
		this.#arrive();
		const { timing } = this.scenario;
		this.#repeat(timing.offersEveryMs, () => this.#readPrices());
		this.#repeat(timing.sweepMs, () => {
			for (const row of this.book.liveInstances) this.#sync.sync(row);
		});
		this.wake();
	}

	#repeat(everyMs: number, run: () => void): void {
		const once = (): void => {
			this.at(this.#nowMs + everyMs, once);
			run();
		};
		this.at(this.#nowMs + everyMs, once);
	}

	/** Without a job that waits, may move or ran too long, a plan is empty; most wake-ups of a replay are like this. */
	#hasToDecide(): boolean {
		if (this.book.pending.size > 0 || this.#mayMove()) return true;
		for (const { startedAtMs, completedBeforeMs, jobId } of this.book.liveAttempts) {
			const { maxMs } = this.book.job(jobId).spec.duration;
			if (maxMs !== null && startedAtMs !== null && completedBeforeMs + this.#nowMs - startedAtMs >= maxMs) return true;
		}
		return false;
	}

	/** A cloud job may move because of a rule, or because its budget is at its cap. */
	#mayMove(): boolean {
		const { rules, budgets } = this.scenario.policy;
		if (!rules.some((r) => r.effect.kind === "move") && !budgets.some((b) => b.atCap !== "hold")) return false;
		for (const attempt of this.book.liveAttempts) if (attempt.move !== null || attempt.instanceId !== null) return true;
		return false;
	}

	/** Time alone changes forecasts, back-offs and budgets, so jobs that wait or may move are reconsidered. */
	#tick(): void {
		const waits = this.book.pending.size > 0;
		if (this.#tickDue || (!waits && !this.#mayMove())) return;
		this.#tickDue = true;
		this.at(this.#nowMs + this.scenario.timing.tickMs * (waits ? 1 : IDLE_TICKS), () => {
			this.#tickDue = false;
			this.wake();
			this.#tick();
		});
	}

	#arrive(): void {
		const arrival = this.scenario.arrivals[this.#nextArrival];
		if (!arrival) return;
		this.at(arrival.submittedAtMs, () => {
			this.#nextArrival++;
			this.#arrive();
			this.#submit(arrival);
		});
	}

	#submit(arrival: Arrival): void {
		const { spec, work } = arrival;
		const id = arrival.id ?? simId("job", this.#nowMs, this.random.ids);
		this.book.addJob({
			id,
			spec,
			work,
			state: "queued",
			reason: reason("submitted"),
			placement: null,
			attempts: 0,
			submittedAtMs: this.#nowMs,
			pendingSinceMs: this.#nowMs,
			startedAtMs: null,
			finishedAtMs: null,
			cancelRequestedAtMs: null,
			completedMs: 0,
			avoidOffers: [],
		});
		this.sink.news({ kind: "job_submitted", atMs: this.#nowMs, jobId: id, instanceId: null, siteId: null, reason: null });
		if (work.cancelAfterMs !== null) {
			this.at(this.#nowMs + work.cancelAfterMs, () => cancelJob(this, this.book.job(id)));
		}
		this.wake();
	}

	#readPrices(): void {
		const { priceAt } = this.scenario;
		this.shelf.refresh(this.#nowMs, (offer) => ({
			microUsdPerHour: priceAt ? priceAt(offer, this.#nowMs) : (this.#firstPrices.get(offer.id) ?? null),
		}));
		if (this.book.pending.size > 0) this.wake();
	}
}
