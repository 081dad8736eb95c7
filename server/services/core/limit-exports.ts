import { SpillwayError } from "#server/kernel/errors.ts";
import type { ServiceContext } from "./context.ts";

/** Maximum number of one person's running exports. */
const EXPORTS_MAX = 3;

// Next bundles pages and route handlers separately, so module state would exist more than once; globalThis is shared.
const shared = globalThis as { __spillwayExports?: Map<string, number> };

/**
 * Chunks of an export that is written in this thread. It counts from this call until its end, its failure or `return`, which the reader must
 * call also if it reads nothing.
 * @throws SpillwayError `too_many_requests`
 */
export function limitExports<T>(
	{ actor }: Pick<ServiceContext, "actor">,
	chunks: AsyncGenerator<T, void, undefined>,
): AsyncGenerator<T, void, undefined> {
	return actor.kind === "person" ? untilEnd(chunks, begin(actor.accountId)) : chunks;
}

/** @returns what ends it; further calls do nothing */
function begin(accountId: string): () => void {
	shared.__spillwayExports ??= new Map();
	const exports = shared.__spillwayExports;
	const running = (): number => exports.get(accountId) ?? 0;
	if (running() >= EXPORTS_MAX)
		throw new SpillwayError("too_many_requests", `You have ${EXPORTS_MAX} exports running.`, {
			fix: "Wait until one of them ends, then try again.",
		});
	exports.set(accountId, running() + 1);
	let isRunning = true;
	return () => {
		if (!isRunning) return;
		isRunning = false;
		if (running() > 1) exports.set(accountId, running() - 1);
		else exports.delete(accountId);
	};
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
