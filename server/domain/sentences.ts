import type { RemovalCode } from "./decision.ts";
import { endWords } from "./end-sentences.ts";
import type { Reason, ReasonCode } from "./reasons.ts";
import { removalWords } from "./removal-sentences.ts";
import {
	askedPerson,
	budgetName,
	capWords,
	clause,
	label,
	PLAIN_FORMATTERS,
	plural,
	type Read,
	read,
	type SentenceFormatters,
} from "./sentence-facts.ts";

/**
 * The only place that formats a reason as text: what happened, with numbers and units. Missing facts are left out of
 * the sentence, so that rows written by an older version stay readable.
 */
export function sentenceOf(reason: Reason, formatters: SentenceFormatters = PLAIN_FORMATTERS): string {
	return `${wordsOf(reason.code, read(reason.facts, formatters))}.`;
}

function wordsOf(code: ReasonCode, r: Read): string {
	switch (code) {
		case "submitted":
			return "Submitted; the scheduler has not decided yet";
		case "waiting_for_home":
			return `Waiting for a slot at home${aheadClause(r)}${makingRoom(r)}${homeStart(r)}${whyNotCloud(r)}`;
		case "waiting_to_burst":
			return `Waiting: rule ${r.text("ruleId") ?? "for bursting"} may send it to the cloud${clause(r.duration("dueInMs"), (d) => ` in ${d}`)}${clause(r.duration("thresholdMs"), (d) => `, after ${d} of waiting`)}${homeStart(r)}`;
		case "waiting_no_allowed_offer":
			if (r.text("noSites") !== null) return "Waiting: no site is set up; add one under Settings › Sites";
			return `Waiting: none of ${plural(r.count("offers") ?? 0, "cloud offer")} can be used now${noOfferCause(r)}${homeStart(r)}`;
		case "budget_exceeded":
			return `Held: ${budgetName(r)} is ${r.money("missingMicroUsd") ?? "money"} short of the cheapest allowed offer${clause(r.money("freeMicroUsd"), (m) => `; ${m} is free`)}${clause(r.money("capMicroUsd"), (m) => ` of a cap of ${m}`)}${homeStart(r)}`;
		case "cap_exceeded":
			return `Waiting: ${capWords(r)}${homeStart(r)}`;
		case "approval_required":
			return `Held: rule ${r.text("ruleId") ?? "of the policy"} requires approval by ${askedPerson(r.text("role"))} for an estimated ${r.money("costMicroUsd") ?? "cost"}${clause(r.money("approvedMicroUsd"), (m) => `; approved up to ${m}`)}`;
		case "waiting_not_approved":
			return `Waiting for a slot at home: rule ${r.text("ruleId") ?? "of the policy"} requires approval by ${askedPerson(r.text("role"))}, and ${approvalAnswer(r)}${homeStart(r)}`;
		case "capacity_backoff":
			return `Waiting: every allowed offer recently ran out of capacity or quota and is paused${clause(r.instant("untilMs"), (t) => ` until ${t}`)}${homeStart(r)}`;
		case "waiting_for_spot":
			return `Waiting for spot: none was available just now${clause(r.instant("askAgainMs"), (t) => `; next try at ${t}`)}${clause(r.instant("untilMs"), (t) => `; the deadline allows waiting until ${t}, since`) || "; the deadline allows it, since"} non-spot capacity is available${clause(r.money("hourlyMicroUsd"), (m) => ` for ${m} per hour`)}${clause(r.money("spotHourlyMicroUsd"), (m) => `, and spot costs ${m}`)}${homeStart(r)}`;
		case "deferred_cheaper_hour":
		case "deferred_greener_hour":
			return `Deferred${clause(r.instant("untilMs"), (t) => ` until ${t}`)} by rule ${r.text("ruleId") ?? "of the policy"}: ${code === "deferred_cheaper_hour" ? "the hour is cheaper" : "the grid is greener then"}${clause(r.money("savingMicroUsd"), (m) => `, which saves ${m}`)}${clause(r.text("savedGrams"), (g) => `, which saves ${g} g CO2e`)}${foretold(r)}`;
		case "copying_data_ahead":
			return `Waiting while its data are copied to ${r.text("provider") ?? "the cloud"}${clause(r.text("region"), (p) => ` ${p}`)}, before GPUs are billed there${clause(r.text("gib"), (g) => `: ${g} GiB`)}${clause(r.instant("readyAtMs"), (t) => `, expected to be there by ${t}`)}${clause(r.money("savedMicroUsd"), (m) => `; a machine that copied them itself would cost ${m} more`)}${clause(r.text("problem"), (e) => `; the last try failed: ${e}`)}${homeStart(r)}`;
		case "copying_data_home":
			return `Waiting while its data are copied to ${r.text("siteId") ?? "its site"}, without slots${clause(r.text("gib"), (g) => `: ${g} GiB`)}${clause(r.instant("readyAtMs"), (t) => `, expected to be there by ${t}`)}${clause(r.money("egressMicroUsd"), (m) => `; egress costs at most ${m}`)}${clause(r.text("problem"), (e) => `; the last try failed: ${e}`)}`;
		case "no_progress":
			return `Held: ${plural(r.count("attempts") ?? 0, "attempt")} in a row ended early and saved nothing${clause(r.duration("lostMs"), (d) => `; ${d} of machine time`)}${clause(r.money("lostMicroUsd"), (m) => ` and ${m} were lost`)}. Save checkpoints more often or allow longer instance lifetimes, then resume the job`;
		case "held_by_person":
			return `Held by ${r.text("by") ?? "a person"}`;
		case "placed_home":
			return `Placed at home${clause(r.text("poolId"), (p) => ` in pool ${p}`)}: ${slotText(r)} free${clause(r.text("speed"), (s) => `, jobs run at ${s} × the usual speed there`)}`;
		case "placed_cloud":
			return `Sent to ${cloudPlace(r)}${clause(r.text("warmRule"), (id) => `, on a machine kept warm by rule ${id}`)}${burstCause(r)}${clause(r.money("costMicroUsd"), (m) => `; expected to cost ${m}`)}${clause(r.money("holdMicroUsd"), (m) => `, at most ${m}`)}${speedWords(r)}`;
		case "started":
			return `Running${clause(r.count("attempt"), (n) => `, attempt ${n}`)}`;
		default:
			return endWords(code, r);
	}
}

