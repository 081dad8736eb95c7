import { assertNever } from "../kernel/assert.ts";
import type { AlertRule } from "./alert.ts";
import type { AlertFactValues } from "./alert-facts.ts";
import { clause, label, PLAIN_FORMATTERS, type Read, read, type SentenceFormatters } from "./sentence-facts.ts";

/** Text of an alert: a title for mail subjects and lists, and sentences with the numbers. */
export interface AlertWords {
	title: string;
	text: string;
}

/** The only place that formats alerts as text. Missing facts are left out, so that rows from other versions stay readable. */
export function alertWords(rule: AlertRule, facts: AlertFactValues, formatters: SentenceFormatters = PLAIN_FORMATTERS): AlertWords {
	const r = read(facts, formatters);
	switch (rule) {
		case "budget_threshold":
			return {
				title: `${budgetOf(r)} has passed ${r.count("thresholdPercent") ?? "a share"}% of its cap`,
				text: `${spentOf(r)}${clause(r.money("heldMicroUsd"), (m) => `, and ${m} is held for running machines`)}.${clause(endOf(r), (d) => ` The period ends on ${d}.`)}`,
			};
		case "budget_forecast_overrun":
			return {
				title: `${budgetOf(r)} is forecast to pass its cap${certainClause(r)}`,
				text: `${r.money("expectedMicroUsd") ?? "More than the cap"} is expected${clause(endOf(r), (d) => ` by ${d}`)}${clause(r.money("lowMicroUsd"), (m) => `, likely ${m}`)}${clause(r.money("highMicroUsd"), (m) => ` to ${m}`)}, with a cap of ${r.money("capMicroUsd") ?? "less"}. ${spentOf(r)} so far.`,
			};
		case "spend_anomaly":
			return {
				title: `${r.text("team") ?? "A team"} spent more than usual${clause(r.text("dayKey"), (d) => ` on ${d}`)}`,
				text: `${r.money("microUsd") ?? "The day's spend"}, compared with a median of ${r.money("medianMicroUsd") ?? "less"} on this weekday over ${r.count("weeks") ?? "several"} weeks (median absolute deviation ${r.money("deviationMicroUsd") ?? "unknown"})${clause(r.text("jobName"), (n) => `. Most expensive job: ${n}${clause(r.money("jobMicroUsd"), (m) => `, ${m}`)}`)}.`,
			};
		case "money_at_risk":
			return {
				title: `A machine ${RISKS[r.text("why") ?? ""] ?? "may be running without a job"}`,
				text: `${r.text("instanceId") ?? "An instance"}${clause(r.text("jobId"), (j) => ` of ${j}`)}${clause(r.text("instanceType"), (t) => ` (${t}${clause(r.text("region"), (w) => `, ${w}`)})`)} ${RISKS[r.text("why") ?? ""] ?? "may be running without a job"}${clause(r.instant("sinceMs"), (t) => ` since ${t}`)}${clause(r.money("microUsd"), (m) => `; estimated cost when found: ${m}`)}${clause(r.money("hourlyMicroUsd"), (m) => `; machines like it cost ${m} per hour there`)}${r.text("price") === "not_known" ? "; its price is unknown" : ""}.`,
			};
		case "billed_unknown":
			return {
				title: `${r.text("provider") ?? "A provider"} billed something that is not in the ledger`,
				text: `${r.text("resourceId") ?? "A resource"}${clause(r.text("region"), (t) => ` in ${t}`)}${clause(r.text("month"), (m) => ` in ${m}`)}: ${r.money("billedMicroUsd") ?? "an amount"} was billed, but it matches no instance in the ledger. It may be an orphaned machine that is still running.`,
			};
		case "ledger_mismatch":
			return {
				title: "Ledger totals differ from their charges",
				text: `The check found${clause(r.count("differences"), (n) => ` ${n}`)} totals that differ from their charges${clause(r.money("differenceMicroUsd"), (m) => `, by ${m} together`)}${clause(r.text("example"), (t) => `; the first: ${t}`)}. Do not rely on figures of those days and groups until this is fixed.`,
			};
		case "audit_chain_broken":
			return {
				title: "The audit log's chain is broken",
				text: `${r.text("sentence") ?? "A line or a seal was changed."} Someone with the database owner's rights changed it, or an older copy of the database was restored. Entries after that point cannot be trusted. Compare them with a backup and with a hash saved elsewhere (spillway audit verify).`,
			};
		case "approval_waiting":
			return {
				title: `${r.text("jobName") ?? r.text("jobId") ?? "A job"} needs approval: ${r.money("costMicroUsd") ?? "cloud money"}`,
				text: `Rule ${r.text("ruleId") ?? "of the policy"} requires approval by ${label(r.text("role")) ?? "a person"} before ${r.text("jobName") ?? "the job"} of team ${r.text("team") ?? "unknown"} may go to ${r.text("place") ?? "the cloud"}. It is estimated to cost ${r.money("costMicroUsd") ?? "money"}${clause(r.money("hourlyMicroUsd"), (m) => `, ${m} per hour`)}${clause(r.instant("homeStartMs"), (t) => `; at home it would start at ${t}`)}. Submitted by ${r.text("submittedBy") ?? "someone"}${clause(r.instant("expiresMs"), (t) => `. The request expires at ${t}`)}.`,
			};
		case "delivery_failing":
			return {
				title: `Result ${r.text("name") ?? ""} of ${r.text("job") ?? "a job"} is not delivered`,
				text: `${r.count("failures") ?? "Several"} attempts to copy it to ${r.text("target") ?? "its target"} failed: ${r.text("error") ?? "unknown error"}. It stays in its store, and delivery is retried for 14 days.`,
			};
		case "site_unhealthy":
			return {
				title: `Site ${r.text("siteId") ?? "of the installation"} does not respond`,
				text: `No answer${clause(r.instant("sinceMs"), (t) => ` since ${t}`)}${clause(r.text("message"), (m) => `: ${m}`)}. New jobs avoid the site; running ones are not updated. Check the network path and the site's credentials on the Sites page.`,
			};
		case "no_leader":
			return {
				title: "No scheduler leads",
				text: `The last sign of a leading scheduler was${clause(r.instant("sinceMs"), (t) => ` at ${t}`) || " a while ago"}. Nothing is placed, metered or terminated until one leads. Start a scheduler, or check its log and its connection to the database.`,
			};
		case "job_stuck":
			return {
				title: `${r.text("jobName") ?? r.text("jobId") ?? "A job"} is stuck`,
				text: `${r.text("jobName") ?? "The job"} of team ${r.text("team") ?? "unknown"} ${STUCK[r.text("why") ?? ""] ?? "makes no progress"}${clause(r.instant("sinceMs"), (t) => ` since ${t}`)}. Check its log and its site, then resume or cancel it.`,
			};
		case "sweep_failing":
			return regionUnread(r);
		case "credential_expiring":
			return {
				title: `${expiringName(r)} expires${clause(r.instant("expiresAtMs"), (t) => ` ${t}`)}`,
				text: `Renew it before then. Otherwise ${EXPIRED[r.text("what") ?? ""] ?? "what uses it fails"}.`,
			};
		case "rates_missing":
			return {
				title: `${r.text("month") ?? "A month"} waits for ${r.text("currency") ?? "exchange"} rates`,
				text: `It cannot be closed without a rate${clause(r.text("currency"), (c) => ` for ${c}`)}${clause(r.text("day"), (d) => ` on ${d}`)}: import rates under Settings › Currency, and it closes by itself.`,
			};
		default:
			return assertNever(rule, "alert rule");
	}
}

