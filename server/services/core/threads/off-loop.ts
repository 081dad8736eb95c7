import { SpillwayError } from "#server/kernel/errors.ts";
import type { ServiceContext } from "../context.ts";

/** Threads for computations that would delay all other requests of the process. */
export interface ThreadPool {
	/** @param task a key of the table in server/bin/web-thread.ts @throws SpillwayError when it takes too long; what the task throws */
	run(task: string, input: unknown): Promise<unknown>;
	close(): Promise<void>;
}

/** Maximum number of waiting tasks of one person: a page's largest batch. */
const WAITING_MAX = 40;

// Next bundles pages and route handlers separately, so module state would exist more than once; globalThis is shared.
const shared = globalThis as {
	__spillwayThreads?: {
		pool: ThreadPool | null;
		people: Map<string, { last: Promise<unknown>; count: number }>;
	};
};

function state(): NonNullable<typeof shared.__spillwayThreads> {
	shared.__spillwayThreads ??= { pool: null, people: new Map() };
	return shared.__spillwayThreads;
}

/** Makes `offLoop` use threads in this process. Without a pool it computes in place. */
export function setThreadPool(pool: ThreadPool | null): void {
	state().pool = pool;
}

/**
 * Computes in a thread, one computation per person at a time, so that no one waits behind another person's whole batch.
 * @param compute the same function as the table's `task`; pure, with cloneable input and output
 * @throws SpillwayError `too_many_requests`
 */
export function offLoop<I, O>(
	ctx: Pick<ServiceContext, "actor">,
	task: string,
	compute: (input: I) => O | Promise<O>,
	input: I,
): Promise<O> {
	const { pool } = state();
	return inTurn(ctx, async () => (pool ? (pool.run(task, input) as Promise<O>) : compute(input)));
}

/**
 * Runs a computation of this thread after the person's earlier ones. It must not start another one of that person.
 * @throws SpillwayError `too_many_requests`
 */
export async function inTurn<O>({ actor }: Pick<ServiceContext, "actor">, work: () => Promise<O>): Promise<O> {
	const { people } = state();
	if (actor.kind !== "person") return work();
	const before = people.get(actor.accountId) ?? { last: Promise.resolve(), count: 0 };
	if (before.count >= WAITING_MAX)
		throw new SpillwayError("too_many_requests", `You have ${WAITING_MAX} computations waiting.`, {
			fix: "Wait for their results, then try again.",
		});
	const done = before.last.then(work);
	const mine = { last: done.catch(() => undefined), count: before.count + 1 };
	people.set(actor.accountId, mine);
	try {
		return await done;
	} finally {
		const now = people.get(actor.accountId);
		if (now !== undefined && now.count > 1) people.set(actor.accountId, { ...now, count: now.count - 1 });
		else people.delete(actor.accountId);
	}
}