const SPEED_WORDS: Readonly<Record<string, string>> = {
	measured: "measured",
	declared: "declared in the job file",
	learned: "learned from similar jobs",
	prior: "from public benchmarks",
};

/** Expected run time on the accelerator, and the source of its speed. */
function speedWords(r: Read): string {
	const [accelerator, speed, runTime] = [r.text("accelerator"), r.text("speed"), r.duration("runMs")];
	if (accelerator === null || speed === null || runTime === null) return "";
	const from = SPEED_WORDS[r.text("speedSource") ?? ""] ?? "estimated";
	const runs = clause(r.count("speedRuns"), (n) => ` in ${n} ${n === "1" ? "run" : "runs"}`);
	const trial = r.text("trial") === "true" ? ", tried to measure it" : "";
	return `; about ${runTime} on ${accelerator} (${speed} × the reference speed, ${from}${runs}${trial})`;
}

/** Source and time of the hourly forecast. */
function foretold(r: Read): string {
	const [source, at, days] = [r.text("foretoldBy"), r.instant("foretoldAtMs"), r.count("foretoldDays")];
	if (source === null || at === null) return "";
	if (days === null) return `; forecast by ${source} at ${at}`;
	return `; estimated from the same hours of ${plural(days, "day")} up to ${at} (${source})`;
}

function approvalAnswer(r: Read): string {
	switch (r.text("answer")) {
		case "refused":
			return "the request was rejected";
		case "expired":
			return "no one answered in time; request it again if still needed";
		case "granted":
			return `the approval covers ${r.money("approvedMicroUsd") ?? "less"}, but the expected cost is ${r.money("costMicroUsd") ?? "more"}`;
		default:
			return "it is not approved";
	}
}

