import type { Db } from "#server/db/client.ts";
import type { Explanation } from "#server/domain/decision.ts";
import { HOUR_MS, SECOND_MS } from "#server/kernel/units.ts";
import { decide } from "#server/scheduling/decide.ts";
import type { DecideMemo, PendingJob, Plan, Snapshot } from "#server/scheduling/types.ts";
import type { ServiceContext } from "../context.ts";
import { loadSnapshot, SnapshotCache } from "../snapshot/load.ts";
import type { Timing } from "../timing.ts";
import { KeptMoment } from "./kept-moment.ts";

/** With as many jobs waiting as this, a moment that was read serves more than one question: reading it takes longer than asking. */
const KEEP_FROM_PENDING = 1_000;
/** The oldest moment that is answered from, and the age from which the next one is made ready. */
const KEEP_MS = 3 * SECOND_MS;
const RENEW_MS = 1.5 * SECOND_MS;
/** How long after a question that goes on: an open form asks every 15 s. */
const ASKED_MS = 30 * SECOND_MS;
/** What past work says may be as old for the first question after a pause; it is renewed behind the answer. */
const HISTORY_MAX_AGE_MS = HOUR_MS;

/** What is kept between questions to one database: specs of the pending jobs, what the core knows of them, the last moment. */
interface AskMemory {
	memo: DecideMemo;
	moment: KeptMoment<Snapshot>;
}
const memories = new WeakMap<Db, AskMemory>();

/** Asks about nobody: what is found for all others is kept. */
const NOBODY: ReadonlySet<string> = new Set(["nobody"]);

type AskContext = ServiceContext & { timing: Timing };

export interface Asked {
	plan: Plan;
	/** @throws when the core left one of the asked jobs out, which it never does. */
	explanationOf: (jobId: string) => Explanation;
}

/**
 * The present moment, as a cycle would read it; with many jobs waiting at most KEEP_MS old, so that a form that asks as one types
 * is answered at once. What was read is told as the answer's time. Nothing is written.
 */
export async function presentSnapshot(ctx: AskContext): Promise<Snapshot> {
	return memoryOf(ctx).moment.get();
}

/** What each of these jobs would meet beside those that are pending, none of them beside the others (DecideOptions.asked). */
export function decideAsked(db: Db, snapshot: Snapshot, jobs: readonly PendingJob[]): Asked {
	const memo = memories.get(db)?.memo ?? { kept: new Map() };
	const asked = new Set(jobs.map(({ jobId }) => jobId));
	const others = snapshot.pending.filter(({ jobId }) => !asked.has(jobId));
	const plan = decideKeeping({ ...snapshot, pending: [...others, ...jobs] }, asked, memo);
	const byId = new Map(plan.explanations.map((e) => [e.jobId, e]));
	return {
		plan,
		explanationOf: (jobId) => {
			const found = byId.get(jobId);
			if (!found) throw new Error("the decision core did not explain a job that it was asked about");
			return found;
		},
	};
}

/** A decision that failed half-way may leave half of what it keeps behind: the next one starts anew. */
function decideKeeping(snapshot: Snapshot, asked: ReadonlySet<string>, memo: DecideMemo): Plan {
	try {
		return decide(snapshot, { asked, memo, brief: true });
	} catch (error) {
		memo.kept.clear();
		throw error;
	}
}

function memoryOf(ctx: AskContext): AskMemory {
	const known = memories.get(ctx.db);
	if (known) return known;
	const { db, clock, timing } = ctx;
	const cache = new SnapshotCache();
	const memo: DecideMemo = { kept: new Map() };
	let pendingBefore = 0;
	const read = async (historyMaxAgeMs?: number): Promise<Snapshot> => {
		const { snapshot } = await loadSnapshot({ db, clock, timing }, cache, historyMaxAgeMs);
		pendingBefore = snapshot.pending.length;
		return snapshot;
	};
	const moment = new KeptMoment({
		read: () => read(pendingBefore < KEEP_FROM_PENDING ? undefined : HISTORY_MAX_AGE_MS),
		readBehind: async () => {
			const snapshot = await read();
			// Everything is found of it but what is asked.
			decideKeeping(snapshot, NOBODY, memo);
			return snapshot;
		},
		isWorth: ({ pending }) => pending.length >= KEEP_FROM_PENDING,
		nowMs: () => performance.now(),
		later: (run, inMs) => void setTimeout(run, inMs).unref(),
		...{ maxAgeMs: KEEP_MS, renewMs: RENEW_MS, askedMs: ASKED_MS },
	});
	memories.set(db, { memo, moment });
	return { memo, moment };
}
