import type { Db } from "#server/db/client.ts";
import type { Explanation } from "#server/domain/decision.ts";
import { decide } from "#server/scheduling/decide.ts";
import type { DecideMemo, PendingJob, Plan, Snapshot } from "#server/scheduling/types.ts";
import type { ServiceContext } from "../context.ts";
import { loadSnapshot, SnapshotCache } from "../snapshot/load.ts";
import type { Timing } from "../timing.ts";

/** What is kept between questions to one database: specs of the pending jobs, and what the core knows of them. */
interface AskMemory {
	cache: SnapshotCache;
	memo: DecideMemo;
}
const memories = new WeakMap<Db, AskMemory>();

export interface Asked {
	snapshot: Snapshot;
	plan: Plan;
	/** @throws when the core left one of the asked jobs out, which it never does. */
	explanationOf: (jobId: string) => Explanation;
}

/** The present moment, as a cycle would read it. Nothing is written. */
export async function presentSnapshot(ctx: ServiceContext & { timing: Timing }): Promise<Snapshot> {
	const { snapshot } = await loadSnapshot(ctx, memoryOf(ctx.db).cache);
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
		snapshot,
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
	const known = memories.get(db) ?? { cache: new SnapshotCache(), memo: { kept: new Map() } };
	memories.set(db, known);
	return known;
}
