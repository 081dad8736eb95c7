import type { Db } from "#server/db/client.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { failureOf } from "./failure.ts";
import { BACKGROUND_TABLES, type BackgroundKind, isMine, type Term } from "./table.ts";

/** How often a worker sends a heartbeat and checks whether its job was canceled. */
const BEAT_MS = 1_000;

export interface TermContext {
	db: Db;
	clock: Clock;
	/** Full text of an unexpected error. */
	logError(error: unknown): void;
}

/** What a background job may read and set while it runs. */
export interface Going {
	/** Aborted when the job was canceled or given to another worker. */
	stop: AbortController;
	/** 0 to 1000. */
	progress: { permille: number };
	/** Writes columns before the end, such as an estimate. */
	write(columns: Columns): Promise<void>;
}

export type TermEnd = "done" | "failed" | "given_up";
type Columns = Readonly<Record<string, unknown>>;

/** Runs a job to its end: sends heartbeats, then writes the columns that `work` returns, or the reason it failed. */
export async function runTerm(
	ctx: TermContext,
	kind: BackgroundKind,
	term: Term,
	work: (going: Going) => Promise<Columns>,
): Promise<TermEnd> {
	const going: Going = { stop: new AbortController(), progress: { permille: 0 }, write: (columns) => setColumns(ctx, kind, term, columns) };
	const beats = setInterval(() => {
		beat(ctx, kind, term, going.progress.permille).then(
			(alive) => void (alive || going.stop.abort()),
			// The next heartbeat retries. If the database stays unavailable, the worker falls silent and another one starts.
			() => {},
		);
	}, BEAT_MS);
	try {
		const columns = await work(going);
		return (await write(ctx, kind, term, { state: "done", progressPermille: 1000, ...columns })) ? "done" : "given_up";
	} catch (error) {
		if (going.stop.signal.aborted && !(error instanceof SpillwayError)) return "given_up";
		await write(ctx, kind, term, { state: "failed", error: failureOf(error).slice(0, 2_000) });
		if (!(error instanceof SpillwayError)) ctx.logError(error);
		return "failed";
	} finally {
		clearInterval(beats);
	}
}

/** False when the job no longer belongs to this worker. */
async function beat(ctx: TermContext, kind: BackgroundKind, term: Term, progressPermille: number): Promise<boolean> {
	const table = BACKGROUND_TABLES[kind];
	const rows = await ctx.db
		.update(table)
		.set({ heartbeatAt: new Date(ctx.clock.nowMs()), progressPermille })
		.where(isMine(kind, term))
		.returning({ id: table.id });
	return rows.length > 0;
}

async function setColumns(ctx: TermContext, kind: BackgroundKind, term: Term, columns: Columns): Promise<void> {
	await ctx.db.update(BACKGROUND_TABLES[kind]).set(columns).where(isMine(kind, term));
}

async function write(ctx: TermContext, kind: BackgroundKind, term: Term, end: Columns): Promise<boolean> {
	const table = BACKGROUND_TABLES[kind];
	const rows = await ctx.db
		.update(table)
		.set({ ...end, finishedAt: new Date(ctx.clock.nowMs()) })
		.where(isMine(kind, term))
		.returning({ id: table.id });
	return rows.length > 0;
}
