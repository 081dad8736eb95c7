import type { Sql } from "postgres";
import { z } from "zod";
import { CHANGE_CHANNEL } from "#server/db/notify.ts";
import { CHANGE_TOPICS, type Change } from "#server/domain/change.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { Actor } from "#server/services/core/context.ts";
import { limitRunning } from "#server/services/core/running-of-person.ts";

const changeSchema = z.object({
	topic: z.enum(CHANGE_TOPICS),
	id: z.string().nullable(),
	team: z.string().nullable(),
});

/** Changes wait this long for others, so that a flood becomes one message. */
const GATHER_MS = 150;
const LISTENERS_MAX = 2_000;

/** Notifies every open browser of this process of changes, from one LISTEN on the database. */
export class ChangeFeed {
	readonly #listeners = new Set<(change: Change) => void>();
	readonly #signal: AbortSignal;
	#started: Promise<unknown> | null = null;
	readonly #sql: Sql;
	readonly #clock: Clock;
	/** Time of the last change of each topic and team, since a page starts listening some time after it was rendered. */
	readonly #last = new Map<string, { change: Change; atMs: number }>();

	constructor(sql: Sql, signal: AbortSignal, clock: Clock) {
		this.#sql = sql;
		this.#signal = signal;
		this.#clock = clock;
	}

	/** Starts listening for changes. @throws Error when the database does not answer; the next call tries again */
	async open(): Promise<void> {
		this.#started ??= this.#sql.listen(CHANGE_CHANNEL, (payload) => this.#deliver(payload));
		try {
			await this.#started;
		} catch (error) {
			this.#started = null;
			throw error;
		}
	}

	/**
	 * Batches of changes that concern this actor, until the signal. The same topic and id is sent once per batch.
	 * @throws SpillwayError `too_many_requests`
	 * @param sinceMs with the topics that were heard of from then on, without their ids; left out: from now on
	 */
	subscribe(actor: Actor, signal: AbortSignal, sinceMs: number = Number.POSITIVE_INFINITY): AsyncGenerator<Change[], void, undefined> {
		if (this.#listeners.size >= LISTENERS_MAX)
			throw new SpillwayError("too_many_requests", `The server has ${LISTENERS_MAX} live connections.`, {
				fix: "Close unused browser tabs and try again.",
			});
		const changes = limitRunning({ actor }, "live_connection", this.#changesFor(actor, signal, sinceMs));
		// A reader that left before its first read does not end the generator.
		const end = (): void => void changes.return();
		if (signal.aborted) end();
		else signal.addEventListener("abort", end, { once: true });
		return changes;
	}

	async *#changesFor(actor: Actor, signal: AbortSignal, sinceMs: number): AsyncGenerator<Change[], void, undefined> {
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
			await this.open();
			for (const { change, atMs } of this.#last.values()) if (atMs >= sinceMs) listener(change);
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
		if (!parsed.success) return;
		const { topic, team } = parsed.data;
		this.#last.set(`${topic}/${team ?? ""}`, { change: { topic, id: null, team }, atMs: this.#clock.nowMs() });
		for (const listener of this.#listeners) listener(parsed.data);
	}
}

function concerns(actor: Actor, change: Change): boolean {
	return (
		change.team === null ||
		actor.kind === "system" ||
		(actor.kind === "person" && actor.role !== "data_scientist") ||
		actor.teams.includes(change.team)
	);
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
