import type { Placement } from "#server/domain/capacity.ts";
import type { Candidate, Explanation, Outcome, TimeRange } from "#server/domain/decision.ts";
import { needsInterconnect } from "#server/domain/interconnect.ts";
import type { Reason } from "#server/domain/reasons.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { leastScores, type PassedOver } from "./best-offer.ts";
import { budgetFacts } from "./budget.ts";
import type { DueBurst } from "./burst.ts";
import { type OfferChoice, shortRemoval } from "./choose-offer.ts";
import { backoffOf, type CloudRun, type Estimate, estimateOf, holdOf, restOn, stagingOn, worstCaseOf } from "./cost.ts";
import { homeStart, restIn } from "./home.ts";
import type { HomePool } from "./home-pool.ts";
import { backoffRemoval, type ExplainedGroup, gramsOf, type OfferRow } from "./offers.ts";
import type { QueuedJob } from "./order.ts";
import type { Removal } from "./removal.ts";
import type { Shape } from "./shape.ts";
import type { Snapshot, TimeSpread } from "./types.ts";

/** All that was known when one job was decided. It must be explained before its slots or money are taken. */
export interface DecidedJob {
	snapshot: Snapshot;
	queued: QueuedJob;
	shape: Shape;
	run: CloudRun;
	homeRange: TimeRange | null;
	due: DueBurst | null;
	/** null if no offer was searched: a slot was free, no rule was due, or home starts it sooner. */
	choice: OfferChoice | null;
	outcome: Outcome;
	reason: Reason;
	/** The pool where it is placed now. */
	placedIn: HomePool | null;
	/** Most candidates in the list. */
	candidates: number;
}

/** With the figures that all its cloud candidates share. */
interface Explained extends DecidedJob {
	cloudStart: TimeRange;
}

export function explain(decided: DecidedJob): Explanation {
	const { snapshot, run } = decided;
	const cloudStart = { p50Ms: snapshot.nowMs + run.start.p50Ms, p90Ms: snapshot.nowMs + run.start.p90Ms };
	const d: Explained = { ...decided, cloudStart };
	const home = d.shape.pools.map((p) => homeCandidate(d, p.pool, p.removal));
	// Places that can run it come first, so that many pools do not push the answer out of the list.
	const shown = [...home].sort((a, b) => HOME_ORDER[a.outcome] - HOME_ORDER[b.outcome]).slice(0, Math.ceil(d.candidates / 2));
	const cloud = cloudCandidates(d, d.candidates - shown.length);
	const fit = d.shape.offers();
	return {
		jobId: d.queued.job.jobId,
		decidedAtMs: d.snapshot.nowMs,
		policy: { name: d.snapshot.policy.name, version: d.snapshot.policyVersion },
		outcome: d.outcome,
		reason: d.reason,
		verdict: !fit.possible ? "deny" : d.choice?.kind === "needs_approval" ? "needs_approval" : "allow",
		homeStart: d.homeRange,
		candidates: [...shown, ...cloud],
		removed: removedGroups(d, [...home, ...cloud]),
		consideredCount: d.shape.pools.length + d.snapshot.offers.length,
	};
}

const HOME_ORDER: Record<Candidate["outcome"], number> = { chosen: 0, passes: 1, removed: 2 };

