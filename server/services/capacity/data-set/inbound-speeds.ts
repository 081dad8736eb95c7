import { sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { DAY_MS } from "#server/kernel/units.ts";

/** How far back, and how many attempts at the most, newest first: links change, and a query a minute must stay cheap. */
const LEARNED_FROM_MS = 14 * DAY_MS;
const MOST_ATTEMPTS = 2_000;

/**
 * Inbound speed of each cloud region, MiB/s: data sizes that jobs declared, divided by the time from the start of the transfer
 * to the start of the command, over the newest attempts. Sets with a copy in the region count too, because nearby reads are
 * typical of the region. Cost: the newest MOST_ATTEMPTS cloud attempts.
 */
export async function readInboundSpeeds(db: DbOrTx, nowMs: number): Promise<Map<string, number>> {
	const rows = await db.execute<{ place: string; mib_per_s: number }>(sql`
		with recent as (
			select job_id, placement, started_at - staging_at as took
			from attempt
			where created_at > ${new Date(nowMs - LEARNED_FROM_MS).toISOString()}::timestamptz
				and capacity_type <> 'owned' and started_at > staging_at
			order by created_at desc limit ${MOST_ATTEMPTS}
		), sized as (
			select recent.placement, recent.took, (
				select case when count(*) = count(d->>'sizeGiB') then sum((d->>'sizeGiB')::float8) end
				from jsonb_array_elements(job.spec->'data') d
			) as gib
			from recent join job on job.id = recent.job_id
			where jsonb_array_length(job.spec->'data') > 0
		)
		select concat(placement->>'provider', ':', placement->>'region') as place,
			1024 * sum(gib) / sum(extract(epoch from took))::float8 as mib_per_s
		from sized where gib > 0 group by 1`);
	return new Map(rows.map((row) => [row.place, Number(row.mib_per_s)]));
}
