import { inArray, isNull, sql } from "drizzle-orm";
import { bucketStartMs, dayKey } from "#server/accounting/calendar.ts";
import type { Db } from "#server/db/client.ts";
import { job } from "#server/db/schema/job.ts";
import { site } from "#server/db/schema/site.ts";
import type { AlertBudget, AlertFacts, AlertRisk, AlertSweep, AlertTeamDay } from "#server/domain/alert-facts.ts";
import type { BudgetRule } from "#server/domain/policy.ts";
import { DAY_MS, MINUTE_MS } from "#server/kernel/units.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { budgetFigures } from "#server/services/ledger/budget/figures.ts";
import { alertRulesOf, readBudgetSettings } from "#server/services/ledger/budget/settings.ts";
import { findMissingRate } from "#server/services/reporting/statement/missing-rate.ts";
import { moneyAtRisk } from "../money-at-risk.ts";
import { readStrays } from "../stray-risk.ts";
import { loadPlatformFacts } from "./load-platform-facts.ts";

/** Weeks before a day used to learn its pattern: twice the minimum. */
const PATTERN_WEEKS = 8;

/** All inputs of alerts. Cost: small queries over budgets, live machines and about twenty days of rollups. */
export async function loadAlertFacts(ctx: ServiceContext, budgets: readonly BudgetRule[]): Promise<AlertFacts> {
	const nowMs = ctx.clock.nowMs();
	const [settings, figures, teamDays, risk, sweeps, platform, missingRate] = await Promise.all([
		readBudgetSettings(ctx.db),
		budgetFigures(ctx.db, budgets, nowMs),
		readTeamDays(ctx.db, nowMs),
		readRisk(ctx),
		readSweeps(ctx.db, nowMs),
		loadPlatformFacts(ctx.db, nowMs),
		findMissingRate(ctx.db, nowMs),
	]);
	const states = figures.map(
		({ rule, period, postedMicroUsd, heldMicroUsd, forecast }): AlertBudget => ({
			...{ id: rule.id, team: teamOf(rule.scope), periodKey: period.key, periodEndMs: period.toMs },
			...{ capMicroUsd: rule.capMicroUsd, postedMicroUsd, heldMicroUsd, forecast },
		}),
	);
	return { settings: alertRulesOf(settings), budgets: states, teamDays, risk, sweeps, ...platform, missingRate };
}

/** The team of a scope with exactly one team and no other condition; other scopes concern everyone. */
export function teamOf(scope: string): string | null {
	return /^\s*job\.team\s*==\s*(["'])([^"'\\]+)\1\s*$/.exec(scope)?.[2] ?? null;
}

/** Yesterday and today of each team with spend on them, and the same weekdays in earlier weeks. */
async function readTeamDays(db: Db, nowMs: number): Promise<AlertTeamDay[]> {
	const calendar = await ledgerCalendar(db);
	const today = bucketStartMs("day", nowMs, calendar);
	const yesterday = bucketStartMs("day", today - DAY_MS / 2, calendar);
	// Noon, whole weeks earlier, falls on the same weekday in every zone.
	const weekBefore = (dayMs: number, weeks: number) => bucketStartMs("day", dayMs + DAY_MS / 2 - weeks * 7 * DAY_MS, calendar);
	const days = [yesterday, today].map((at) => ({
		at,
		earlier: Array.from({ length: PATTERN_WEEKS }, (_, i) => weekBefore(at, PATTERN_WEEKS - i)),
	}));
	const wanted = days.flatMap(({ at, earlier }) => [at, ...earlier]).map((ms) => new Date(ms).toISOString());
	const rows = await db.execute<{ team: string; day: string; sum: string }>(sql`
		select team, (extract(epoch from bucket_start) * 1000)::bigint::text as day, sum(effective_micro_usd)::text as sum from rollup
		where granularity = 'day' and team <> '' and bucket_start in (select t::timestamptz from jsonb_array_elements_text(${JSON.stringify(wanted)}::jsonb) as t)
		group by team, bucket_start`);
	const byTeam = Map.groupBy(rows, (r) => r.team);
	return [...byTeam].flatMap(([team, own]) => {
		const sums = new Map(own.map((r): [number, bigint] => [Number(r.day), BigInt(r.sum)]));
		return days.flatMap(({ at, earlier }): AlertTeamDay[] => {
			const microUsd = sums.get(at);
			if (microUsd === undefined) return [];
			// Weeks before the team's first charge do not count as weeks without spend.
			const first = earlier.findIndex((day) => sums.has(day));
			const usualMicroUsd = first < 0 ? [] : earlier.slice(first).map((day) => sums.get(day) ?? 0n);
			return [{ team, dayStartMs: at, dayKey: dayKey(at, calendar), microUsd, usualMicroUsd }];
		});
	});
}

async function readRisk(ctx: ServiceContext): Promise<AlertRisk[]> {
	const { items } = await moneyAtRisk(ctx);
	// Machines without a job come from the sweep records.
	const owned = items.flatMap(({ jobId, why, microUsd, ...i }) =>
		jobId === null || why === "of_nobody" ? [] : [{ ...i, jobId, why, microUsd: BigInt(microUsd ?? 0) }],
	);
	if (owned.length === 0) return [];
	const ids = owned.map((i) => i.jobId);
	const jobs = await ctx.db.select({ id: job.id, team: job.team }).from(job).where(inArray(job.id, ids));
	const teams = new Map(jobs.map((j) => [j.id, j.team]));
	return owned.map((i) => ({ ...i, team: teams.get(i.jobId) ?? "" }));
}

/** A region that could not be swept for this long is not just throttled. */
const UNREAD_PATIENCE_MS = 10 * MINUTE_MS;

async function readSweeps(db: Db, nowMs: number): Promise<AlertSweep[]> {
	const [rows, priced] = await Promise.all([
		db.select({ siteId: site.id, enabled: site.enabled, sweep: site.lastSweep }).from(site).where(isNull(site.removedAt)),
		readStrays(db),
	]);
	const prices = new Map(priced.map((stray) => [`${stray.siteId}/${stray.providerInstanceId}`, stray.microUsdPerHour]));
	return rows.flatMap(({ siteId, enabled, sweep }) => {
		// A disabled site is no longer swept once none of our resources can be there; its last record is frozen.
		if (sweep === null || (!enabled && nowMs - sweep.atMs > UNREAD_PATIENCE_MS)) return [];
		const strays = (sweep.strays ?? []).map(({ providerInstanceId, region, instanceType, sinceMs }) => ({
			...{ providerInstanceId, region, instanceType, sinceMs },
			...knownPrice(prices.get(`${siteId}/${providerInstanceId}`)),
		}));
		const unread = sweep.failedRegions.flatMap(({ region, message, sinceMs }) =>
			sinceMs !== undefined && nowMs - sinceMs > UNREAD_PATIENCE_MS ? [{ region, message, sinceMs }] : [],
		);
		return strays.length + unread.length > 0 ? [{ siteId, strays, unread }] : [];
	});
}

function knownPrice(microUsdPerHour: bigint | null | undefined): { microUsdPerHour?: bigint | null } {
	return microUsdPerHour === undefined ? {} : { microUsdPerHour };
}