/** A job with room made for it by others is not queued for that room. */
function aheadClause(r: Read): string {
	const ahead = (r.count("evicted") ?? 0) > 0 ? null : r.count("ahead");
	return ahead === null ? "" : ahead === 0 ? ", first in line" : ` behind ${plural(ahead, "job")}`;
}

/** Running jobs that are moved to make room for it. */
function makingRoom(r: Read): string {
	const evicted = r.count("evicted");
	if (evicted === null || evicted === 0) return "";
	return `; ${plural(evicted, "running job")} ${evicted === 1 ? "makes" : "make"} room for its deadline by rule ${r.text("preemptRuleId") ?? "of the policy"}`;
}

function homeStart(r: Read): string {
	const p50 = r.instant("startP50Ms");
	const p90 = r.instant("startP90Ms");
	if (p50 === null) return "";
	return `; forecast to start at home at ${p50}${p90 === null || p90 === p50 ? "" : `, 90% by ${p90}`}`;
}

function whyNotCloud(r: Read): string {
	const cause = r.text("cloudCause");
	if (cause !== null) return `; the cloud is excluded: ${removalWords(cause as RemovalCode, r.text("cloudRuleId"), r)}`;
	const cloud = r.instant("cloudStartMs");
	if (cloud !== null) return `, no later than the cloud could (${cloud})`;
	const cloudCost = r.money("cloudScoreMicroUsd");
	if (cloudCost !== null) {
		return `; rule ${r.text("ruleId") ?? "for bursting"} may send it to the cloud, but waiting costs ${r.money("homeScoreMicroUsd") ?? "less"} and the best offer ${cloudCost}`;
	}
	const threshold = r.duration("thresholdMs");
	return threshold === null ? "" : `; rule ${r.text("ruleId") ?? "for bursting"} sends it to the cloud when that wait exceeds ${threshold}`;
}

function noOfferCause(r: Read): string {
	const cause = r.text("cause");
	if (cause === null) return (r.count("offers") ?? 0) === 0 ? "; none were read from the providers yet" : "";
	return `; ${clause(r.count("removedByCause"), (n) => `${n} of them: `)}${removalWords(cause as RemovalCode, r.text("ruleId"), r)}`;
}

function slotText(r: Read): string {
	const gpus = r.count("gpus");
	return gpus === null ? "slots were" : gpus === 1 ? "1 slot was" : `${gpus} slots were`;
}

function cloudPlace(r: Read): string {
	const place = [r.text("provider"), r.text("region")].filter((t) => t !== null).join(" ");
	return `${place || "the cloud"}${clause(r.text("instanceType"), (t) => ` (${t}${clause(label(r.text("capacityType")), (c) => `, ${c}`)})`)}`;
}

function burstCause(r: Read): string {
	const rule = clause(r.text("ruleId"), (id) => ` by rule ${id}`);
	const limit = clause(r.duration("thresholdMs"), (d) => ` (limit ${d})`);
	switch (r.text("trigger")) {
		case "forecast_wait":
			return `${rule}: ${r.duration("forecastWaitMs") === null ? "home cannot run it now" : `the forecast wait at home is ${r.duration("forecastWaitMs")}`}${limit}`;
		case "waited":
			return `${rule}: it has waited ${r.duration("waitedMs") ?? "long"}${limit}`;
		case "deadline_slack":
			return `${rule}: waiting for home would leave ${slackText(r)} before its deadline${limit}`;
		case "queue_length":
			return `${rule}: it is number ${r.count("queueLength") ?? "?"} in line at home${clause(r.count("threshold"), (n) => ` (limit ${n})`)}`;
		case "waiting_budget":
			return `${rule}: waiting for home, at ${r.money("waitingMicroUsdPerGpuHour") ?? "its value"} per GPU-hour, costs more`;
		default:
			return rule;
	}
}

function slackText(r: Read): string {
	const slack = r.count("slackMs");
	return slack === null || slack < 0 ? "no time to spare" : `${r.duration("slackMs")} to spare`;
}
