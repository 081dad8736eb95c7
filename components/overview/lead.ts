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

/** A piece of the lead sentence. */
export type LeadPart = { text: string; strong?: boolean; href?: string };

/** The scheduler writes its sign of life each second and with each cycle; this much silence is not a slow cycle. */
export const HEARTBEAT_LATE_MS = 15 * SECOND_MS;

const plain = (text: string): LeadPart => ({ text });
const strong = (text: string): LeadPart => ({ text, strong: true });
const link = (text: string, href: string): LeadPart => ({ text, href });
const count = (n: number, one: string, many = `${one}s`) => `${formatCount(n)} ${n === 1 ? one : many}`;

/** How long the scheduler has been silent when that is too long; "never" when none ever led. */
export function schedulerSilence(summary: Summary, nowMs: number): { sinceMs: number } | "never" | null {
	if (!summary.scheduler) return "never";
	return nowMs - summary.scheduler.atMs > HEARTBEAT_LATE_MS ? { sinceMs: summary.scheduler.atMs } : null;
}

/** The one budget over all cloud money of a month, which the month's forecast can be held against. */
export function monthBudget(summary: Summary): Summary["budgets"][number] | null {
	return summary.budgets.find((b) => b.period === "month" && b.scope.trim() === "true") ?? null;
}

/**
 * Is everything all right, and what does it cost right now? Facts alone, the worst first.
 * @param seesAll false for people who see the money of their own teams only: no forecast of theirs is held against everybody's budget.
 */
export function prepareLead(summary: Summary, sites: readonly Site[], nowMs: number, seesAll: boolean): LeadPart[] {
	const wrong = trouble(summary, sites, nowMs);
	const alerts = openAlerts(summary);
	return [
		// What is open is told before anything is called well, and after what is worse.
		...(wrong.length > 0 ? wrong : alerts),
		...(wrong.length > 0 ? [] : state(summary, alerts.length > 0)),
		...work(summary, sites),
		...queue(summary, nowMs),
		...money(summary, seesAll),
		...(wrong.length > 0 && alerts.length > 0 ? [plain(" "), ...alerts] : []),
	];
}

/** What makes the rest doubtful, the worst alone; empty when there is none. */
function trouble(summary: Summary, sites: readonly Site[], nowMs: number): LeadPart[] {
	const silence = schedulerSilence(summary, nowMs);
	if (silence === "never") return [strong("No scheduler is running"), plain(", so nothing is placed. ")];
	if (silence) return [strong(`The scheduler has been silent since ${formatClock(silence.sinceMs)}`), plain(". ")];
	const risk = summary.risk.items.length;
	const unpriced = summary.risk.items.filter((i) => i.microUsd === null).length;
	if (risk > 0)
		return [
			strong("Money may be running for nothing: "),
			link(count(risk, "machine"), "/sites"),
			plain(
				` to look at, ${formatMoney(summary.risk.totalMicroUsd, "estimate")} so far${unpriced > 0 ? ` (the price of ${unpriced} is not known)` : ""}. `,
			),
		];
	// Money that is shown may be wrong: what runs is told after it.
	const check = summary.ledgerCheck;
	if (check && !check.ok)
		return [
			strong("The ledger's sums do not add up"),
			plain(`: ${count(check.differenceCount, "difference")} from the charges, found ${formatShort(check.checkedAtMs, nowMs)}. `),
		];
	const ill = sites.filter((s) => s.enabled && !s.healthy);
	if (ill.length > 0)
		return [link(listed(ill.map((s) => s.name)), "/sites"), strong(ill.length === 1 ? " does not answer. " : " do not answer. ")];
	return [];
}

