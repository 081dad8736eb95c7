import { SpillwayError } from "#server/kernel/errors.ts";
import type { ServiceContext } from "./context.ts";

/** What one person may have running at once in this process. */
const LIMITS = {
	export: { max: 3, what: "exports running", fix: "Wait until one of them ends, then try again." },
	followed_log: { max: 50, what: "logs open with --follow", fix: "Stop one of them, or read the log without --follow." },
	live_connection: { max: 100, what: "live connections", fix: "Close unused browser tabs and try again." },
} as const;
type Kind = keyof typeof LIMITS;

// Next bundles pages and route handlers separately, so module state would exist more than once; globalThis is shared.
const shared = globalThis as { __spillwayRunning?: Map<string, number> };

/**
 * Counts one more of this kind for a person, and none for other actors.
 * @returns what ends it; further calls do nothing
 * @throws SpillwayError `too_many_requests`
 */
export function beginRunning({ actor }: Pick<ServiceContext, "actor">, kind: Kind): () => void {
	if (actor.kind !== "person") return () => {};
	shared.__spillwayRunning ??= new Map();
	const all = shared.__spillwayRunning;
	const key = `${kind}/${actor.accountId}`;
	const running = (): number => all.get(key) ?? 0;
	const { max, what, fix } = LIMITS[kind];
	if (running() >= max) throw new SpillwayError("too_many_requests", `You have ${max} ${what}.`, { fix });
	all.set(key, running() + 1);
	let isRunning = true;
	return () => {
		if (!isRunning) return;
		isRunning = false;
		if (running() > 1) all.set(key, running() - 1);
		else all.delete(key);
	};
}

/**
 * The same for chunks. They count from this call until their end, their failure or `return`, which the reader must call also if it reads
 * nothing.
 * @throws SpillwayError `too_many_requests`
 */
export function limitRunning<T>(
	ctx: Pick<ServiceContext, "actor">,
	kind: Kind,
	chunks: AsyncGenerator<T, void, undefined>,
): AsyncGenerator<T, void, undefined> {
	return ctx.actor.kind === "person" ? untilEnd(chunks, beginRunning(ctx, kind)) : chunks;
}

/** A generator would not end what was never read: its `finally` runs only after the first `next`. */
function untilEnd<T>(chunks: AsyncGenerator<T, void, undefined>, end: () => void): AsyncGenerator<T, void, undefined> {
	const watched = async (step: Promise<IteratorResult<T, void>>, isLast: boolean): Promise<IteratorResult<T, void>> => {
		try {
			const result = await step;
			if (isLast || result.done) end();
			return result;
		} catch (error) {
			end();
			throw error;
		}
	};
	return {
		next: () => watched(chunks.next(), false),
		return: () => watched(chunks.return(), true),
		throw: (error) => watched(chunks.throw(error), true),
		[Symbol.asyncIterator]() {
			return this;
		},
		async [Symbol.asyncDispose]() {
			await this.return();
		},
	};
}
