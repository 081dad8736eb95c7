import { SECOND_MS } from "#server/kernel/units.ts";
import { findCopySource } from "#server/services/capacity/data-set/copy-source.ts";
import {
	type DataCopyRow,
	deleteWithdrawnCopy,
	markCopyStarted,
	recordCopied,
	recordCopyFailure,
	withdrawCopies,
} from "#server/services/capacity/data-set/record-copies.ts";
import { requestSharedCopies } from "#server/services/capacity/data-set/share-copies.ts";
import { dueCopies, KEPT_UNUSED_MS } from "#server/services/capacity/data-set/stored-copies.ts";
import { chargeCopy, pricedSource } from "#server/services/ledger/charge/copy-egress.ts";
import type { LoopContext } from "./context.ts";
import { messageOf } from "./messages.ts";
import { ParallelWork, retryPauseMs } from "./parallel-work.ts";

/** Copies data into a store and deletes them there. */
export interface DataCopier {
	/** Syncs one address to the other and returns the bytes moved; `onBytes` gets them on the way. @throws Error with a message for people. */
	copy(fromUri: string, toUri: string, signal: AbortSignal, onBytes?: (bytes: number) => void): Promise<{ bytes: number }>;
	/** As `copy`, but files at the target that the source does not have stay. */
	add(fromUri: string, toUri: string, signal: AbortSignal): Promise<{ bytes: number }>;
	/** Total size of the files there, in bytes. @throws Error with a message for people. */
	size(uri: string, signal: AbortSignal): Promise<number>;
	/** Succeeds if nothing is there. */
	remove(uri: string, signal: AbortSignal): Promise<void>;
}

type CopyWork = Pick<DataCopier, "copy" | "size" | "remove">;

/** A run measures the link's speed only if it moved this much and took this long. */
const MIN_MEASURED = { bytes: 64 * 1024 * 1024, ms: 2 * SECOND_MS };

/**
 * Copies data that jobs need into the stores of regions, and deletes unused copies. A new leader restarts copies in
 * progress; only what is missing is transferred.
 */
export class CopiesAhead {
	readonly #ctx: LoopContext;
	readonly #copier: CopyWork;
	readonly #signal: AbortSignal;
	readonly #work: ParallelWork;

	constructor(ctx: LoopContext, copier: CopyWork, signal: AbortSignal) {
		this.#ctx = ctx;
		this.#copier = copier;
		this.#signal = signal;
		this.#work = new ParallelWork((id, error) => {
			if (!signal.aborted) ctx.log("warn", "Could not record a copy of data", { id, error: messageOf(error) });
		});
	}

	/** Starts copies that are due and returns without waiting for them. Cost: one query. */
	async tend(): Promise<void> {
		const due = await dueCopies(this.#ctx.db, this.#ctx.clock.nowMs(), this.#work.readLimit);
		for (const row of due) this.#work.startIfFree(row.id, () => this.#copy(row));
	}

	/** Requests copies that save later jobs more egress than they cost, in stores that allow it. */
	async share(): Promise<void> {
		const requested = await requestSharedCopies(this.#ctx.db, this.#ctx.clock.nowMs());
		if (requested > 0) this.#ctx.log("info", "Requested copies of data that jobs keep reading from elsewhere", { copies: requested });
	}

	/** Deletes copies that were not requested for KEPT_UNUSED_MS and that no live job uses. */
	async tidy(): Promise<void> {
		const { db, clock, log } = this.#ctx;
		for (const row of await withdrawCopies(db, new Date(clock.nowMs() - KEPT_UNUSED_MS))) {
			this.#work.start(row.id, async () => {
				await this.#copier.remove(row.writeUri, this.#signal);
				await deleteWithdrawnCopy(db, row.id);
				log("info", "Deleted an unused copy of data", { uri: row.uri, place: row.place });
			});
		}
	}

	/** Resolves when all started copies are finished. */
	done(): Promise<void> {
		return this.#work.done();
	}

	async #copy(row: DataCopyRow): Promise<void> {
		const { db, clock } = this.#ctx;
		const beganAt = new Date(clock.nowMs());
		await markCopyStarted(db, row.id, beganAt);
		const from = await findCopySource(db, row);
		let moved = 0;
		try {
			if (from === null)
				throw new Error(`The data set no longer has a copy at ${row.fromPlace ?? "an owned site"}. Add one, or remove the data set.`);
			const { bytes } = await this.#copier.copy(from.uri, row.writeUri, this.#signal, (sofar) => {
				moved = sofar;
			});
			moved = bytes;
			const mibPerS = speedOf(bytes, clock.nowMs() - beganAt.getTime());
			const storedBytes = BigInt(await this.#copier.size(row.writeUri, this.#signal));
			const isPaid = pricedSource(row.fromPlace) !== null;
			await chargeCopy(db, row, BigInt(moved), clock.nowMs());
			moved = 0;
			await recordCopied(db, row.id, { asOfAt: from.asOf ?? beganAt, copiedBytes: BigInt(bytes), storedBytes, mibPerS, isPaid });
		} catch (error) {
			if (this.#signal.aborted) return;
			await chargeCopy(db, row, BigInt(moved), clock.nowMs());
			await this.#fail(row, messageOf(error));
		}
	}

	async #fail(row: DataCopyRow, error: string): Promise<void> {
		const failures = row.failures + 1;
		this.#ctx.log("warn", "Could not copy data; a job that needs it retries after the backoff", {
			uri: row.uri,
			place: row.place,
			error,
			failures,
		});
		await recordCopyFailure(this.#ctx.db, row, { failures, error, retryAt: new Date(this.#ctx.clock.nowMs() + retryPauseMs(failures)) });
	}
}

/** MiB/s, or undefined if the run was too short to measure. */
function speedOf(bytes: number, tookMs: number): number | undefined {
	if (bytes < MIN_MEASURED.bytes || tookMs < MIN_MEASURED.ms) return undefined;
	return bytes / 1024 ** 2 / (tookMs / SECOND_MS);
}
