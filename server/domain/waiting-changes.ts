import type { RemovalCode } from "./decision.ts";
import type { Reason } from "./reasons.ts";
import { removalWords } from "./removal-sentences.ts";
import { budgetName, clause, PLAIN_FORMATTERS, plural, type Read, read, type SentenceFormatters } from "./sentence-facts.ts";

/** What would end a job's wait: time alone, money, people, or another policy. */
export interface WaitingChange {
	by: "time" | "money" | "people" | "policy";
	sentence: string;
}

/**
 * What would remove the reason why a job waits, nearest first. Derived from the reason's own facts; a fact missing
 * from an older version's row omits its sentence.
 */
export function waitingChanges({ code, facts }: Reason, formatters: SentenceFormatters = PLAIN_FORMATTERS): WaitingChange[] {
	const r = read(facts, formatters);
	switch (code) {
		case "submitted":
			return [{ by: "time", sentence: "The next scheduling cycle decides, within seconds." }];
		case "waiting_for_home":
			return [...startsAtHome(r), ...leavesHome(r)];
		case "waiting_to_burst":
			return [...changeBy("time", r.duration("dueInMs"), (d) => `In ${d}, rule ${ruleOf(r)} lets it burst.`), ...startsAtHome(r)];
		case "waiting_no_allowed_offer":
			return [...otherRule(r, "cause", "ruleId"), ...startsAtHome(r)];
		case "budget_exceeded":
			return [
				...changeBy(
					"money",
					r.money("missingMicroUsd"),
					(m) => `${m} more in ${budgetName(r)}: from a higher cap, or from work that costs less than was reserved for it.`,
				),
				...startsAtHome(r),
			];
		case "cap_exceeded":
			return [{ by: "time", sentence: `Other work under cap ${r.text("capId") ?? "of the policy"} ends.` }, ...startsAtHome(r)];
		case "approval_required":
			return [{ by: "people", sentence: `Approval of ${r.money("costMicroUsd") ?? "its cost"}, required by rule ${ruleOf(r)}.` }];
		case "waiting_not_approved":
			return [
				{ by: "people", sentence: `Approval of ${r.money("costMicroUsd") ?? "its cost"}, which can be requested again.` },
				...startsAtHome(r),
			];
		case "capacity_backoff":
			return [...changeBy("time", r.instant("untilMs"), (t) => `At ${t} Spillway tries the offers again.`), ...startsAtHome(r)];
		case "waiting_for_spot":
			return [
				...changeBy(
					"time",
					r.instant("askAgainMs"),
					(t) => `At ${t} Spillway requests spot capacity again, and launches if there is some.`,
				),
				...changeBy("time", r.instant("untilMs"), (t) => `By ${t} it starts on non-spot capacity, to meet its deadline.`),
				...startsAtHome(r),
			];
		case "held_by_person":
			return [{ by: "people", sentence: "Releasing the job returns it to the queue." }];
		case "no_progress":
			return [{ by: "people", sentence: "Resuming the job lets it use the cloud again." }, ...startsAtHome(r)];
		case "copying_data_ahead":
			return [
				...changeBy("time", r.instant("readyAtMs"), (t) => `At ${t} its data should be copied, and it launches.`),
				...startsAtHome(r),
			];
		case "copying_data_home":
			return [
				{
					by: "time",
					sentence: `Once its data is copied${clause(r.instant("readyAtMs"), (t) => ` (expected ${t})`)}, it starts when slots are free.`,
				},
			];
		case "deferred_cheaper_hour":
		case "deferred_greener_hour":
			return [
				...changeBy("time", r.instant("untilMs"), (t) => `It starts at ${t}.`),
				{ by: "policy", sentence: `Without rule ${ruleOf(r)} it would start now.` },
			];
		default:
			return [];
	}
}

const ruleOf = (r: Read): string => r.text("ruleId") ?? "of the policy";

function changeBy(by: WaitingChange["by"], value: string | null, write: (value: string) => string): WaitingChange[] {
	return value === null ? [] : [{ by, sentence: write(value) }];
}

function startsAtHome(r: Read): WaitingChange[] {
	const [p50, p90, ahead] = [r.instant("startP50Ms"), r.instant("startP90Ms"), r.count("ahead")];
	const evicted = r.count("evicted") ?? 0;
	if (evicted > 0)
		return [{ by: "time", sentence: `${plural(evicted, "running job")} will make room for it${p50 === null ? "" : `, by ${p50}`}.` }];
	if (p50 === null) return [];
	const late = p90 === null || p90 === p50 ? "" : `, 90% by ${p90}`;
	const behind = ahead === null || ahead === 0 ? "" : `, after ${plural(ahead, "job")}`;
	return [{ by: "time", sentence: `Owned GPUs become free: expected ${p50}${late}${behind}.` }];
}

/** The reasons why it does not leave, inverted. */
function leavesHome(r: Read): WaitingChange[] {
	if (r.text("cloudCause") !== null) return otherRule(r, "cloudCause", "cloudRuleId");
	const [home, cloud] = [r.money("homeScoreMicroUsd"), r.money("cloudScoreMicroUsd")];
	if (home !== null && cloud !== null) {
		return [{ by: "time", sentence: `It bursts once waiting costs more than the best offer (${cloud}). Waiting costs ${home} now.` }];
	}
	if (r.instant("cloudStartMs") !== null)
		return [{ by: "time", sentence: "It bursts once the cloud could start it sooner than owned GPUs." }];
	return changeBy(
		"time",
		r.duration("thresholdMs"),
		(d) => `It bursts by rule ${ruleOf(r)} once the forecast wait for owned GPUs exceeds ${d}.`,
	);
}

function otherRule(r: Read, cause: string, rule: string): WaitingChange[] {
	const why = r.text(cause);
	if (why === null) return [];
	const words = removalWords(why as RemovalCode, r.text(rule), r);
	// Without a rule to blame, the places are the limit: other machines, prices or regions would be needed.
	return [{ by: r.text(rule) === null ? "time" : "policy", sentence: `A cloud offer without this problem: ${words}.` }];
}