function homeCandidate(d: Explained, pool: HomePool, removal: Removal | null): Candidate {
	const { spec } = d.queued.job;
	const { nowMs, policy } = d.snapshot;
	const gpus = spec.nodes * spec.resources.gpus;
	const unreachable: Removal | null = pool.view.healthy
		? null
		: { ruleId: null, why: "site_unreachable", facts: { siteId: pool.view.siteId } };
	const out = removal ?? unreachable;
	const only = d.shape.home.length === 1 && d.shape.home[0] === pool ? d.homeRange : null;
	const start = out ? null : (only ?? homeStart([pool], spec, d.queued.rest, d.snapshot)?.range ?? null);
	const shownStart = start ?? { p50Ms: nowMs, p90Ms: nowMs };
	const hourly = pool.view.microUsdPerGpuHour * BigInt(Math.max(0, Math.trunc(gpus)));
	const rest = restIn(pool, d.queued.rest);
	const compute = Math.ceil(Number(hourly) * (rest.p50Ms / HOUR_MS));
	const grid = pool.view.gridGramsPerKwh;
	const grams = grid === null ? null : gramsOf(pool.view.wattsPerGpu * gpus, rest.p50Ms, grid, pool.view.pue);
	const laterMs = shownStart.p50Ms - nowMs + rest.p50Ms - d.queued.rest.p50Ms;
	return {
		placement: placementOfPool(pool),
		offerId: null,
		instances: spec.nodes,
		hourlyMicroUsd: String(hourly),
		start: shownStart,
		finish: finishOf(shownStart, rest),
		...(pool.speed !== 1 && { speed: pool.speed }),
		...(needsInterconnect(spec) && pool.view.interconnect === undefined && { interconnectUnknown: true as const }),
		computeMicroUsd: moneyText(compute),
		egressMicroUsd: "0",
		totalMicroUsd: moneyText(compute),
		cashMicroUsd: "0",
		worstCaseMicroUsd: "0",
		emissionsGrams: grams,
		// Owned time is paid for whether used or not, so the choice compares only new spending.
		scoreMicroUsd: moneyText(scoreOf(0, laterMs, grams, d.run.delayMicroUsdPerHour, policy.weights)),
		outcome: out ? "removed" : d.placedIn === pool ? "chosen" : "passes",
		removedBy: out,
	};
}

function placementOfPool(pool: HomePool): Placement {
	return {
		siteId: pool.view.siteId,
		provider: pool.place.provider,
		region: null,
		zone: null,
		capacityType: "owned",
		instanceType: null,
		poolId: pool.view.id,
		accelerator: pool.view.accelerator,
	};
}

/** Eligible offers by score, with the reasons against each; the chosen one is always among them. */
function cloudCandidates(d: Explained, count: number): Candidate[] {
	const fit = d.shape.offers();
	const rows = leastScores(fit.eligible, d.run, count);
	const chosen = d.choice?.kind === "chosen" ? d.choice.row : null;
	if (chosen && !rows.includes(chosen)) rows[rows.length - 1] = chosen;
	const passedOver = new Map(d.choice?.passedOver.map((p) => [p.row, p]));
	const candidates = rows.map((row) => cloudCandidate(d, row, row === chosen ? null : survivorRemoval(d, row, passedOver.get(row))));
	return candidates.map((c) => (chosen !== null && c.offerId === chosen.offer.id ? { ...c, outcome: "chosen" as const } : c));
}

const BURST_NOT_DUE: Removal = { ruleId: null, why: "burst_not_due", facts: {} };

/** Reasons against an offer that hardware, policy and price allow. */
function survivorRemoval(d: Explained, row: OfferRow, passedOver: PassedOver | undefined): Removal | null {
	const { nowMs } = d.snapshot;
	const backoffUntilMs = backoffOf(row, d.snapshot.offerRecords);
	if (backoffUntilMs > nowMs) return backoffRemoval(backoffUntilMs, row.offer.backoffReason);
	if (passedOver) return passedOver.removal;
	const avoided = d.queued.job.avoidOffers.find((a) => a.offerId === row.offer.id && a.untilMs > nowMs);
	if (avoided) return backoffRemoval(avoided.untilMs, null);
	if (d.due === null) return BURST_NOT_DUE;
	if (d.choice?.kind === "over_cap") return shortRemoval(d.choice);
	if (d.choice?.kind === "waits_for_spot") return row.offer.capacityType === "spot" ? null : d.choice.removal;
	if (d.choice?.kind !== "over_budget") return null;
	// The same budget is short for every offer; a more expensive one adds the difference of the holds to the shortfall.
	const missingMicroUsd = d.choice.short.missingMicroUsd + holdOf(row, d.run) - holdOf(d.choice.row, d.run);
	return { ruleId: null, why: "budget_exceeded", facts: budgetFacts({ ...d.choice.short, missingMicroUsd }) };
}

