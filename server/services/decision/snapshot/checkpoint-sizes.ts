import { sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { DAY_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { namePatternOf } from "#server/scheduling/forecast/history-keys.ts";

const GIB_BYTES = 1_073_741_824;
/** Jobs of the same name that saved within this time predict the next one's checkpoint size. An assumption. */
const LIKE_AGE_MS = 30 * DAY_MS;
const READ_EVERY_MS = MINUTE_MS;

type SizeOf = (jobId: string, spec: Pick<JobSpec, "checkpoint" | "team" | "name">) => { checkpointGiB?: number };

/**
 * Size of a job's checkpoints, GiB: its own newest, else the largest of similar jobs (same team, same name except its number).
 * Nothing for a job without checkpoints or data.
 */
export class CheckpointSizes {
	#like: { readAtMs: number; byName: ReadonlyMap<string, number> } | null = null;

	/** Cost: the newest checkpoint of each of these jobs, and once a minute a month's checkpoints. */
	async read(tx: Tx, jobIds: readonly string[], nowMs: number): Promise<SizeOf> {
		if (jobIds.length === 0) return () => ({});
		const ageMs = this.#like ? nowMs - this.#like.readAtMs : Number.POSITIVE_INFINITY;
		if (!this.#like || ageMs > READ_EVERY_MS || ageMs < 0) this.#like = { readAtMs: nowMs, byName: await readLike(tx, nowMs) };
		const { byName } = this.#like;
		const own = await readOwn(tx, jobIds);
		return (jobId, { checkpoint, team, name }) => {
			const bytes = checkpoint ? (own.get(jobId) ?? byName.get(`${team}\n${namePatternOf(name)}`)) : undefined;
			return bytes === undefined ? {} : { checkpointGiB: bytes / GIB_BYTES };
		};
	}
}

async function readOwn(tx: Tx, jobIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
	const rows = await tx.execute<{ id: string; bytes: number }>(sql`
		select asked.id, newest.bytes::float8 as bytes from unnest(${sql.param([...jobIds])}::text[]) as asked(id)
		cross join lateral (
			select bytes from checkpoint where checkpoint.job_id = asked.id order by created_at desc, id desc limit 1
		) newest`);
	return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}

async function readLike(tx: Tx, nowMs: number): Promise<ReadonlyMap<string, number>> {
	const rows = await tx.execute<{ team: string; name: string; bytes: number }>(sql`
		select job.team, job.name, max(checkpoint.bytes)::float8 as bytes from checkpoint join job on job.id = checkpoint.job_id
		where checkpoint.created_at > ${new Date(nowMs - LIKE_AGE_MS).toISOString()}::timestamptz
		group by job.team, job.name`);
	const byName = new Map<string, number>();
	for (const { team, name, bytes } of rows) {
		const key = `${team}\n${namePatternOf(name)}`;
		byName.set(key, Math.max(byName.get(key) ?? 0, bytes));
	}
	return byName;
}
