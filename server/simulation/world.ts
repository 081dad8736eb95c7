import { reason } from "#server/domain/reasons.ts";
import { type Random, seededRandom } from "#server/kernel/random.ts";
import { SECOND_MS } from "#server/kernel/units.ts";
import { SimAgents } from "./agents.ts";
import { Book } from "./book.ts";
import { BudgetLedger } from "./budget-ledger.ts";
import { SimCloud } from "./cloud.ts";
import type { SimContext, Sink } from "./context.ts";
import { Cycle, type CycleReport } from "./cycle.ts";
import { addRun } from "./durations.ts";
import { cancelJob } from "./ending.ts";
import { EventHeap } from "./event-heap.ts";
import { drawTimeTo, type FaultRates, NO_FAULTS } from "./faults.ts";
import { HomeSite } from "./home-site.ts";
import { InstanceSync } from "./instance-sync.ts";
import { meterInstance, meterPools } from "./metering.ts";
import { OfferShelf } from "./offer-shelf.ts";
import type { AttemptRecord, InstanceRecord } from "./records.ts";
import type { Arrival, Scenario } from "./scenario.ts";
import { simId } from "./sim-ids.ts";

/** Where nothing waits, only checkpoints come round: they are looked for less often, or runs would be slow. */
const IDLE_TICKS = 4;

/** The process of the control plane died between two steps. */
class ControlPlaneDied extends Error {
	override name = "ControlPlaneDied";
}

/**
 * A company's pools, a cloud, the people who submit, and the control plane between them, on a virtual clock. The control
 * plane decides by the one `decide` and applies its plans by the rules of the live loop; its process may die or sleep at
 * any step, while sites, machines and people go on.
 */
export class World implements SimContext {
	readonly scenario: Scenario;
	readonly book = new Book();
	readonly budgets: BudgetLedger;
	readonly shelf: OfferShelf;
	readonly random: { control: Random; cloud: Random; ids: Random; faults: Random };
	readonly sink: Sink;
	readonly cloud: SimCloud;
	readonly agents: SimAgents;
	readonly home: HomeSite;
	readonly cycle: Cycle;
	readonly #sync: InstanceSync;
	readonly #heap = new EventHeap();
	readonly #firstPrices: ReadonlyMap<string, bigint | null>;
	#nowMs: number;
	#nextArrival = 0;
	/** Counts the lives of the control plane's process; events of an earlier one are lost. */
	#life = 0;
	#upAgainMs = 0;
	#asleepUntilMs = 0;
	#cycleDue = false;
	#tickDue = false;
	events = 0;
	crashes = 0;