function state(summary: Summary, alertsOpen: boolean): LeadPart[] {
	// GPUs and machines are everybody's; the counts of jobs are those that the reader may see.
	const active = summary.owned.busy + summary.cloud.instances + summary.jobs.running + summary.jobs.admitted;
	if (active + summary.queue.jobs === 0) return [strong(alertsOpen ? "Nothing is to do. " : "All is well, and nothing is to do. ")];
	return [strong(active === 0 ? "Nothing runs yet. " : "Everything is running. ")];
}

function work({ owned, cloud, jobs }: Summary, sites: readonly Site[]): LeadPart[] {
	const homes = sites.filter((s) => s.kind === "owned");
	const name = homes.length === 1 ? (homes[0]?.name ?? "Home") : "Home";
	const home = owned.gpus > 0 ? [plain(`${name} is ${owned.busy === 0 ? "free" : `${formatPercent(owned.busy / owned.gpus)} busy`}`)] : [];
	const burn = formatMoney(cloud.burnMicroUsdPerHour, "price");
	const running = jobs.running + jobs.admitted;
	const away =
		cloud.instances === 0
			? [plain("nothing runs in the cloud")]
			: [
					link(count(cloud.instances, "machine"), "/sites"),
					plain(` ${cloud.instances === 1 ? "runs" : "run"} in the cloud for `),
					strong(`${burn} an hour`),
				];
	if (running + cloud.instances === 0 && owned.busy === 0)
		return home.length > 0 ? [...home, plain(", and nothing runs in the cloud. ")] : [];
	return [...home, ...(home.length > 0 ? [plain(", and ")] : []), ...away, plain(". ")];
}

function queue({ queue: q }: Summary, nowMs: number): LeadPart[] {
	if (q.jobs === 0) return [];
	const waiting = q.jobs - q.held;
	const parts: LeadPart[] = [];
	if (waiting > 0) {
		parts.push(link(`${count(waiting, "job")} ${waiting === 1 ? "waits" : "wait"}`, "/jobs"));
		const last = q.lastStart ? q.lastStart.p50Ms - nowMs : null;
		if (last !== null && last > 0)
			parts.push(
				plain(waiting === 1 ? ", to start at home in about " : ", the last to start at home in about "),
				strong(formatSpan(Math.max(last, MINUTE_MS))),
			);
		parts.push(plain(". "));
	}
	if (q.held > 0) parts.push(link(`${count(q.held, "job")} ${q.held === 1 ? "is" : "are"} held`, "/jobs"), plain(". "));
	return parts;
}

function money(summary: Summary, seesAll: boolean): LeadPart[] {
	const budget = monthBudget(summary);
	if (!budget) return [];
	const cap = budget.capMicroUsd;
	const forecast = seesAll ? (budget.forecast ?? summary.forecast?.cloud ?? null) : null;
	if (!forecast) {
		const used = budget.postedMicroUsd + budget.heldMicroUsd;
		return [
			strong(formatMoney(used, "posted")),
			plain(` of this month's ${formatMoney(cap, "whole")} for the cloud is spent or set aside.`),
		];
	}
	const room = cap - forecast.expectedMicroUsd;
	const worst = forecast.highMicroUsd - cap;
	const main = strong(`${formatMoney(room < 0n ? -room : room, "whole")} ${room < 0n ? "over" : "under"} budget`);
	if (room >= 0n && worst > 0n)
		return [
			plain("The month should end "),
			main,
			plain("; at the high end it would be "),
			link(`${formatMoney(worst, "whole")} over`, CLOUD_SPEND),
			plain("."),
		];
	return [plain("The month should end "), main, plain(".")];
}

/** What people were told of and still holds. */
function openAlerts({ alerts }: Summary): LeadPart[] {
	if (!alerts.newest) return [];
	if (alerts.count === 1) return [strong("One alert is open: "), link(alerts.newest.title, "/budgets#alerts"), plain(". ")];
	return [link(count(alerts.count, "alert"), "/budgets#alerts"), strong(" are open"), plain(`, the newest: ${alerts.newest.title}. `)];
}

function listed(names: readonly string[]): string {
	return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
