import { eq, inArray, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { jobTrace } from "#server/db/schema/job-trace.ts";
import { type ExportedSpan, type TraceStep, traceSteps } from "#server/domain/trace.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { type JobFacts, loadTraceFacts } from "./facts.ts";
import { spanIdOf } from "./span-id.ts";

/** Sends spans to a receiver; rejects when the receiver does not accept them. Port of server/tracing. */
export type SendSpans = (spans: readonly ExportedSpan[]) => Promise<void>;

/** Jobs per pass; the others follow in the next one. */
const JOBS_PER_PASS = 200;

type Row = typeof jobTrace.$inferSelect;

/**
 * Sends the finished steps of traced jobs that were not sent yet, and deletes the rows of jobs with nothing more to send. A step
 * that was accepted just before a crash is sent again, with the same ids.
 * @returns the number of spans sent
 * @throws what `send` throws; the steps are sent again by a later call. Jobs that ended a day ago are dropped regardless.
 */
export async function sendTraces({ db, clock }: { db: Db; clock: Clock }, send: SendSpans): Promise<number> {
	const rows = await db.select().from(jobTrace).orderBy(sql`${jobTrace.checkedAt} asc nulls first`).limit(JOBS_PER_PASS);
	if (rows.length === 0) return 0;
	const nowMs = clock.nowMs();
	const found = new Map(
		(
			await loadTraceFacts(
				db,
				rows.map(({ jobId }) => jobId),
			)
		).map((facts) => [facts.jobId, facts]),
	);
	const due = rows.map((row) => ({ row, facts: found.get(row.jobId), steps: findUnsent(row, found.get(row.jobId)) }));
	const spans = due.flatMap(({ row, steps }) => steps.map((step) => spanOf(row, step)));
	const isOver = ({ facts }: { facts: JobFacts | undefined }): boolean => facts?.isComplete ?? true;
	try {
		if (spans.length > 0) await send(spans);
	} catch (error) {
		const old = due.filter(({ facts }) => facts?.finishedAtMs != null && facts.finishedAtMs < nowMs - DAY_MS);
		await removeRows(db, old);
		throw error;
	}
	await removeRows(db, due.filter(isOver));
	for (const { row, steps } of due.filter((one) => !isOver(one))) {
		const sent = [...row.sent, ...steps.map(({ key }) => key)];
		await db
			.update(jobTrace)
			.set({ sent, checkedAt: new Date(nowMs) })
			.where(eq(jobTrace.jobId, row.jobId));
	}
	return spans.length;
}

async function removeRows(db: Db, due: readonly { row: Row }[]): Promise<void> {
	if (due.length === 0) return;
	await db.delete(jobTrace).where(
		inArray(
			jobTrace.jobId,
			due.map(({ row }) => row.jobId),
		),
	);
}

function findUnsent(row: Row, facts: JobFacts | undefined): TraceStep[] {
	if (!facts) return [];
	const sent = new Set(row.sent);
	return traceSteps({ ...facts, receivedAtMs: row.receivedAt.getTime() }).filter(({ key }) => !sent.has(key));
}

function spanOf(row: Row, { key, parent, ...step }: TraceStep): ExportedSpan {
	return {
		...step,
		traceId: row.traceId,
		traceState: row.traceState,
		spanId: spanIdOf(row.jobId, key),
		parentSpanId: parent === null ? row.parentSpanId : spanIdOf(row.jobId, parent),
	};
}
