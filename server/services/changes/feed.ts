import type { Sql } from "postgres";
import { z } from "zod";
import { CHANGE_CHANNEL } from "#server/db/notify.ts";
import { CHANGE_TOPICS, type Change } from "#server/domain/change.ts";
import type { Actor } from "../context.ts";

const changeSchema = z.object({
	topic: z.enum(CHANGE_TOPICS),
	id: z.string().nullable(),
	team: z.string().nullable(),
});

/** Changes wait this long for others, so that a flood becomes one message. */
const GATHER_MS = 150;
const LISTENERS_MAX = 2_000;

/** Tells every open browser of this process what changed, from one LISTEN on the database. */
export class ChangeFeed {
	readonly #listeners = new Set<(change: Change) => void>();
	readonly #signal: AbortSignal;
	#started: Promise<unknown> | null = null;
	readonly #sql: Sql;
	constructor(sql: Sql, signal: AbortSignal) {
		this.#sql = sql;
		this.#signal = signal;
	}

	/** Batches of changes that concern this actor, until the signal. The same topic and id is sent once per batch. */
	async *subscribe(actor: Actor, signal: AbortSignal): AsyncGenerator<Change[]> {
		if (this.#listeners.size >= LISTENERS_MAX) throw new Error("too many open live connections");
		this.#started ??= this.#sql.listen(CHANGE_CHANNEL, (payload) => this.#deliver(payload));
		await this.#started;
		const pending = new Map<string, Change>();
		let ring: (() => void) | null = null;
		const listener = (change: Change): void => {
			if (!concerns(actor, change)) return;
			pending.set(`${change.topic}/${change.id ?? ""}`, change);
			ring?.();
		};
		const stop = AbortSignal.any([signal, this.#signal]);
		this.#listeners.add(listener);
		try {
			while (!stop.aborted) {
				if (pending.size === 0) await waitFor((resolve) => (ring = resolve), stop);
				if (stop.aborted) return;
				await waitFor((resolve) => setTimeout(resolve, GATHER_MS), stop);
				const batch = [...pending.values()];
				pending.clear();
				if (batch.length > 0) yield batch;
			}
		} finally {
			this.#listeners.delete(listener);
		}
	}

	#deliver(payload: string): void {
		const parsed = changeSchema.safeParse(JSON.parse(payload));
		if (parsed.success) for (const listener of this.#listeners) listener(parsed.data);
	}
}

function concerns(actor: Actor, change: Change): boolean {
	return change.team === null || actor.kind === "system" || actor.role !== "data_scientist" || actor.teams.includes(change.team);
}

function waitFor(arm: (resolve: () => void) => void, signal: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		const done = (): void => {
			signal.removeEventListener("abort", done);
			resolve();
		};
		signal.addEventListener("abort", done);
		arm(done);
	});
}
