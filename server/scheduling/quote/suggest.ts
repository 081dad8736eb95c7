import type { Candidate, Explanation } from "#server/domain/decision.ts";
import type { Prospect, Suggestion } from "#server/domain/suggestion.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import type { PendingJob, Snapshot } from "../types.ts";
import type { RiskOf } from "./risk-of.ts";
import type { Variant } from "./variants.ts";

/** Sooner by this much, and by this share of the wait, counts as sooner; cheaper likewise. */
const LEAST_SOONER = { ms: 5 * MINUTE_MS, share: 0.05 };
const LEAST_CHEAPER = { microUsd: 10_000, share: 0.05 };
/** Used only for the order, if the policy gives delay no weight: an hour then ranks above any amount of money. */
const UNWEIGHED_MICRO_USD_PER_HOUR = 1e12;
/** Most suggestions shown. */
const MAX_SUGGESTIONS = 4;

/** A variant with its decision. */
export interface AskedVariant {
	variant: Variant;
	job: PendingJob;
	explanation: Explanation;
}

/** The candidate that the job would get or wait for; null while it is held, or when nothing can run it. */
export function expectedOf({ outcome, candidates, reason }: Explanation): Candidate | null {
	const chosen = candidates.find((c) => c.outcome === "chosen");
	if (chosen || outcome !== "wait") return chosen ?? null;
	const first = soonestAtHome(candidates);
	// Work deferred to a better hour starts then, wherever that is.
	const untilMs = reason.code === "deferred_cheaper_hour" || reason.code === "deferred_greener_hour" ? reason.facts["untilMs"] : null;
	return first && typeof untilMs === "number" ? notBefore(first, untilMs) : first;
}

/** The owned pool that starts it first; null if none can run it. */
export function soonestAtHome(candidates: readonly Candidate[]): Candidate | null {
	let first: Candidate | null = null;
	for (const c of candidates) {
		if (c.placement.capacityType !== "owned" || c.outcome === "removed") continue;
		if (first === null || c.start.p50Ms < first.start.p50Ms) first = c;
	}
	return first;
}

function notBefore(candidate: Candidate, atMs: number): Candidate {
	const laterMs = Math.max(0, atMs - candidate.start.p50Ms);
	const { start, finish } = candidate;
	const later = ({ p50Ms, p90Ms }: Candidate["start"]): Candidate["start"] => ({ p50Ms: p50Ms + laterMs, p90Ms: p90Ms + laterMs });
	return { ...candidate, start: later(start), finish: later(finish) };
}

export function prospectOf(explanation: Explanation, job: PendingJob, riskOf: RiskOf): Prospect | null {
	const expected = expectedOf(explanation);
	if (!expected) return null;
	const { placement, start, finish, cashMicroUsd } = expected;
	return { placement, start, finish, cashMicroUsd, deadlineRisk: riskOf(job, expected) };
}

/**
 * Variants that are really sooner or cheaper, and better by the policy's own weights: new cash, and the hours until the end × the delay
 * weight. Without a delay weight, sooner is better at any cost, because a burst rule also applies at any cost; cheaper is better if it is
 * not later. Best first; of two that change the same field, the better one.
 */
export function suggest(asIs: Prospect | null, asked: readonly AskedVariant[], { policy, nowMs }: Snapshot, riskOf: RiskOf): Suggestion[] {
	const delayMicroUsdPerHour = Number(policy.weights.delayMicroUsdPerHour);
	const weightOf = ({ cashMicroUsd, finish }: Prospect): number =>
		Number(cashMicroUsd) + ((finish.p50Ms - nowMs) / HOUR_MS) * (delayMicroUsdPerHour || UNWEIGHED_MICRO_USD_PER_HOUR);
	const better = asked.flatMap(({ variant, job, explanation }) => {
		const prospect = prospectOf(explanation, job, riskOf);
		if (!prospect) return [];
		const weight = weightOf(prospect);
		if (asIs !== null) {
			const { sooner, cheaper, later } = gainOf(asIs, prospect, nowMs);
			const ranksBetter = delayMicroUsdPerHour > 0 ? weight < weightOf(asIs) : !later;
			if (!(sooner || cheaper) || !ranksBetter) return [];
		}
		return [{ weight, suggestion: suggestionOf(variant, prospect, asIs) }];
	});
	better.sort((a, b) => a.weight - b.weight);
	const kinds = new Set<string>();
	const first = better.filter(({ suggestion: { change } }) => {
		const kind = change.kind === "accelerator" ? change.accelerator : change.kind;
		return !kinds.has(kind) && kinds.add(kind);
	});
	return first.slice(0, MAX_SUGGESTIONS).map(({ suggestion }) => suggestion);
}

function gainOf(asIs: Prospect, changed: Prospect, nowMs: number): { sooner: boolean; cheaper: boolean; later: boolean } {
	const soonerMs = asIs.finish.p50Ms - changed.finish.p50Ms;
	const leastMs = Math.max(LEAST_SOONER.ms, LEAST_SOONER.share * (asIs.finish.p50Ms - nowMs));
	const savedMicroUsd = Number(BigInt(asIs.cashMicroUsd) - BigInt(changed.cashMicroUsd));
	const leastMicroUsd = Math.max(LEAST_CHEAPER.microUsd, LEAST_CHEAPER.share * Number(asIs.cashMicroUsd));
	return { sooner: soonerMs >= leastMs, cheaper: savedMicroUsd >= leastMicroUsd, later: soonerMs <= -leastMs };
}

function suggestionOf({ change, fields }: Variant, prospect: Prospect, asIs: Prospect | null): Suggestion {
	return {
		change,
		fields,
		prospect,
		startsEarlierMs: asIs === null ? null : asIs.start.p50Ms - prospect.start.p50Ms,
		finishesEarlierMs: asIs === null ? null : asIs.finish.p50Ms - prospect.finish.p50Ms,
		savesMicroUsd: asIs === null ? null : String(BigInt(asIs.cashMicroUsd) - BigInt(prospect.cashMicroUsd)),
	};
}
