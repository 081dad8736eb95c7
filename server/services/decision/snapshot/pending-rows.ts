import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { job } from "#server/db/schema/job.ts";
import { defined } from "#server/kernel/assert.ts";
import { notHeldByPerson } from "#server/services/work/job/hold.ts";

const COLUMNS = {
	jobId: job.id,
	state: job.state,
	priority: job.priority,
	submittedAt: job.submittedAt,
	pendingSince: job.pendingSince,
	attempts: job.attempts,
	resumedAfterAttempt: job.resumedAfterAttempt,
	completedMs: job.completedMs,
	approvedMicroUsd: job.approvedMicroUsd,
	movingTo: attempt.movingTo,
	stopReason: attempt.stopReason,
	stopRequestedAt: attempt.stopRequestedAt,
	endedAt: attempt.finishedAt,
};

/** A pending job with the outcome of its last attempt. */
export type PendingRow = Awaited<ReturnType<typeof readRows>>[number];

/** A separator: ids and numbers never contain it, and JSON is written without it. */
const END = "\n";

/**
 * The rows of the pending jobs. Few of thousands change between two reads, so the database returns each as one line, and only changed lines
 * are read in full. An unchanged row stays the same object. Cost after a change: one line for each pending job, about 5 ms of this process
 * for ten thousand, and the rows that changed.
 */
export class PendingRows {
	#known = new Map<string, { line: string; row: PendingRow }>();
	#text: string | null = null;
	#rows: PendingRow[] = [];

	/** `text`: PENDING_LINES, read in the same transaction. */
	async read(tx: Tx, text: string | null): Promise<PendingRow[]> {
		if (text !== this.#text) this.#rows = await this.#readChanged(tx, text);
		this.#text = text;
		return this.#rows;
	}

	async #readChanged(tx: Tx, text: string | null): Promise<PendingRow[]> {
		const lines = new Map(text?.split(END).map((line) => [line.slice(0, line.indexOf("|")), line]));
		const changed = [...lines].filter(([jobId, line]) => this.#known.get(jobId)?.line !== line).map(([jobId]) => jobId);
		const fresh = new Map(changed.length === 0 ? [] : (await readRows(tx, changed)).map((row) => [row.jobId, row]));
		const next = new Map<string, { line: string; row: PendingRow }>();
		for (const [jobId, line] of lines) {
			const row = fresh.get(jobId) ?? this.#known.get(jobId)?.row;
			next.set(jobId, { line, row: defined(row, "row of a pending job") });
		}
		this.#known = next;
		return [...next.values()].map(({ row }) => row);
	}
}

const ONE_LINE: SQL = sql.join(
	Object.values(COLUMNS).map((column) => sql`${column}`),
	sql`, '|', `,
);

function readRows(tx: Tx, jobIds: readonly string[]) {
	return tx
		.select(COLUMNS)
		.from(job)
		.leftJoin(attempt, lastAttempt())
		.where(and(isPending(), sql`${job.id} = any(${sql.param([...jobIds])}::text[])`));
}

const lastAttempt = () => and(eq(attempt.jobId, job.id), eq(attempt.number, job.attempts));
const isPending = () => and(inArray(job.state, ["queued", "held"]), notHeldByPerson);

/** The pending jobs, a line each; null without any. */
export const PENDING_LINES: SQL = sql`(select string_agg(concat(${ONE_LINE}), ${sql.raw("E'\\n'")})
	from ${job} left join ${attempt} on ${lastAttempt()} where ${isPending()})`;
