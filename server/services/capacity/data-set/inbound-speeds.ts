import { sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import {
	ANY_SOURCE,
	LEARNABLE,
	type LinkSpeed,
	learnLinkSpeed,
	linkKey,
	type MeasuredTransfer,
	sourceOf,
} from "#server/scheduling/link-speed.ts";
import type { DataSet } from "./schemas.ts";

/** How far back, and the maximum number of attempts, newest first: links change, and a query every minute must stay cheap. */
const LEARNED_FROM_MS = 14 * DAY_MS;
const MOST_ATTEMPTS = 2_000;

/**
 * Speeds into cloud regions by link: from each source, and from any. A transfer is an attempt's data with declared sizes over the time from
 * the start of staging to the command's start, which includes pulling the image, so speeds are underestimated. Only transfers of at least
 * LEARNABLE count. An attempt with data from several places counts for any source. Cost: the newest MOST_ATTEMPTS cloud attempts.
 */
export async function readLinkSpeeds(db: DbOrTx, nowMs: number, sets: readonly DataSet[]): Promise<Map<string, LinkSpeed>> {
	const rows = await db.execute<{ place: string; uris: string[]; bytes: number; ms: number; at_ms: number }>(sql`
		with recent as (
			select job_id, placement, staging_at, started_at
			from attempt
			where created_at > ${new Date(nowMs - LEARNED_FROM_MS).toISOString()}::timestamptz
				and capacity_type <> 'owned' and started_at > staging_at
			order by created_at desc limit ${MOST_ATTEMPTS}
		), sized as (
			select recent.*, d.uris, d.gib
			from recent join job on job.id = recent.job_id
			cross join lateral (
				select array_agg(x->>'uri') as uris,
					case when count(*) = count(x->>'sizeGiB') then sum((x->>'sizeGiB')::float8) end as gib
				from jsonb_array_elements(job.spec->'data') x
			) d
			where jsonb_array_length(job.spec->'data') > 0
		)
		select concat(placement->>'provider', ':', placement->>'region') as place, uris, gib * 1073741824 as bytes,
			1000 * extract(epoch from started_at - staging_at)::float8 as ms, 1000 * extract(epoch from started_at)::float8 as at_ms
		from sized where gib * 1073741824 >= ${LEARNABLE.bytes}`);
	const copies = new Map(sets.map((set) => [set.uri, set.copies.map(({ at }) => at)]));
	const byLink = new Map<string, MeasuredTransfer[]>();
	for (const { place, uris, bytes, ms, at_ms } of rows) {
		const sources = new Set(uris.map((uri) => sourceOf(copies.get(uri) ?? [])));
		const [from] = sources.size === 1 ? sources : [];
		// Data next to the machine does not measure a link from elsewhere.
		if (uris.every((uri) => copies.get(uri)?.includes(place))) continue;
		const measured = { bytes: Number(bytes), ms: Number(ms), atMs: Number(at_ms) };
		for (const key of [linkKey(ANY_SOURCE, place), ...(from === undefined ? [] : [linkKey(from, place)])])
			byLink.set(key, [...(byLink.get(key) ?? []), measured]);
	}
	const speeds = [...byLink].map(([key, transfers]) => [key, learnLinkSpeed(transfers)] as const);
	return new Map(speeds.filter(([, { transfers }]) => transfers > 0));
}
