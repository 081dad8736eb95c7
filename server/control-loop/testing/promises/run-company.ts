import type { Policy } from "#server/domain/policy.ts";
import type { Reason, ReasonCode } from "#server/domain/reasons.ts";
import { type Random, seededRandom } from "#server/kernel/random.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { DriverError } from "#server/providers/driver-errors.ts";
import { decide } from "#server/scheduling/decide.ts";
import { systemContext } from "#server/services/core/context.ts";
import { loadSnapshot, SnapshotCache } from "#server/services/decision/snapshot/load.ts";
import { ledgerCheck } from "#server/services/ledger/charge/check.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { refreshOffers } from "#server/services/pricing/offer/refresh.ts";
import { cancelJob } from "#server/services/work/job/cancel.ts";
import { applyPlan } from "../../apply-plan.ts";
import { PROBE_STEPS } from "../../context.ts";
import { newCycleMemory } from "../../cycle.ts";
import { ProcessEnd } from "../../messages.ts";
import { World } from "../world.ts";
import { allPromises, brokenAfter } from "./all.ts";
import { type Company, type DrawnJob, drawLaunchFault, FAILING_CALLS, type FaultRates } from "./company.ts";
import { type Observed, readObserved, recordStateChanges } from "./observed.ts";

/** Everything must settle within this many ticks after the last fault. */
const REST_TICKS_MAX = 600;
const SWEEP_EVERY_TICKS = 6;
/** A stale plan is applied up to this many ticks later. */
const STALE_TICKS_MAX = 20;
const JUMP_MS_MAX = 40 * MINUTE_MS;
/** A job may wait for these permanently: only people can change what it waits for. */
const FOR_PEOPLE: readonly ReasonCode[] = ["budget_exceeded", "approval_required", "waiting_no_allowed_offer", "no_progress"];
/** Backoffs and cooldowns are over by then; a job that still waits needs a person. */
const SETTLED_TICKS = 40;

export interface CompanyRun {
	/** Every broken promise; the run ends with the first. */
	broken: string[];
	last: Observed;
	deaths: number;
	ticks: number;
	/** Machines that the sweep terminated because they had no row. */
	orphans: number;
}

export interface RunOptions {
	/** For tests of the run itself: called after every tick and before the promises are checked. */
	sabotage?: (tick: number) => void;
	restTicksMax?: number;
}

/**
 * Runs a company on the real loop until it settles, and checks every promise after every tick. An error in the code also counts as a broken
 * promise.
 */
export async function runCompany(company: Company, options: RunOptions = {}): Promise<CompanyRun> {
	const works = new Map<string, DrawnJob["work"]>();
	const world = await World.open({
		...company.world,
		workOf: (jobId) => works.get(jobId),
		jobOf: ({ jobId }) => {
			const { runMs, exitCode } = works.get(jobId) ?? { runMs: MINUTE_MS, exitCode: 0 };
			return { stageMs: 0, runMs, exit: { code: exitCode, signal: null, error: null }, onTerm: { kind: "die" }, stdout: [], stderr: [] };
		},
	});
	try {
		await recordStateChanges(world.database);
		const { policy } = await activePolicy(world.database.db);
		return await new Run({ world, policy, company, works, options }).toRest();
	} finally {
		await world.database.drop();
	}
}

interface RunParts {
	world: World;
	policy: Policy;
	company: Company;
	works: Map<string, DrawnJob["work"]>;
	options: RunOptions;
}

class Run {
	readonly #world: World;
	readonly #policy: Policy;
	readonly #company: Company;
	readonly #works: Map<string, DrawnJob["work"]>;
	readonly #options: RunOptions;
	readonly #random: Random;
	readonly #promises = allPromises();
	readonly #ids = new Map<DrawnJob, string>();
	readonly #stale: { tick: number; apply: () => Promise<unknown> }[] = [];
	#tick = 0;
	#orphans = 0;
	#healedAtMs: number | null = null;

	constructor({ world, policy, company, works, options }: RunParts) {
		this.#world = world;
		this.#policy = policy;
		this.#company = company;
		this.#works = works;
		this.#options = options;
		this.#random = seededRandom(`run/${company.seed}`);
	}

