import { and, eq, isNull, lt, sql } from "drizzle-orm";
import { notify } from "#server/db/notify.ts";
import { dataCopy } from "#server/db/schema/data-copy.ts";
import { job } from "#server/db/schema/job.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { readDataSets } from "#server/services/data-set/list.ts";
import { dueCopies } from "#server/services/data-set/stored-copies.ts";
import type { LoopContext } from "./context.ts";
import { messageOf } from "./messages.ts";

/** How data get into a store, and out of it again. */
export interface DataCopier {
	/** Makes the one address what the other is. Answers the bytes that were moved. @throws Error in words for people. */
	copy(fromUri: string, toUri: string, signal: AbortSignal): Promise<{ bytes: number }>;
	/** Nothing there is fine. */
	remove(uri: string, signal: AbortSignal): Promise<void>;
}

type Row = typeof dataCopy.$inferSelect;

/** Two, so that a small set does not wait for a big one; they share the site's link. */
const AT_ONCE = 2;
const FIRST_PAUSE_MS = MINUTE_MS;
const LONGEST_PAUSE_MS = 6 * HOUR_MS;
/** A copy that no job asked for so long goes, as at owned sites. */
const KEPT_MS = 7 * DAY_MS;
/** A run tells the speed of the link when it moved, and took, so much. */
const TELLING = { bytes: 64 * 1024 * 1024, ms: 2 * SECOND_MS };

/**
 * Copies data that jobs wait for into the stores of regions, and deletes copies that nobody wants any more. What was begun under an
 * earlier leader is begun again: only what is not there yet moves.
 */
export class CopiesAhead {
	readonly #ctx: LoopContext;
	readonly #copier: DataCopier;
	readonly #signal: AbortSignal;
	readonly #busy = new Map<string, Promise<void>>();

	constructor(ctx: LoopContext, copier: DataCopier, signal: AbortSignal) {
		this.#ctx = ctx;
		this.#copier = copier;
		this.#signal = signal;
	}

	/** Begins what is due; answers as soon as that is begun. Cost: one read by which most times nothing is found. */
	async tend(): Promise<void> {
		const due = await dueCopies(this.#ctx.db, this.#ctx.clock.nowMs(), AT_ONCE + this.#busy.size);
		for (const row of due) if (this.#busy.size < AT_ONCE && !this.#busy.has(row.id)) this.#begin(row.id, () => this.#copy(row));
	}

	/** Deletes what was not wanted for KEPT_MS, and is in no live job. */
	async tidy(): Promise<void> {
		const { db, clock, log } = this.#ctx;
		const old = lt(dataCopy.usedAt, new Date(clock.nowMs() - KEPT_MS));
		const live = sql`exists (select 1 from ${job} where ${isNull(job.finishedAt)} and ${job.spec}->'data' @> jsonb_build_array(jsonb_build_object('uri', ${dataCopy.uri})))`;
		// From here on nobody is sent there; a job that wants it again has it copied again.
		const gone = await db
			.update(dataCopy)
			.set({ asOfAt: null, wantedAt: new Date(0) })
			.where(and(old, sql`not ${live}`))
			.returning();
		for (const row of gone) {
			if (this.#busy.has(row.id)) continue;
			this.#begin(row.id, async () => {
				await this.#copier.remove(row.writeUri, this.#signal);
				await db.delete(dataCopy).where(and(eq(dataCopy.id, row.id), eq(dataCopy.wantedAt, new Date(0))));
				log("info", "a copy of data that nobody asked for was deleted", { uri: row.uri, place: row.place });
			});
		}
	}

	/** The end of all that was begun. */
	async done(): Promise<void> {
		await Promise.all(this.#busy.values());
	}

	#begin(id: string, work: () => Promise<void>): void {
		const run = work()
			.catch((error: unknown) => {
				if (!this.#signal.aborted) this.#ctx.log("warn", "copying of data failed", { error: messageOf(error) });
			})
			.finally(() => this.#busy.delete(id));
		this.#busy.set(id, run);
	}

	async #copy(row: Row): Promise<void> {
		const { db, clock } = this.#ctx;
		const beganAt = new Date(clock.nowMs());
		await db.update(dataCopy).set({ beganAt }).where(eq(dataCopy.id, row.id));
		const from = await this.#sourceOf(row.uri);
		try {
			if (from === null) throw new Error("no copy at an owned site is named for it any more");
			const { bytes } = await this.#copier.copy(from, row.writeUri, this.#signal);
			await this.#finish(row, {
				asOfAt: beganAt,
				failures: 0,
				error: null,
				retryAt: null,
				...speedOf(bytes, clock.nowMs() - beganAt.getTime()),
			});
		} catch (error) {
			if (this.#signal.aborted) return;
			await this.#fail(row, messageOf(error));
		}
	}

	/** Copies at home leave free of charge; the first that is named is taken. */
	async #sourceOf(uri: string): Promise<string | null> {
		const set = (await readDataSets(this.#ctx.db)).find((known) => known.uri === uri);
		return set?.copies.find(({ at }) => !at.includes(":"))?.uri ?? null;
	}

	/** A job that still waits for it asks again once the pause is over. */
	async #fail(row: Row, error: string): Promise<void> {
		const failures = row.failures + 1;
		const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
		this.#ctx.log("warn", "data could not be copied ahead", { uri: row.uri, place: row.place, error, failures });
		await this.#finish(row, {
			...{ failures, error: error.slice(0, 1_000), retryAt: new Date(this.#ctx.clock.nowMs() + pauseMs) },
			wantedAt: row.asOfAt ?? new Date(0),
		});
	}

	async #finish(row: Row, set: Partial<Row>): Promise<void> {
		await this.#ctx.db.transaction(async (tx) => {
			await tx.update(dataCopy).set(set).where(eq(dataCopy.id, row.id));
			await notify(tx, { wake: true });
		});
	}
}

function speedOf(bytes: number, tookMs: number): Partial<Row> {
	const copiedBytes = BigInt(bytes);
	if (bytes < TELLING.bytes || tookMs < TELLING.ms) return { copiedBytes };
	return { copiedBytes, mibPerS: bytes / 1024 ** 2 / (tookMs / SECOND_MS) };
}
