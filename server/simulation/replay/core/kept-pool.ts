import { type Calendar, calendarOf } from "#server/accounting/zone.ts";
import type { Offer } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { Policy, Rule } from "#server/domain/policy.ts";
import { costOfElapsed } from "#server/kernel/money.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { judgeJob } from "#server/policy/judge-job.ts";
import { judgePlace } from "#server/policy/judge-place.ts";
import { LIMITS } from "#server/scheduling/limits.ts";
import { decidePrewarm, holdOf } from "#server/scheduling/prewarm/decide-prewarm.ts";
import { hoursSince } from "#server/scheduling/prewarm/hours.ts";
import { MachineDemand } from "#server/scheduling/prewarm/machine-demand.ts";
import { isFor, isOfKind } from "#server/scheduling/prewarm/serves.ts";
import type { IdleMachine, PrewarmEffect, PrewarmPlan, PrewarmPrice } from "#server/scheduling/prewarm/types.ts";
import { monthOf } from "../billing.ts";
import type { World } from "../engine.ts";
import { type KeptMachine, startFromStoppedMs, stoppedMicroUsdPerMonth } from "../kept-machine.ts";
import type { Run, RunEnd, SeenJob } from "../run.ts";

/** Ends of an attempt that leave its machine in working order. */
const CLEAN_ENDS: readonly RunEnd[] = ["finished", "moved", "stopped", "evicted"];
/** How long a refused offer is not tried again. */
const REFUSED_PAUSE_MS = 10 * MINUTE_MS;
/** Mean hours of a month, and of the shortest one, for the hourly price of a disk. */
const HOURS_PER_MONTH = 730n;
const HOURS_PER_MONTH_MIN = 672n;

/** The machines of one prewarm rule in a replay. */
export class KeptPool {
	readonly #world: World;
	readonly #policy: Policy;
	readonly #rule: Rule;
	readonly #effect: PrewarmEffect;
	readonly #calendar: Calendar;
	readonly #demand: MachineDemand;
	readonly #matches = new WeakMap<JobSpec, boolean>();
	readonly #refusedUntil = new Map<string, number>();
	readonly idle = new Set<KeptMachine>();
	readonly #spent = new Map<number, bigint>();
	#spec: JobSpec | null = null;
	#lastOfferId: string | null = null;
	#expiredAtMs: number | null = null;
	#neededAtMs: number | null = null;

	constructor(world: World, policy: Policy, rule: Rule, effect: PrewarmEffect) {
		this.#world = world;
		this.#policy = policy;
		this.#rule = rule;
		this.#effect = effect;
		this.#calendar = calendarOf(world.scenario.timeZone ?? "UTC");
		this.#demand = new MachineDemand(world.nowMs, effect.state);
	}