	async toRest(): Promise<CompanyRun> {
		const { faultyTicks } = this.#company;
		let last = await this.#observe();
		for (; ; this.#tick++) {
			if (this.#tick === faultyTicks) this.#heal();
			const error = await this.#step().then(
				() => null,
				(thrown: unknown) => `code: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`,
			);
			last = await this.#observe();
			const broken = [...(error === null ? [] : [error]), ...brokenAfter(this.#promises, last)];
			if (broken.length > 0) return this.#report(broken, last);
			if (this.#isAtRest(last)) return this.#closeBooks();
			if (this.#tick > faultyTicks + (this.#options.restTicksMax ?? REST_TICKS_MAX)) return this.#report([`rest: ${leftOf(last)}`], last);
		}
	}

	#report(broken: string[], last: Observed): CompanyRun {
		const where = `seed ${this.#company.seed}, tick ${this.#tick}`;
		return {
			broken: broken.map((line) => `${line} (${where})`),
			last,
			deaths: this.#world.deaths,
			ticks: this.#tick,
			orphans: this.#orphans,
		};
	}

	async #closeBooks(): Promise<CompanyRun> {
		await meterAll(this.#world.ctx);
		const last = await this.#observe();
		const { differences } = await ledgerCheck(this.#world.ctx);
		const sums =
			differences.length === 0 ? [] : [`charges: the rollups differ from the charges: ${JSON.stringify(differences[0], String)}`];
		return this.#report([...brokenAfter(this.#promises, last, "atEnd"), ...sums], last);
	}

	async #observe(): Promise<Observed> {
		const now = { nowMs: this.#world.clock.nowMs(), healedAtMs: this.#healedAtMs, policy: this.#policy };
		return readObserved(this.#world.database.db, now, (rows) => this.#world.truthOf(rows));
	}

	#isAtRest({ jobs, attempts, instances, machines }: Observed): boolean {
		const since = this.#tick - this.#company.faultyTicks;
		if (since < 0 || machines.some((m) => m.alive)) return false;
		if (attempts.some((a) => a.finishedAt === null) || instances.some((i) => i.state !== "terminated")) return false;
		const waiting = jobs.filter((job) => job.finishedAt === null);
		return (
			waiting.length === 0 ||
			(since > SETTLED_TICKS && waiting.every(({ reason }) => FOR_PEOPLE.includes(reason.code) || exceedsRateAlone(reason)))
		);
	}

	#heal(): void {
		this.#healedAtMs = this.#world.clock.nowMs();
		this.#world.cloud.calls.clear();
		this.#world.cloud.launches.clear();
		this.#world.cluster.calls.clear();
		this.#world.killAt = null;
	}

	async #step(): Promise<void> {
		const hasNewJobs = await this.#people();
		if (this.#healedAtMs === null) await this.#fault(hasNewJobs);
		for (const due of this.#stale.filter(({ tick }) => tick <= this.#tick)) {
			this.#stale.splice(this.#stale.indexOf(due), 1);
			await this.#survive(due.apply);
		}
		await this.#survive(() => this.#world.tick());
		if (this.#tick % SWEEP_EVERY_TICKS === 0) await this.#survive(async () => (this.#orphans += await this.#world.sweep()));
		this.#options.sabotage?.(this.#tick);
	}

	/** A scheduler's work outside of `tick`: the process may die, and a provider's error concerns only that call. */
	async #survive(work: () => Promise<unknown>): Promise<void> {
		try {
			await work();
		} catch (error) {
			if (error instanceof ProcessEnd) this.#world.takeOver();
			else if (!(error instanceof DriverError)) throw error;
		}
	}

	/** Returns whether a job was submitted. */
	async #people(): Promise<boolean> {
		for (const drawn of this.#company.jobs) {
			if (drawn.tick === this.#tick) {
				const [id = ""] = await this.#world.submit(drawn.changes);
				this.#ids.set(drawn, id);
				this.#works.set(id, drawn.work);
			}
			const id = this.#ids.get(drawn);
			if (drawn.cancelTick !== this.#tick || id === undefined) continue;
			const job = (await this.#world.jobs()).find((row) => row.id === id);
			if (job?.finishedAt === null) await cancelJob(systemContext(this.#world.database.db, this.#world.clock, "seed"), id);
		}
		return this.#company.jobs.some(({ tick }) => tick === this.#tick);
	}

	#happens(name: keyof FaultRates): boolean {
		return this.#random.next() < this.#company.faults[name];
	}

	async #fault(hasNewJobs: boolean): Promise<void> {
		const random = this.#random;
		const { cloud, cluster, clock, passes, silenced } = this.#world;
		const alive = cloud.instances().filter((m) => m.alive);
		const machine = alive.length === 0 ? null : random.pick(alive);
		if (this.#happens("launch")) cloud.launches.next(drawLaunchFault(random));
		if (this.#happens("call")) {
			const method = random.pick(FAILING_CALLS);
			const calls = method === "observe" || method === "start" || method === "stop" ? cluster.calls : cloud.calls;
			calls.fail(method, random.pick(["throttled", "transient"]), { times: random.int(1, 3) });
		}
		if (machine && this.#happens("vanish")) cloud.vanish(machine.providerInstanceId);
		if (machine && this.#happens("interrupt")) cloud.interrupt(machine.providerInstanceId, random.pick([0, 30_000, 120_000]));
		if (machine?.instanceId && this.#happens("silence")) silenced.add(machine.instanceId);
		if (this.#happens("kill")) {
			const step = random.pick(PROBE_STEPS.filter((probe) => /^(launch|terminate|home|move):/.test(probe)));
			this.#world.killAt = { step, pass: (passes.get(step) ?? 0) + 1 };
		}
		if (this.#happens("price")) await this.#changePrices();
		// A plan made now covers the new jobs, and so does the tick's plan.
		if (this.#happens("stalePlan") || (hasNewJobs && this.#company.faults.stalePlan > 0)) await this.#keepPlan();
		if (this.#happens("jump")) clock.advance(random.int(MINUTE_MS, JUMP_MS_MAX));
	}

	/** Changes or removes the price of some offers. */
	async #changePrices(): Promise<void> {
		const random = this.#random;
		const { cloud, clock, database } = this.#world;
		cloud.offers = cloud.offers.map((offer) => {
			const drawn = random.next();
			const first = this.#company.world.cloud.offers.find((o) => o.id === offer.id)?.microUsdPerHour ?? null;
			const changed = first === null ? null : (first * BigInt(random.int(50, 200))) / 100n;
			return { ...offer, microUsdPerHour: drawn < 0.2 ? null : changed, priceObservedAtMs: clock.nowMs() };
		});
		await refreshOffers(database.db, cloud.offers, clock.nowMs());
	}

	/** A second scheduler decides on the current state, and applies its plan later. */
	async #keepPlan(): Promise<void> {
		const { ctx } = this.#world;
		const { snapshot } = await loadSnapshot(ctx, new SnapshotCache());
		const plan = decide(snapshot, { memo: { kept: new Map() } });
		const apply = () => applyPlan(ctx, snapshot, plan, newCycleMemory());
		this.#stale.push({ tick: this.#tick + this.#random.int(0, STALE_TICKS_MAX), apply });
	}
}

/** With nothing alive, a machine exceeds the cap on the rate only if it alone costs more than the drawn cap. */
function exceedsRateAlone({ code, facts }: Reason): boolean {
	return code === "cap_exceeded" && facts["capId"] === "rate";
}

function leftOf({ jobs, attempts, instances, machines }: Observed): string {
	const waiting = jobs.filter((job) => job.finishedAt === null).map((job) => `${job.name} ${job.state} ${job.reason.code}`);
	const live = attempts.filter((a) => a.finishedAt === null).length;
	const rows = instances.filter((i) => i.state !== "terminated").length;
	const alive = machines.filter((m) => m.alive).length;
	return `not at rest: jobs ${waiting.join(", ") || "none"}; ${live} attempts, ${rows} instances and ${alive} machines live`;
}