function cloudCandidate(d: Explained, row: OfferRow, removal: Removal | null): Candidate {
	const { offer } = row;
	const estimate = estimateOf(row, d.run);
	const { computeMicroUsd, egressMicroUsd, storageMicroUsd, totalMicroUsd } = estimate;
	return {
		placement: row.placement,
		offerId: offer.id,
		instances: d.queued.job.spec.nodes,
		hourlyMicroUsd: String((offer.microUsdPerHour ?? 0n) * BigInt(d.run.instances)),
		...timesOf(d, row, estimate),
		...speedFacts(row, d.run),
		computeMicroUsd: moneyText(computeMicroUsd),
		egressMicroUsd: moneyText(egressMicroUsd),
		...stagingFacts(row, d.run),
		...(estimate.copyAheadMs > 0 && { copyAheadMs: Math.round(estimate.copyAheadMs) }),
		...(storageMicroUsd !== null && { storageMicroUsd: moneyText(storageMicroUsd) }),
		totalMicroUsd: moneyText(totalMicroUsd),
		cashMicroUsd: moneyText(totalMicroUsd),
		worstCaseMicroUsd: String(worstCaseOf(row, d.run, estimate)),
		emissionsGrams: estimate.emissionsGrams,
		scoreMicroUsd: moneyText(estimate.scoreMicroUsd),
		outcome: removal ? "removed" : "passes",
		removedBy: removal,
	};
}

/** Expected staging with its range; nothing without data to copy. */
function stagingFacts(row: OfferRow, run: CloudRun): Pick<Candidate, "staging"> {
	const { ms, rangeMs } = stagingOn(row, run);
	if (ms <= 0 || !Number.isFinite(ms)) return {};
	return { staging: { expectedMs: Math.round(ms), lowMs: Math.round(rangeMs.low), highMs: Math.round(rangeMs.high) } };
}

/** Start delay from data copied ahead, expected refusals and staging, and end delay from work repeated after interruptions. */
function timesOf(
	d: Explained,
	row: OfferRow,
	{ copyAheadMs, refusalMs, stagingMs, reworkMs }: Estimate,
): Pick<Candidate, "start" | "finish"> {
	const later = ({ p50Ms, p90Ms }: TimeRange, byMs: number): TimeRange => ({ p50Ms: p50Ms + byMs, p90Ms: p90Ms + byMs });
	const start = d.cloudStart;
	const finish = finishOf(start, restOn(row, d.run));
	const startsLaterMs = Math.round(copyAheadMs + refusalMs + stagingMs);
	return { start: later(start, startsLaterMs), finish: later(finish, startsLaterMs + Math.round(reworkMs)) };
}

/** Expected speed of the job there, and the source of that figure; nothing for a speed of exactly 1. */
function speedFacts(row: OfferRow, { speeds }: CloudRun): Pick<Candidate, "speed" | "speedSource"> {
	const found = speeds?.on(row.machine.accelerator);
	if (!found || found.source === null) return {};
	return { speed: Number(found.speed.toPrecision(3)), speedSource: found.source };
}

/** Cash + hours of delay × its weight + tonnes × their weight, µ$. */
function scoreOf(
	cashMicroUsd: number,
	delayMs: number,
	grams: number | null,
	delayMicroUsdPerHour: number,
	weights: Snapshot["policy"]["weights"],
): number {
	const delay = (delayMs / HOUR_MS) * delayMicroUsdPerHour;
	return cashMicroUsd + delay + ((grams ?? 0) / 1e6) * Number(weights.carbonMicroUsdPerTonne);
}

function finishOf(start: TimeRange, rest: TimeSpread): TimeRange {
	return { p50Ms: Math.round(start.p50Ms + rest.p50Ms), p90Ms: Math.round(start.p90Ms + rest.p90Ms) };
}