const RISKS: Record<string, string> = {
	not_seen_gone: "should have ended, but its end is not confirmed",
	cut_off: "is unreachable, its end is not confirmed, and its job continues elsewhere",
	launch_unclear: "was requested, and it is unknown whether it runs",
	past_expiry: "is past its expiry",
	of_nobody: "has our tag, belongs to no job and is being terminated",
};

const STUCK: Record<string, string> = {
	held: "is held without progress, and needs a person to resume it",
	starting: "has been starting",
	staging: "has been staging its data",
	stopping: "has been stopping",
};

const EXPIRED: Record<string, string> = {
	token: "requests with it are rejected",
	credential: "the site stops responding",
	certificate: "connections fail",
};

function expiringName(r: Read): string {
	const name = r.text("name") ?? "unknown";
	return r.text("what") === "token" ? `Token ${name}` : name;
}

function regionUnread(r: Read): AlertWords {
	const where = `${r.text("siteId") ?? "a site"}${clause(r.text("region"), (t) => `, ${t}`)}`;
	return {
		title: `The sweep of ${where} is failing`,
		text: `The sweep for lost machines could not read ${where}${clause(r.instant("sinceMs"), (t) => ` since ${t}`)}${clause(r.text("message"), (m) => `: ${m}`)}. Until it can, machines without a job are not found there. Check the account's credentials and permissions.`,
	};
}

function budgetOf(r: Read): string {
	return `Budget ${r.text("budgetId") ?? "of the policy"}`;
}

function spentOf(r: Read): string {
	return `${r.money("postedMicroUsd") ?? "Money"} of ${r.money("capMicroUsd") ?? "the cap"} is posted`;
}

/** The last day of the period, not the midnight after it. */
function endOf(r: Read): string | null {
	const end = r.count("periodEndMs");
	return end === null ? null : new Date(end - 1).toISOString().slice(0, 10);
}

function certainClause(r: Read): string {
	return r.text("certain") === "yes" ? " even at the low end" : "";
}
