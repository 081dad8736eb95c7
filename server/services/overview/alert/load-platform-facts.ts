import { and, eq, gt, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { account, apiToken } from "#server/db/schema/account.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { job } from "#server/db/schema/job.ts";
import { site } from "#server/db/schema/site.ts";
import type { AlertFacts, AlertSite, AlertStuckJob, Expiry } from "#server/domain/alert-facts.ts";
import { isExpiring } from "#server/domain/expiry.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { readExpiries } from "../expiry/record.ts";

const SITE_PATIENCE_MS = 5 * MINUTE_MS;
/** Longer than any of these states normally takes; staging may copy terabytes. */
const STUCK_AFTER_MS = { starting: HOUR_MS, staging: 6 * HOUR_MS, stopping: HOUR_MS };
/** Maximum stuck jobs per evaluation: a broken site must not open thousands of alerts. */
const STUCK_MAX = 50;

/** Facts that the people who run the installation must act on. Cost: five reads of small or indexed sets. */
export async function loadPlatformFacts(db: Db, nowMs: number): Promise<Pick<AlertFacts, "sites" | "stuck" | "expiring">> {
	const [sites, stuck, tokens, found] = await Promise.all([
		readSites(db, nowMs),
		readStuckJobs(db, nowMs),
		readServiceTokens(db, nowMs),
		readExpiries(db),
	]);
	return { sites, stuck, expiring: [...tokens, ...found].filter((expiry) => isExpiring(expiry, nowMs)) };
}

async function readSites(db: Db, nowMs: number): Promise<AlertSite[]> {
	const rows = await db
		.select({ siteId: site.id, since: site.unhealthySince, message: site.healthMessage })
		.from(site)
		.where(and(eq(site.enabled, true), isNull(site.removedAt), lt(site.unhealthySince, new Date(nowMs - SITE_PATIENCE_MS))));
	return rows.flatMap(({ siteId, since, message }) => (since ? [{ siteId, sinceMs: since.getTime(), message }] : []));
}

/** Held without progress, or in one state for longer than it normally takes. Waiting in a cluster's own queue does not count. */
async function readStuckJobs(db: Db, nowMs: number): Promise<AlertStuckJob[]> {
	const before = (ms: number): Date => new Date(nowMs - ms);
	const { starting, staging, stopping } = STUCK_AFTER_MS;
	const held = await db
		.select({ jobId: job.id, name: job.name, team: job.team, since: job.pendingSince })
		.from(job)
		.where(and(eq(job.state, "held"), sql`${job.reason}->>'code' = 'no_progress'`))
		.limit(STUCK_MAX);
	const live = await db
		.select({
			...{ jobId: job.id, name: job.name, team: job.team, state: attempt.state },
			since: sql<Date>`coalesce(${attempt.stopRequestedAt}, ${attempt.stagingAt}, ${attempt.createdAt})`.mapWith(attempt.createdAt),
		})
		.from(attempt)
		.innerJoin(job, eq(job.id, attempt.jobId))
		.where(
			or(
				and(eq(attempt.state, "starting"), isNull(attempt.clusterWait), lt(attempt.createdAt, before(starting))),
				and(eq(attempt.state, "staging"), lt(attempt.stagingAt, before(staging))),
				and(eq(attempt.state, "stopping"), lt(attempt.stopRequestedAt, before(stopping))),
			),
		)
		.limit(STUCK_MAX);
	return [
		...held.map(({ since, ...row }): AlertStuckJob => ({ ...row, why: "held", sinceMs: since.getTime() })),
		...live.map(({ since, state, ...row }): AlertStuckJob => ({ ...row, why: state as AlertStuckJob["why"], sinceMs: since.getTime() })),
	];
}

/** For service accounts only: a person's own token is renewed by signing in again. */
async function readServiceTokens(db: Db, nowMs: number): Promise<Expiry[]> {
	const rows = await db
		.select({ id: apiToken.id, name: apiToken.name, owner: account.name, from: apiToken.createdAt, to: apiToken.expiresAt })
		.from(apiToken)
		.innerJoin(account, eq(account.id, apiToken.accountId))
		.where(
			and(
				...[eq(account.service, true), isNull(account.disabledAt), isNull(apiToken.revokedAt), isNotNull(apiToken.expiresAt)],
				gt(apiToken.expiresAt, new Date(nowMs)),
			),
		);
	return rows.flatMap(({ id, name, owner, from, to }) =>
		to === null
			? []
			: [
					{
						subject: `token:${id}`,
						what: "token" as const,
						name: `${name} of ${owner}`,
						startsAtMs: from.getTime(),
						expiresAtMs: to.getTime(),
					},
				],
	);
}
