import { rm } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { homeFolderOf } from "#server/domain/delivery-target.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { type StoreRow, storeById } from "#server/services/capacity/store/find.ts";
import {
	type DueDelivery,
	dueDeliveries,
	filesDeliveredTo,
	recordDelivered,
	recordDeliveryFailure,
} from "#server/services/work/artifact/delivery.ts";
import { downloadResult } from "#server/services/work/artifact/fetch.ts";
import { moveToStore, resultsToMove } from "#server/services/work/artifact/move-to-store.ts";
import { rootOf } from "#server/services/work/artifact/place.ts";
import { artifactPlace } from "#server/services/work/artifact/store.ts";
import type { LoopContext } from "./context.ts";
import type { DataCopier } from "./copies-ahead.ts";
import { messageOf } from "./messages.ts";
import { ParallelWork, retryPauseMs } from "./parallel-work.ts";
import { replaceDelivered, requireBelow } from "./replace-delivered.ts";

/** A delivery that failed this long is given up, and stays visible as failed. */
const GIVE_UP_MS = 14 * DAY_MS;

/** What deliveries need of this host. */
export interface DeliveryTools {
	/** Folder that `home:` targets are below. */
	homeRoot: string;
	copier: Pick<DataCopier, "copy" | "add">;
}

type DeliveryContext = Pick<LoopContext, "db" | "clock" | "log" | "stores" | "artifactRoot">;

/** Copies results to the places that jobs name, and into stores that machines cannot reach themselves. */
export class ResultDeliveries {
	readonly #ctx: DeliveryContext;
	readonly #tools: DeliveryTools;
	readonly #signal: AbortSignal;
	readonly #work: ParallelWork;
	#replacing: Promise<void> = Promise.resolve();
	/** Stores into which moving a result failed, by their id. */
	readonly #pauses = new Map<string, { failures: number; untilMs: number }>();

	constructor(ctx: DeliveryContext, tools: DeliveryTools, signal: AbortSignal) {
		this.#ctx = ctx;
		this.#tools = tools;
		this.#signal = signal;
		this.#work = new ParallelWork((id, error) => {
			if (!signal.aborted) ctx.log("warn", "Could not record a delivery", { id, error: messageOf(error) });
		});
	}

	/** Starts deliveries that are due and returns without waiting for them. */
	async tend(): Promise<void> {
		const { db, clock } = this.#ctx;
		const nowMs = clock.nowMs();
		for (const row of await dueDeliveries(db, nowMs, this.#work.readLimit)) this.#work.startIfFree(row.id, () => this.#deliver(row));
		const paused = [...this.#pauses].flatMap(([storeId, { untilMs }]) => (untilMs > nowMs ? [storeId] : []));
		for (const { id, to } of await resultsToMove(db, paused)) this.#work.startIfFree(id, () => this.#move(id, to));
	}

	/** Resolves when everything that was started has ended. */
	done(): Promise<void> {
		return this.#work.done();
	}

	async #deliver(row: DueDelivery): Promise<void> {
		const { db, clock, log } = this.#ctx;
		try {
			await this.#copy(row);
			log("info", "Delivered a result", { artifactId: row.artifactId, target: row.target });
		} catch (error) {
			if (this.#signal.aborted) return;
			const failures = row.failures + 1;
			const nowMs = clock.nowMs();
			const isOver = nowMs - row.createdAt.getTime() > GIVE_UP_MS;
			await recordDeliveryFailure(db, row, {
				failures,
				error: messageOf(error),
				nextAt: new Date(nowMs + retryPauseMs(failures)),
				isOver,
				nowMs,
			});
			log("warn", "Could not deliver a result", { artifactId: row.artifactId, target: row.target, error: messageOf(error), failures });
		}
	}

	/** Copies a result to its target and records that. */
	async #copy(row: DueDelivery): Promise<void> {
		const { db, clock, stores = null, artifactRoot } = this.#ctx;
		const { homeRoot, copier } = this.#tools;
		const from = row.storeId === null ? null : await storeById(db, row.storeId);
		const whole = artifactPlace(rootOf(artifactRoot, from?.config ?? null), row.artifactId).whole;
		const home = homeFolderOf(row.target);
		const inStore = from !== null && from.config.kind !== "folder";
		const target = home === null ? null : path.join(homeRoot, home);
		const staged = target === null ? `${whole}.delivery` : `${target}.${row.artifactId}.partial`;
		if (target !== null) await requireBelow(homeRoot, target);
		try {
			if (inStore) {
				await rm(staged, { recursive: true, force: true });
				await downloadResult(db, stores, { id: row.artifactId, from, target: staged, signal: this.#signal, mode: 0o777 });
			} else if (target !== null) await copier.copy(fileUri(whole), fileUri(staged), this.#signal);
			if (target === null) {
				await copier.add(fileUri(inStore ? staged : whole), row.target, this.#signal);
				await recordDelivered(db, row, clock.nowMs());
				return;
			}
			await this.#inTurn(async () => {
				await requireBelow(homeRoot, target);
				await replaceDelivered(staged, target, `${target}.${row.artifactId}.old`, await filesDeliveredTo(db, row));
				await recordDelivered(db, row, clock.nowMs());
			});
		} finally {
			await rm(staged, { recursive: true, force: true });
		}
	}

	/** Folders are replaced one at a time, because two deliveries to the same folder at once would fail. */
	#inTurn(work: () => Promise<void>): Promise<void> {
		const turn = this.#replacing.then(work);
		this.#replacing = turn.catch(() => {});
		return turn;
	}

	async #move(id: string, to: StoreRow): Promise<void> {
		const { db, clock, stores, artifactRoot, log } = this.#ctx;
		if (!stores) return;
		try {
			await moveToStore(db, { root: artifactRoot, stores }, { id, to, signal: this.#signal });
			this.#pauses.delete(to.id);
			log("info", "Moved a result into its team's store", { artifactId: id, storeId: to.id });
		} catch (error) {
			if (this.#signal.aborted) return;
			const failures = (this.#pauses.get(to.id)?.failures ?? 0) + 1;
			this.#pauses.set(to.id, { failures, untilMs: clock.nowMs() + retryPauseMs(failures) });
			log("warn", "Could not move a result into its team's store", { artifactId: id, storeId: to.id, error: messageOf(error), failures });
		}
	}
}

/** Encodes `#`, `?` and `%`, which would otherwise lead to another folder. */
function fileUri(folder: string): string {
	return pathToFileURL(folder).href;
}