	constructor(scenario: Scenario, sink: Sink, onCycle: (report: CycleReport) => void = () => {}) {
		const root = seededRandom(scenario.seed);
		this.scenario = scenario;
		this.random = { control: root.fork("control"), cloud: root.fork("cloud"), ids: root.fork("ids"), faults: root.fork("faults") };
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
			handOver: (attempt) => this.control(this.#nowMs, "hand over", () => this.home.sync(attempt)),
			launch: (row) => this.poke(row, this.#nowMs),
			report: onCycle,
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

	faults(): FaultRates {
		return this.#nowMs < this.scenario.healAtMs ? this.scenario.faults : NO_FAULTS;
	}

	/** Runs the next event; its name, or null when there is none. */
	step(): string | null {
		const event = this.#heap.pop();
		if (!event) return null;
		this.#nowMs = Math.max(this.#nowMs, event.atMs);
		this.events++;
		event.run();
		return event.name;
	}

	/** The moment of the next event; infinite when there is none. */
	nextAtMs(): number {
		return this.#heap.peek()?.atMs ?? Number.POSITIVE_INFINITY;
	}

	/** Nothing is left that could still happen to a job or a machine. */
	isQuiet(): boolean {
		const { book } = this;
		const left = book.pending.size + book.liveAttempts.size + book.liveInstances.size + this.cloud.alive.size;
		return left === 0 && this.#nextArrival >= this.scenario.arrivals.length;
	}

	/** Everybody has come who will. */
	allArrived(): boolean {
		return this.#nextArrival >= this.scenario.arrivals.length;
	}

	at(atMs: number, name: string, run: () => void): void {
		if (Number.isFinite(atMs)) this.#heap.push(Math.max(atMs, this.#nowMs), name, run);
	}

	control(atMs: number, name: string, run: () => void): void {
		const life = this.#life;
		const attempt = (): void => {
			if (life !== this.#life || this.#isDown()) return;
			if (this.#nowMs < this.#asleepUntilMs) this.at(this.#asleepUntilMs, name, attempt);
			else this.#survive(run);
		};
		this.at(atMs, name, attempt);
	}

	report(name: string, still: () => boolean, run: () => void): void {
		if (!still()) return;
		const again = (atMs: number): void => this.at(atMs, name, () => this.report(name, still, run));
		if (this.#isDown() || this.#nowMs < this.#asleepUntilMs) {
			again(Math.max(this.#upAgainMs, this.#asleepUntilMs) + SECOND_MS);
			return;
		}
		if (!this.#survive(run)) again(this.#upAgainMs + SECOND_MS);
	}

	mayCrash(step: string): void {
		if (this.random.control.next() < this.faults().crash) throw new ControlPlaneDied(step);
	}

	wake(): void {
		if (this.#cycleDue || this.#isDown()) return;
		this.#cycleDue = true;
		this.control(this.#nowMs + this.scenario.timing.wakeMs, "cycle", () => {
			this.#cycleDue = false;
			if (this.#hasToDecide()) this.cycle.run();
			this.#tick();
		});
	}

	poke(row: InstanceRecord, atMs: number): void {
		this.control(atMs, "look at an instance", () => this.#sync.sync(row));
	}

	stopRequested(attempt: AttemptRecord): void {
		const instance = attempt.instanceId === null ? undefined : this.book.instances.get(attempt.instanceId);
		if (!instance) {
			this.control(this.#nowMs, "look at home", () => this.home.sync(attempt));
			return;
		}
		const { timing } = this.scenario;
		// The agent hears of it with its next heartbeat; anyone who does not is ended by force.
		this.control(this.#nowMs + timing.syncMs, "agent asked to stop", () => this.agents.stop(attempt));
		this.poke(instance, this.#nowMs + timing.syncMs);
		this.poke(instance, this.#nowMs + 2 * timing.stopGraceMs + timing.callRetryMs + 1);
	}

	/** Charges what the owned pools cost up to now; once, at the end. */
	closeBooks(): void {
		meterPools(this);
	}

	#start(): void {
		this.#arrive();
		this.#wakeUp();
		this.#sleepAgain();
	}

	/** The control plane begins, or begins again, with nothing but its database. */
	#wakeUp(): void {
		this.#cycleDue = false;
		this.#tickDue = false;
		this.#sync.forget();
		for (const row of this.book.liveInstances) this.poke(row, this.#nowMs);
		for (const attempt of this.book.liveAttempts) {
			if (attempt.state === "stopping") this.stopRequested(attempt);
			else if (attempt.instanceId === null) this.control(this.#nowMs, "look at home", () => this.home.sync(attempt));
		}
		const { timing, meterEveryMs } = this.scenario;
		this.#repeat(timing.offersEveryMs, "prices read", () => this.#readPrices());
		this.#repeat(timing.sweepMs, "sweep", () => {
			this.#sync.sweep();
			for (const row of this.book.liveInstances) this.#sync.sync(row);
		});
		if (meterEveryMs !== null) {
			this.#repeat(meterEveryMs, "meter", () => {
				for (const row of this.book.liveInstances) if (row.launchedAtMs !== null) meterInstance(this, row);
			});
		}
		this.wake();
	}

	#repeat(everyMs: number, name: string, run: () => void): void {
		const once = (): void => {
			this.control(this.#nowMs + everyMs, name, once);
			run();
		};
		this.control(this.#nowMs + everyMs, name, once);
	}

	/** Without a job that waits, may move or ran too long a plan is empty; most wakes of a replay are such. */
	#hasToDecide(): boolean {
		if (this.book.pending.size > 0 || this.#mayMove()) return true;
		for (const { startedAtMs, completedBeforeMs, jobId } of this.book.liveAttempts) {
			const { maxMs } = this.book.job(jobId).spec.duration;
			if (maxMs !== null && startedAtMs !== null && completedBeforeMs + this.#nowMs - startedAtMs >= maxMs) return true;
		}
		return false;
	}

	/** A cloud job may go elsewhere, by a rule, or for a budget at its cap. */
	#mayMove(): boolean {
		const { rules, budgets } = this.scenario.policy;
		if (!rules.some((r) => r.effect.kind === "move") && !budgets.some((b) => b.atCap !== "hold")) return false;
		for (const attempt of this.book.liveAttempts) if (attempt.move !== null || attempt.instanceId !== null) return true;
		return false;
	}

	/** Time alone changes forecasts, back-offs and budgets: while jobs wait or may move, they are looked at again. */
	#tick(): void {
		const waits = this.book.pending.size > 0;
		if (this.#tickDue || (!waits && !this.#mayMove())) return;
		this.#tickDue = true;
		this.control(this.#nowMs + this.scenario.timing.tickMs * (waits ? 1 : IDLE_TICKS), "tick", () => {
			this.#tickDue = false;
			this.wake();
			this.#tick();
		});
	}

	#arrive(): void {
		const arrival = this.scenario.arrivals[this.#nextArrival];
		if (!arrival) return;
		this.at(arrival.submittedAtMs, "submit", () => {
			this.#nextArrival++;
			this.#arrive();
			this.report(
				"submit",
				() => true,
				() => this.#submit(arrival),
			);
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
			this.at(this.#nowMs + work.cancelAfterMs, "cancel", () =>
				this.report(
					"cancel",
					() => true,
					() => cancelJob(this, this.book.job(id)),
				),
			);
		}
		this.wake();
	}

	#readPrices(): void {
		const faults = this.faults();
		const random = this.random.faults;
		this.shelf.refresh(this.#nowMs, (offer) => {
			const { priceAt } = this.scenario;
			const first = priceAt ? priceAt(offer, this.#nowMs) : (this.#firstPrices.get(offer.id) ?? null);
			if (faults.missingPrice > 0 && random.next() < faults.missingPrice) return { microUsdPerHour: random.next() < 0.5 ? null : 0n };
			if (first === null || faults.priceChange === 0 || random.next() >= faults.priceChange) return { microUsdPerHour: first };
			return { microUsdPerHour: (first * BigInt(random.int(50, 200))) / 100n };
		});
		if (this.book.pending.size > 0) this.wake();
	}

	/** The host sleeps now and then: its clock jumps, and all it had meant to do happens at once. */
	#sleepAgain(): void {
		const atMs = this.#nowMs + drawTimeTo(this.random.faults, this.faults().clockJumpPerHour);
		this.at(atMs, "host sleeps", () => {
			this.#asleepUntilMs = this.#nowMs + Math.floor(this.random.faults.next() * this.faults().clockJumpMsMax);
			this.#sleepAgain();
		});
	}

	#isDown(): boolean {
		return this.#nowMs < this.#upAgainMs;
	}

	/** False when the process died on the way; what it wrote before stays. */
	#survive(run: () => void): boolean {
		try {
			run();
			return true;
		} catch (error) {
			if (!(error instanceof ControlPlaneDied)) throw error;
			this.crashes++;
			this.#life++;
			this.#upAgainMs = this.#nowMs + SECOND_MS + Math.floor(this.random.faults.next() * this.faults().crashMsMax);
			this.at(this.#upAgainMs, "control plane starts again", () => this.#wakeUp());
			return false;
		}
	}
}
