import { rename, rm } from "node:fs/promises";
import path from "node:path";
import { homeFolderOf } from "#server/domain/delivery-target.ts";
import { issuesCredentials } from "#server/domain/store.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { defaultStore, storeById } from "#server/services/capacity/store/find.ts";
import { type DueDelivery, dueDeliveries, recordDelivered, recordDeliveryFailure } from "#server/services/work/artifact/delivery.ts";
import { downloadResult } from "#server/services/work/artifact/fetch.ts";
import { moveToStore, resultsToMove } from "#server/services/work/artifact/move-to-store.ts";
import { rootOf } from "#server/services/work/artifact/place.ts";
import { artifactPlace } from "#server/services/work/artifact/store.ts";
import type { LoopContext } from "./context.ts";
import type { DataCopier } from "./copies-ahead.ts";
import { messageOf } from "./messages.ts";

const MAX_PARALLEL = 2;
const FIRST_PAUSE_MS = MINUTE_MS;
const LONGEST_PAUSE_MS = 6 * HOUR_MS;
/** A delivery that failed this long is given up, and stays visible as failed. */
const GIVE_UP_MS = 14 * DAY_MS;

/** What deliveries need of this host. */
export interface DeliveryTools {
	/** Folder that `home:` targets are below. */
	homeRoot: string;
	copier: Pick<DataCopier, "copy">;
}

type DeliveryContext = Pick<LoopContext, "db" | "clock" | "log" | "stores" | "artifactRoot">;

/** Copies results to the places that jobs name, and into stores that machines cannot reach themselves. */
export class ResultDeliveries {
	readonly #ctx: DeliveryContext;
	readonly #tools: DeliveryTools;
	readonly #signal: AbortSignal;
	readonly #busy = new Map<string, Promise<void>>();

	constructor(ctx: DeliveryContext, tools: DeliveryTools, signal: AbortSignal) {
		this.#ctx = ctx;
		this.#tools = tools;
		this.#signal = signal;
	}

	/** Starts deliveries that are due and returns without waiting for them. */
	async tend(): Promise<void> {
		const { db, clock } = this.#ctx;
		for (const row of await dueDeliveries(db, clock.nowMs(), MAX_PARALLEL + this.#busy.size)) this.#begin(row.id, () => this.#deliver(row));
		for (const { id, team } of await resultsToMove(db)) this.#begin(id, () => this.#move(id, team));
	}

	async done(): Promise<void> {
		await Promise.all(this.#busy.values());
	}

	#begin(id: string, work: () => Promise<void>): void {
		if (this.#busy.size >= MAX_PARALLEL || this.#busy.has(id)) return;
		const run = work()
			.catch((error: unknown) => {
				if (!this.#signal.aborted) this.#ctx.log("warn", "Could not record a delivery", { id, error: messageOf(error) });
			})
			.finally(() => this.#busy.delete(id));
		this.#busy.set(id, run);
	}

	async #deliver(row: DueDelivery): Promise<void> {
		const { db, clock, log } = this.#ctx;
		try {
			await this.#copy(row);
			await recordDelivered(db, row, clock.nowMs());
			log("info", "Delivered a result", { artifactId: row.artifactId, target: row.target });
		} catch (error) {
			if (this.#signal.aborted) return;
			const failures = row.failures + 1;
			const nowMs = clock.nowMs();
			const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
			const isOver = nowMs - row.createdAt.getTime() > GIVE_UP_MS;
			await recordDeliveryFailure(db, row, { failures, error: messageOf(error), nextAt: new Date(nowMs + pauseMs), isOver, nowMs });
			log("warn", "Could not deliver a result", { artifactId: row.artifactId, target: row.target, error: messageOf(error), failures });
		}
	}

	/** Whole or not at all at a folder of this host: a copy beside it takes its place in one step. */
	async #copy(row: DueDelivery): Promise<void> {
		const { db, stores = null, artifactRoot } = this.#ctx;
		const from = row.storeId === null ? null : await storeById(db, row.storeId);
		const whole = artifactPlace(rootOf(artifactRoot, from?.config ?? null), row.artifactId).whole;
		const home = homeFolderOf(row.target);
		const inStore = from !== null && from.config.kind !== "folder";
		const target = home === null ? null : path.join(this.#tools.homeRoot, home);
		const staged = target === null ? `${whole}.delivery` : `${target}.${row.artifactId}.partial`;
		try {
			if (inStore) {
				await rm(staged, { recursive: true, force: true });
				await downloadResult(db, stores, { id: row.artifactId, from, target: staged, signal: this.#signal, mode: 0o777 });
			} else if (target !== null) await this.#tools.copier.copy(`file://${whole}`, `file://${staged}`, this.#signal);
			if (target === null) {
				await this.#tools.copier.copy(`file://${inStore ? staged : whole}`, row.target, this.#signal);
				return;
			}
			const old = `${target}.${row.artifactId}.old`;
			await rm(old, { recursive: true, force: true });
			await rename(target, old).catch(() => {});
			await rename(staged, target);
			await rm(old, { recursive: true, force: true });
		} finally {
			await rm(staged, { recursive: true, force: true });
		}
	}

	async #move(id: string, team: string): Promise<void> {
		const { db, stores, artifactRoot, log } = this.#ctx;
		const row = await defaultStore(db, team);
		if (!stores || !row || issuesCredentials(row.config) || row.config.kind === "folder") return;
		await moveToStore(db, { root: artifactRoot, stores }, { id, row, signal: this.#signal });
		log("info", "Moved a result into its team's store", { artifactId: id, storeId: row.id });
	}
}
