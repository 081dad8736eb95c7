import { and, asc, eq, inArray } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { BACKGROUND_TABLES, type BackgroundKind, type Term } from "./table.ts";

/** A worker silent for this long counts as dead, and another one starts. */
export const SILENT_MS = 20 * SECOND_MS;
/** Maximum number of workers per job, and the maximum time from its request to the last of them. */
const TERMS_MAX = 3;
const GIVE_UP_MS = 30 * MINUTE_MS;

/** A process that works on one background job. */
export interface BackgroundWorker {
	stop(): void;
	/** Resolves when the worker has ended: with `failure` when it failed by itself, null when it was ended from outside or is done. */
	ended: Promise<{ failure: string | null }>;
}

export interface TenderContext {
	kind: BackgroundKind;
	db: Db;
	clock: Clock;
	spawn(term: Term): BackgroundWorker;
}

/** Manages the background jobs of one kind: one at a time, oldest first. The leader calls `tend` repeatedly. */
export class BackgroundTender {
	readonly #ctx: TenderContext;
	#current: { term: Term; worker: BackgroundWorker } | null = null;
	readonly #terms = new Map<string, number>();

	constructor(ctx: TenderContext) {
		this.#ctx = ctx;
	}

	/** One read when nothing is due. */
	async tend(): Promise<void> {
		const { db, clock } = this.#ctx;
		const table = BACKGROUND_TABLES[this.#ctx.kind];
		const rows = await db
			.select({
				id: table.id,
				state: table.state,
				createdAt: table.createdAt,
				startedAt: table.startedAt,
				heartbeatAt: table.heartbeatAt,
			})
			.from(table)
			.where(inArray(table.state, ["queued", "running"]))
			.orderBy(asc(table.createdAt), asc(table.id));
		const running = rows.find(({ state }) => state === "running");
		const nowMs = clock.nowMs();
		if (!running) {
			this.#stopWorker();
			const next = rows[0];
			if (next) await this.#begin(next, nowMs);
			return;
		}
		const heardMs = (running.heartbeatAt ?? running.startedAt ?? running.createdAt).getTime();
		if (nowMs - heardMs <= SILENT_MS) return;
		this.#stopWorker();
		const terms = this.#terms.get(running.id) ?? 0;
		if (terms < TERMS_MAX && nowMs - running.createdAt.getTime() < GIVE_UP_MS) await this.#begin(running, nowMs);
		else await this.#fail({ id: running.id, startedAt: running.startedAt }, `Its worker fell silent ${terms} times.`);
	}

	/** Ends the worker; the job stays running, and the next leader restarts it. */
	close(): void {
		this.#stopWorker();
	}

	/** Takes over the term from its holder. The start of the new term must differ from that of the last one. */
	async #begin(row: { id: string; startedAt: Date | null }, nowMs: number): Promise<void> {
		const startedAt = new Date(Math.max(nowMs, (row.startedAt?.getTime() ?? 0) + 1));
		const table = BACKGROUND_TABLES[this.#ctx.kind];
		const taken = await this.#ctx.db
			.update(table)
			.set({ state: "running", startedAt, heartbeatAt: startedAt, progressPermille: 0 })
			.where(and(eq(table.id, row.id), inArray(table.state, ["queued", "running"])))
			.returning({ id: table.id });
		if (taken.length === 0) return;
		this.#terms.set(row.id, (this.#terms.get(row.id) ?? 0) + 1);
		const term = { id: row.id, startedAtMs: startedAt.getTime() };
		const worker = this.#ctx.spawn(term);
		const current = { term, worker };
		this.#current = current;
		void worker.ended.then(({ failure }) => {
			if (this.#current !== current) return;
			this.#current = null;
			// If the database is unavailable now, the job stays running without heartbeats, which is detected later.
			if (failure !== null) this.#fail({ id: row.id, startedAt }, failure).catch(() => {});
		});
	}

	async #fail({ id, startedAt }: { id: string; startedAt: Date | null }, error: string): Promise<void> {
		const table = BACKGROUND_TABLES[this.#ctx.kind];
		const same = startedAt === null ? [] : [eq(table.startedAt, startedAt)];
		await this.#ctx.db
			.update(table)
			.set({ state: "failed", error: error.slice(0, 2_000), finishedAt: new Date(this.#ctx.clock.nowMs()) })
			.where(and(eq(table.id, id), eq(table.state, "running"), ...same));
		this.#terms.delete(id);
	}

	#stopWorker(): void {
		this.#current?.worker.stop();
		this.#current = null;
	}
}
