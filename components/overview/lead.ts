import type { inferRouterOutputs } from "@trpc/server";
import { formatMoney } from "#components/money/format-money.ts";
import { CLOUD_SPEND } from "#components/spend/links.ts";
import { formatClock, formatShort, formatSpan } from "#components/time/format-time.ts";
import { formatCount, formatPercent } from "#components/ui/format-number.ts";
import type { AppRouter } from "#server/api/trpc/router.ts";
import { MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";

type Outputs = inferRouterOutputs<AppRouter>;
export type Summary = Outputs["overview"]["summary"];
export type Site = Outputs["site"]["list"][number];

/** A part of the summary sentence. */
export type LeadPart = { text: string; strong?: boolean; href?: string };

/** The scheduler writes a heartbeat every second and every cycle; a gap this long is not a slow cycle. */
export const HEARTBEAT_LATE_MS = 15 * SECOND_MS;

const plain = (text: string): LeadPart => ({ text });
const strong = (text: string): LeadPart => ({ text, strong: true });
const link = (text: string, href: string): LeadPart => ({ text, href });
const count = (n: number, one: string, many = `${one}s`) => `${formatCount(n)} ${n === 1 ? one : many}`;

/** How long the scheduler has been silent, if too long; "never" if none has ever led. */
export function schedulerSilence(summary: Summary, nowMs: number): { sinceMs: number } | "never" | null {
	if (!summary.scheduler) return "never";
	return nowMs - summary.scheduler.atMs > HEARTBEAT_LATE_MS ? { sinceMs: summary.scheduler.atMs } : null;
}

/** The one monthly budget over all cloud spend, to compare with the month's forecast. */
export function monthBudget(summary: Summary): Summary["budgets"][number] | null {
	return summary.budgets.find((b) => b.period === "month" && b.scope.trim() === "true") ?? null;
}

/**
 * Summary of status and current cost, most severe first. @param seesAll false for users limited to their teams: their
 * forecast is not compared with the company budget.
 */
export function prepareLead(summary: Summary, sites: readonly Site[], nowMs: number, seesAll: boolean): LeadPart[] {
	const wrong = problemParts(summary, sites, nowMs);
	const alerts = openAlerts(summary);
	return [
		// Open alerts come after more severe problems and before any all clear.
		...(wrong.length > 0 ? wrong : alerts),
		...(wrong.length > 0 ? [] : state(summary, alerts.length > 0)),
		...work(summary, sites),
		...queue(summary, nowMs),
		...money(summary, seesAll),
		...(wrong.length > 0 && alerts.length > 0 ? [plain(" "), ...alerts] : []),
	];
}

/** The most severe problem that makes the rest doubtful; empty if none. */
function problemParts(summary: Summary, sites: readonly Site[], nowMs: number): LeadPart[] {
	const silence = schedulerSilence(summary, nowMs);
	if (silence === "never") return [strong("No scheduler is running"), plain(": no jobs are placed. ")];
	if (silence) return [strong(`Scheduler silent since ${formatClock(silence.sinceMs)}`), plain(". ")];
	const risk = summary.risk.items.length;
	const unpriced = summary.risk.items.filter((i) => i.microUsd === null).length;
	if (risk > 0)
		return [
			strong("Money at risk: "),
			link(count(risk, "machine"), "/sites"),
			plain(
				` to check, ${formatMoney(summary.risk.totalMicroUsd, "estimate")} so far${unpriced > 0 ? ` (price of ${unpriced} unknown)` : ""}. `,
			),
		];
	// Displayed amounts may be wrong, so current use comes after it.
	const check = summary.ledgerCheck;
	if (check && !check.ok)
		return [
			strong("The ledger does not balance"),
			plain(`: ${count(check.differenceCount, "difference")} from the charges, found ${formatShort(check.checkedAtMs, nowMs)}. `),
		];
	const ill = sites.filter((s) => s.enabled && !s.healthy);
	if (ill.length > 0)
		return [link(listed(ill.map((s) => s.name)), "/sites"), strong(ill.length === 1 ? " is unreachable. " : " are unreachable. ")];
	return [];
}

function state(summary: Summary, alertsOpen: boolean): LeadPart[] {
	// GPU and machine figures are company-wide; job counts only include visible jobs.
	const active = summary.owned.busy + summary.cloud.instances + summary.jobs.running + summary.jobs.admitted;
	if (active === 0 && summary.queue.jobs > 0) return [strong("No jobs running. ")];
	return alertsOpen ? [] : [strong("All clear. ")];
}

function work({ owned, cloud, jobs }: Summary, sites: readonly Site[]): LeadPart[] {
	const homes = sites.filter((s) => s.kind === "owned");
	const name = homes.length === 1 && homes[0] ? `${homes[0].name} is` : "Owned GPUs are";
	const home = owned.gpus > 0 ? [plain(`${name} ${owned.busy === 0 ? "free" : `${formatPercent(owned.busy / owned.gpus)} busy`}`)] : [];
	const burn = formatMoney(cloud.burnMicroUsdPerHour, "price");
	const running = jobs.running + jobs.admitted;
	const away =
		cloud.instances === 0
			? [plain("no cloud jobs")]
			: [link(count(cloud.instances, "machine"), "/sites"), plain(` in the cloud at `), strong(`${burn}/h`)];
	if (running + cloud.instances === 0 && owned.busy === 0) return home.length > 0 ? [...home, plain(", no cloud jobs. ")] : [];
	return [...home, ...(home.length > 0 ? [plain(", ")] : []), ...away, plain(". ")];
}

function queue({ queue: q }: Summary, nowMs: number): LeadPart[] {
	if (q.jobs === 0) return [];
	const waiting = q.jobs - q.held;
	const parts: LeadPart[] = [];
	if (waiting > 0) {
		parts.push(link(`${count(waiting, "job")} queued`, "/jobs"));
		const last = q.lastStart ? q.lastStart.p50Ms - nowMs : null;
		if (last !== null && last > 0)
			parts.push(
				plain(waiting === 1 ? ", owned start in about " : ", last owned start in about "),
				strong(formatSpan(Math.max(last, MINUTE_MS))),
			);
		parts.push(plain(". "));
	}
	if (q.held > 0) parts.push(link(`${count(q.held, "job")} held`, "/jobs"), plain(". "));
	return parts;
}

function money(summary: Summary, seesAll: boolean): LeadPart[] {
	const budget = monthBudget(summary);
	if (!budget) return [];
	const cap = budget.capMicroUsd;
	const forecast = seesAll ? (budget.forecast ?? summary.forecast?.cloud ?? null) : null;
	if (!forecast) {
		const used = budget.postedMicroUsd + budget.heldMicroUsd;
		return [strong(formatMoney(used, "posted")), plain(` of this month's ${formatMoney(cap, "whole")} cloud budget is spent or held.`)];
	}
	const room = cap - forecast.expectedMicroUsd;
	const worst = forecast.highMicroUsd - cap;
	const main = strong(`${formatMoney(room < 0n ? -room : room, "whole")} ${room < 0n ? "over" : "under"} budget`);
	if (room >= 0n && worst > 0n)
		return [
			plain("Month-end forecast: "),
			main,
			plain("; at the high end "),
			link(`${formatMoney(worst, "whole")} over`, CLOUD_SPEND),
			plain("."),
		];
	return [plain("Month-end forecast: "), main, plain(".")];
}

/** Open alerts. */
function openAlerts({ alerts }: Summary): LeadPart[] {
	if (!alerts.newest) return [];
	if (alerts.count === 1) return [strong("1 open alert: "), link(alerts.newest.title, "/budgets#alerts"), plain(". ")];
	return [link(count(alerts.count, "alert"), "/budgets#alerts"), strong(" open"), plain(`, newest: ${alerts.newest.title}. `)];
}

function listed(names: readonly string[]): string {
	return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