	/** Whether the rule's machines are of the offer's kind, and for such jobs. */
	#serves(spec: JobSpec, offer: Offer): boolean {
		if (!isOfKind(this.#effect, offer)) return false;
		let matches = this.#matches.get(spec);
		if (matches === undefined) {
			matches = isFor(this.#rule, spec);
			this.#matches.set(spec, matches);
		}
		return matches;
	}

	/** Machines for a job that is launched on this offer now; none if there are too few for all its nodes. */
	take(job: SeenJob, spec: JobSpec, offer: Offer): KeptMachine[] {
		if (!this.#serves(spec, offer)) return [];
		this.#spec = spec;
		this.#lastOfferId = offer.id;
		this.#neededAtMs = this.#world.nowMs;
		const fit = [...this.idle].filter((machine) => machine.offer.id === offer.id && !machine.refused);
		if (fit.length < job.nodes) return [];
		return fit.toSorted((a, b) => a.readyAtMs - b.readyAtMs || b.sinceMs - a.sinceMs).slice(0, job.nodes);
	}

	/** @param took the machines that the job started on. */
	started(run: Run, spec: JobSpec, took: readonly KeptMachine[]): void {
		if (!run.offer || !this.#serves(spec, run.offer)) return;
		this.#demand.add(run.instances, this.#world.nowMs);
		if (!run.refused) for (const machine of took) this.#drop(machine);
	}

	/** Keeps machines of an attempt that has ended, at most `free` of them. Returns how many. */
	ended(run: Run, spec: JobSpec, why: RunEnd, free: number): number {
		if (!run.offer || !this.#serves(spec, run.offer)) return 0;
		this.#demand.add(-run.instances, this.#world.nowMs);
		const price = CLEAN_ENDS.includes(why) ? this.#priceOf(run.offer, 0) : null;
		if (!price) return 0;
		for (let kept = 0; kept < free; kept++) {
			const candidate = { ...price, id: "candidate", idleSinceMs: this.#world.nowMs };
			// It replaces no other machine: both would be paid for until the next review.
			if (this.#plan(price, candidate).end.length > 0) return kept;
			this.idle.add(this.#world.keepAfter(run, { stopped: this.#isStopped, holdMicroUsd: price.holdMicroUsd }));
		}
		return free;
	}

	get #isStopped(): boolean {
		return this.#effect.state === "stopped";
	}

	/** @param bootMs 0 for a machine that already runs. */
	#priceOf(offer: Offer, bootMs: number): PrewarmPrice | null {
		const { microUsdPerHour, onDemandMicroUsdPerHour } = offer;
		if (microUsdPerHour === null) return null;
		const highest = microUsdPerHour > (onDemandMicroUsdPerHour ?? 0n) ? microUsdPerHour : (onDemandMicroUsdPerHour ?? 0n);
		const diskPerMonth = stoppedMicroUsdPerMonth(offer);
		const worstDisk = diskPerMonth / HOURS_PER_MONTH_MIN + 1n;
		return {
			microUsdPerHour: this.#isStopped ? diskPerMonth / HOURS_PER_MONTH : microUsdPerHour,
			bootMicroUsd: costOfElapsed(microUsdPerHour, bootMs),
			holdMicroUsd: holdOf(this.#effect, {
				bootMs,
				bootMicroUsdPerHour: this.#isStopped ? highest + worstDisk : highest,
				idleMicroUsdPerHour: this.#isStopped ? worstDisk : highest,
			}),
		};
	}

	/** A machine was refused or reclaimed. */
	lost(machine: KeptMachine): void {
		this.#drop(machine);
		if (machine.refused) this.#refusedUntil.set(machine.offer.id, this.#world.nowMs + REFUSED_PAUSE_MS);
	}

	/** Posts the cost of a machine that is no longer kept. */
	#drop(machine: KeptMachine): void {
		if (!this.idle.delete(machine)) return;
		const month = monthOf(this.#world.nowMs);
		this.#spent.set(month, (this.#spent.get(month) ?? 0n) + machine.costMicroUsd);
	}

	/** Launches and ends machines, by the rule. */
	review(offers: readonly Offer[]): void {
		this.#demand.advance(this.#world.nowMs);
		const offer = this.#choose(offers);
		const price = offer && this.#priceOf(offer, this.#world.scenario.bootMs);
		const plan = this.#plan(price);
		for (const { id, why } of plan.end) {
			const machine = [...this.idle].find((kept) => kept.id === id);
			if (!machine || machine.refused) continue;
			this.#world.endKept(machine);
			this.#drop(machine);
			if (why === "idle_limit") this.#expiredAtMs = this.#world.nowMs;
		}
		if (!offer || !price) return;
		const how = { stopped: this.#isStopped, holdMicroUsd: price.holdMicroUsd };
		for (let i = 0; i < plan.launch; i++) this.idle.add(this.#world.keep(offer, how));
	}

	#plan(price: PrewarmPrice | null, candidate?: IdleMachine): PrewarmPlan {
		const { nowMs, scenario } = this.#world;
		const idle = [...this.idle].map(({ id, offer, readyAtMs, holdMicroUsd }) => ({
			...{ id, holdMicroUsd, idleSinceMs: readyAtMs },
			microUsdPerHour: this.#priceOf(offer, 0)?.microUsdPerHour ?? 0n,
		}));
		return decidePrewarm(this.#effect, {
			nowMs,
			scheduledSinceMs: this.#effect.hours && hoursSince(this.#effect.hours, this.#calendar, nowMs + scenario.bootMs),
			needed: this.#demand.needed,
			inUse: this.#demand.inUse,
			idle: candidate ? [...idle, candidate] : idle,
			price,
			savedMs: Math.max(0, scenario.bootMs - (this.#isStopped ? startFromStoppedMs(scenario) : LIMITS.warmStartMs)),
			spentMicroUsd: this.#spent.get(monthOf(nowMs)) ?? 0n,
			expiredAtMs: this.#expiredAtMs,
			neededAtMs: this.#neededAtMs,
		});
	}

	/** The offer that the core last launched for such jobs while it is available, else the cheapest that fits. */
	#choose(offers: readonly Offer[]): Offer | null {
		const { nowMs } = this.#world;
		const spec = this.#spec;
		if (spec === null) return null;
		const verdict = judgeJob(this.#policy, spec);
		let best: Offer | null = null;
		for (const offer of offers) {
			if (offer.microUsdPerHour === null || offer.capacityType === "reserved" || !this.#serves(spec, offer)) continue;
			if (nowMs < (this.#refusedUntil.get(offer.id) ?? 0)) continue;
			if (judgePlace(verdict, offer) !== null) continue;
			if (offer.id === this.#lastOfferId) return offer;
			if (best === null || offer.microUsdPerHour < (best.microUsdPerHour ?? 0n)) best = offer;
		}
		return best;
	}
}
