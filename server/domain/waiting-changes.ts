import type { RemovalCode } from "./decision.ts";
import type { Reason } from "./reasons.ts";
import { removalWords } from "./removal-sentences.ts";
import { budgetName, PLAIN_FORMATTERS, plural, type Read, read, type SentenceFormatters } from "./sentence-facts.ts";

/** What would change that a job waits: time alone, money, people, or another policy. */
export interface WaitingChange {
	by: "time" | "money" | "people" | "policy";
	sentence: string;
}

/**
 * What would change the reason for which a job waits, the nearest first. It follows from the reason's own facts: one that an
 * older version did not write leaves its sentence out.
 */
export function waitingChanges({ code, facts }: Reason, formatters: SentenceFormatters = PLAIN_FORMATTERS): WaitingChange[] {
	const r = read(facts, formatters);
	switch (code) {
		case "submitted":
			return [{ by: "time", sentence: "The next cycle looks at it, within seconds." }];
		case "waiting_for_home":
			return [...startsAtHome(r), ...leavesHome(r)];
		case "waiting_to_burst":
			return [
				...changeBy("time", r.duration("dueInMs"), (d) => `In ${d}, rule ${ruleOf(r)} lets it leave for the cloud.`),
				...startsAtHome(r),
			];
		case "waiting_no_allowed_offer":
			return [...otherRule(r, "cause", "ruleId"), ...startsAtHome(r)];
		case "budget_exceeded":
			return [
				...changeBy(
					"money",
					r.money("missingMicroUsd"),
					(m) => `${m} more in ${budgetName(r)}: by a higher cap, or by work that ends cheaper.`,
				),
				...startsAtHome(r),
			];
		case "cap_exceeded":
			return [
				{ by: "time", sentence: `Work under cap ${r.text("capId") ?? "of the policy"} that ends makes room for it.` },
				...startsAtHome(r),
			];
		case "approval_required":
			return [{ by: "people", sentence: `A yes to ${r.money("costMicroUsd") ?? "its cost"}, which rule ${ruleOf(r)} asks for.` }];
		case "waiting_not_approved":
			return [
				{ by: "people", sentence: `A yes to ${r.money("costMicroUsd") ?? "its cost"}: it can be asked for again.` },
				...startsAtHome(r),
			];
		case "capacity_backoff":
			return [...changeBy("time", r.instant("untilMs"), (t) => `At ${t} the offers are asked again.`), ...startsAtHome(r)];
		case "waiting_for_spot":
			return [
				...changeBy("time", r.instant("askAgainMs"), (t) => `At ${t} spot is asked for again, and it is launched when there is some.`),
				...changeBy("time", r.instant("untilMs"), (t) => `By ${t} it starts on non-spot capacity, for its deadline.`),
				...startsAtHome(r),
			];
		case "held_by_person":
			return [{ by: "people", sentence: "Releasing the job returns it to the queue." }];
		case "no_progress":
			return [{ by: "people", sentence: "Resuming the job lets it use the cloud again." }, ...startsAtHome(r)];
		case "copying_data_ahead":
			return [
				...changeBy("time", r.instant("readyAtMs"), (t) => `At ${t} its data are expected to be there, and it is launched.`),
				...startsAtHome(r),
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
		return [{ by: "time", sentence: `${plural(evicted, "running job")} will have made room for it${p50 === null ? "" : ` by ${p50}`}.` }];
	if (p50 === null) return [];
	const late = p90 === null || p90 === p50 ? "" : `, by ${p90} in nine of ten`;
	const behind = ahead === null || ahead === 0 ? "" : `, behind ${plural(ahead, "job")}`;
	return [{ by: "time", sentence: `A slot at home comes free: forecast for ${p50}${late}${behind}.` }];
}

/** Why it does not leave, turned round. */
function leavesHome(r: Read): WaitingChange[] {
	if (r.text("cloudCause") !== null) return otherRule(r, "cloudCause", "cloudRuleId");
	const [home, cloud] = [r.money("homeScoreMicroUsd"), r.money("cloudScoreMicroUsd")];
	if (home !== null && cloud !== null) {
		return [{ by: "time", sentence: `It leaves once waiting costs more than the best offer (${cloud}); it costs ${home} now.` }];
	}
	if (r.instant("cloudStartMs") !== null)
		return [{ by: "time", sentence: "It leaves once home would start it later than the cloud could." }];
	return changeBy("time", r.duration("thresholdMs"), (d) => `It leaves by rule ${ruleOf(r)} once the forecast wait at home exceeds ${d}.`);
}

function otherRule(r: Read, cause: string, rule: string): WaitingChange[] {
	const why = r.text(cause);
	if (why === null) return [];
	const words = removalWords(why as RemovalCode, r.text(rule), r);
	// What no rule says is a fact of the places: other machines, prices or regions would have to be there.
	return [{ by: r.text(rule) === null ? "time" : "policy", sentence: `A cloud offer to which this does not apply: ${words}.` }];
}
