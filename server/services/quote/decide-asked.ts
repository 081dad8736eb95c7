import type { Db } from "#server/db/client.ts";
import type { Explanation } from "#server/domain/decision.ts";
import { SECOND_MS } from "#server/kernel/units.ts";
import { decide } from "#server/scheduling/decide.ts";
import type { DecideMemo, PendingJob, Plan, Snapshot } from "#server/scheduling/types.ts";
import type { ServiceContext } from "../context.ts";
import { loadSnapshot, SnapshotCache } from "../snapshot/load.ts";
import type { Timing } from "../timing.ts";

/** With as many jobs waiting as this, a moment that was read serves more than one question: reading it takes longer than asking. */
const KEEP_FROM_PENDING = 1_000;
/** The oldest moment that is answered from, and the age from which the next one is made ready behind an answer. */
const KEEP_MS = 3 * SECOND_MS;
const RENEW_MS = SECOND_MS;

/** What is kept between questions to one database: specs of the pending jobs, what the core knows of them, the last moment. */
interface AskMemory {
	cache: SnapshotCache;
	memo: DecideMemo;
	/** `readAt` by performance.now(). */
	moment: { snapshot: Snapshot; readAt: number } | null;
	renewal: Promise<unknown> | null;
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
	const memory = memoryOf(ctx.db);
	const ageMs = memory.moment ? performance.now() - memory.moment.readAt : Number.POSITIVE_INFINITY;
	if (memory.moment && ageMs <= KEEP_MS) {
		if (ageMs > RENEW_MS) memory.renewal ??= renew(ctx, memory).finally(() => (memory.renewal = null));
		return memory.moment.snapshot;
	}
	return readMoment(ctx, memory);
}

/** Behind an answer: the next moment, with everything found of it but what is asked. */
async function renew(ctx: AskContext, memory: AskMemory): Promise<void> {
	try {
		// The answer that is under way comes first.
		await new Promise((resolve) => setImmediate(resolve));
		decideKeeping(await readMoment(ctx, memory), NOBODY, memory.memo);
	} catch {
		// The next question reads it itself, and hears why it cannot.
		memory.moment = null;
	}
}

async function readMoment(ctx: AskContext, memory: AskMemory): Promise<Snapshot> {
	const readAt = performance.now();
	const { snapshot } = await loadSnapshot(ctx, memory.cache);
	memory.moment = snapshot.pending.length < KEEP_FROM_PENDING ? null : { snapshot, readAt };
	return snapshot;
}

/** What each of these jobs would meet beside those that are pending, none of them beside the others (DecideOptions.asked). */
export function decideAsked(db: Db, snapshot: Snapshot, jobs: readonly PendingJob[]): Asked {
	const { memo } = memoryOf(db);
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

function memoryOf(db: Db): AskMemory {
	const known = memories.get(db) ?? { cache: new SnapshotCache(), memo: { kept: new Map() }, moment: null, renewal: null };
	memories.set(db, known);
	return known;
}