/** Everything excluded, grouped by reason: pools, offers by shape, and offers excluded for this job only. */
function removedGroups(d: Explained, known: readonly Candidate[]): Explanation["removed"] {
	const groups = new Map<string, ExplainedGroup>();
	const add = (ruleId: string | null, why: Removal["why"], count: number, cheapest: () => Candidate): void => {
		const key = `${why}\n${ruleId ?? ""}`;
		const group = groups.get(key);
		if (group) group.count += count;
		else groups.set(key, { ruleId, why, count, cheapest: cheapest() });
	};
	const fit = d.shape.offers();
	for (const g of shapeGroups(d)) groups.set(`${g.why}\n${g.ruleId ?? ""}`, { ...g });
	for (const p of d.choice?.passedOver ?? []) {
		// Back-off from the offer itself is counted with the shape's.
		if (p.removal.why === "capacity_backoff" && p.row.backoffUntilMs > d.snapshot.nowMs) continue;
		const { removal } = p;
		add(removal.ruleId, removal.why, 1, () => cloudCandidate(d, p.row, removal));
	}
	const rest = fit.usable[0];
	const forAll =
		rest && (d.due === null || d.choice?.kind === "over_budget" || d.choice?.kind === "over_cap")
			? survivorRemoval(d, rest, undefined)
			: null;
	if (rest && forAll)
		add(
			forAll.ruleId,
			forAll.why,
			fit.usable.length,
			() => known.find((c) => c.offerId === rest.offer.id) ?? cloudCandidate(d, rest, forAll),
		);
	for (const c of known) if (c.offerId === null && c.removedBy) add(c.removedBy.ruleId, c.removedBy.why, 1, () => c);
	return [...groups.values()].sort(
		(a, b) => b.count - a.count || (a.why < b.why ? -1 : a.why > b.why ? 1 : (a.ruleId ?? "") < (b.ruleId ?? "") ? -1 : 1),
	);
}

/** Exclusions of offers for all jobs with the same requirements and place rules; those with one length of run and value of delay share them. */
function shapeGroups(d: Explained): readonly ExplainedGroup[] {
	const { rest, lifeMs, delayMicroUsdPerHour, saves } = d.run;
	// The groups are cleared at each moment, within which a spec's speeds are one object.
	const key = `${speedKey(d.run)} ${delayMicroUsdPerHour} ${saves.expectedGiB} ${saves.worstGiB} ${rest.p50Ms} ${rest.p90Ms} ${lifeMs} ${d.run.checkpointEveryMs} ${d.run.data.map((set) => `${set.uri} ${set.sizeGiB}`).join("|")} ${d.run.data.length === 0 ? "" : d.run.submittedAtMs}`;
	const fit = d.shape.offers();
	const { explained } = fit;
	if (explained.atMs !== d.snapshot.nowMs) {
		explained.atMs = d.snapshot.nowMs;
		explained.groups.clear();
	}
	const known = explained.groups.get(key);
	if (known) return known;
	const groups = fit.removed.map(({ ruleId, why, facts, count, cheapest }) => ({
		ruleId,
		why,
		count,
		cheapest: cloudCandidate(d, cheapest, { ruleId, why, facts }),
	}));
	explained.groups.set(key, groups);
	return groups;
}

const speedKeys = new WeakMap<object, number>();
let nextSpeedKey = 1;

/** A number for each distinct set of speeds. */
function speedKey({ speeds }: CloudRun): number {
	if (speeds === null) return 0;
	const known = speedKeys.get(speeds) ?? nextSpeedKey++;
	speedKeys.set(speeds, known);
	return known;
}

/** Whole µ$ as text; a missing price shows as 0 next to the exclusion that explains it. */
function moneyText(microUsd: number): string {
	if (!Number.isFinite(microUsd)) return "0";
	return Math.abs(microUsd) < 1e15 ? String(Math.round(microUsd)) : String(BigInt(Math.round(microUsd)));
}
