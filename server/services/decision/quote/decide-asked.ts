import { count, inArray } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { job } from "#server/db/schema/job.ts";
import type { Explanation } from "#server/domain/decision.ts";
import { HOUR_MS, SECOND_MS } from "#server/kernel/units.ts";
import { decide } from "#server/scheduling/decide.ts";
import type { DecideMemo, PendingJob, Plan, Snapshot } from "#server/scheduling/types.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import type { Timing } from "#server/services/core/timing.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import { loadSnapshot, SnapshotCache } from "../snapshot/load.ts";
import { KeptMoment } from "./kept-moment.ts";

/** With this many waiting jobs, one read moment answers several questions, because reading it takes longer than deciding. */
const KEEP_FROM_PENDING = 1_000;
/** Maximum age of the moment used for answers, ms. */
const KEEP_MS = 15 * SECOND_MS;
/** After preparing a moment, pause for this multiple of the processor time it took: at most a twentieth of a core. */
const REST_TIMES = 20;
/** Longest pause while quotes are requested (an open form requests one every 15 s); the next constant is the shortest pause. */
const ASKED_REST_MS = 5 * SECOND_MS;
const LEAST_REST_MS = 1.5 * SECOND_MS;
const ASKED_MS = 30 * SECOND_MS;
/** How often the waiting jobs are counted while there are few. */
const COUNT_MS = 10 * SECOND_MS;
/** Maximum age of statistics of past jobs for the first question after a pause; they are refreshed after the answer. */
const HISTORY_MAX_AGE_MS = HOUR_MS;

/** State kept between questions to one database: the last moment, with the core's memo of it. */
interface AskMemory {
	moment: KeptMoment<Snapshot>;
	decide: (snapshot: Snapshot, asked: ReadonlySet<string>) => Plan;
}
// Next bundles pages separately from the REST API: they share one memory, and its core is that of the bundle that created it.
const shared = globalThis as unknown as { __spillwayQuotes?: WeakMap<Db, AskMemory> };

/** Decides no job, but fills the memo for the following questions. */
const NO_JOB: ReadonlySet<string> = new Set(["nobody"]);

type AskContext = ServiceContext & { timing: Timing };

export interface Asked {
	plan: Plan;
	/** @throws when the core omits one of the quoted jobs, which must not happen. */
	explanationOf: (jobId: string) => Explanation;
}

/**
 * The current moment, as a cycle would read it. With many pending jobs it is at most KEEP_MS old and of the published policy, so that a
 * form that updates while typing responds immediately. The answer contains the time of the read. Nothing is written.
 */
export async function presentSnapshot(ctx: AskContext): Promise<Snapshot> {
	return memoryOf(ctx).moment.get();
}

/** Keeps a moment ready until `signal` aborts, once many jobs wait, so that the first question after a pause is fast too. */
export function keepQuotesReady(ctx: AskContext, signal: AbortSignal): void {
	memoryOf(ctx).moment.keepReady(signal);
}

/** The outcome of each of these jobs next to the pending ones; they do not affect each other (DecideOptions.asked). */
export function decideAsked(ctx: AskContext, snapshot: Snapshot, jobs: readonly PendingJob[]): Asked {
	const asked = new Set(jobs.map(({ jobId }) => jobId));
	const others = snapshot.pending.filter(({ jobId }) => !asked.has(jobId));
	const plan = memoryOf(ctx).decide({ ...snapshot, pending: [...others, ...jobs] }, asked);
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

function memoryOf(ctx: AskContext): AskMemory {
	shared.__spillwayQuotes ??= new WeakMap();
	const known = shared.__spillwayQuotes.get(ctx.db);
	if (known) return known;
	const made = newMemory(ctx);
	shared.__spillwayQuotes.set(ctx.db, made);
	return made;
}

function newMemory({ db, clock, timing }: AskContext): AskMemory {
	const cache = new SnapshotCache();
	const memo: DecideMemo = { kept: new Map() };
	let pendingBefore = 0;
	const read = async (historyMaxAgeMs?: number): Promise<Snapshot> => {
		const { snapshot } = await loadSnapshot({ db, clock, timing }, cache, historyMaxAgeMs);
		pendingBefore = snapshot.pending.length;
		return snapshot;
	};
	const decideAndKeep = (snapshot: Snapshot, asked: ReadonlySet<string>): Plan => {
		try {
			return decide(snapshot, { asked, memo, brief: true });
		} catch (error) {
			// A failed decision may leave its memo half updated, so the next one starts with a new memo.
			memo.kept.clear();
			throw error;
		}
	};
	const moment = new KeptMoment({
		read: () => read(pendingBefore < KEEP_FROM_PENDING ? undefined : HISTORY_MAX_AGE_MS),
		readBehind: async () => {
			if (!(await manyWait(db))) return null;
			const snapshot = await read();
			// Prepares the memo for everything except the quoted jobs.
			decideAndKeep(snapshot, NO_JOB);
			return snapshot;
		},
		isWorth: ({ pending }) => pending.length >= KEEP_FROM_PENDING,
		isCurrent: async ({ policyVersion }) => (await activePolicy(db)).version === policyVersion,
		nowMs: () => performance.now(),
		cpuMs: threadCpuMs,
		later: (run, inMs) => void setTimeout(run, inMs).unref(),
		restMs: (tookCpuMs, isAsked) =>
			Math.max(LEAST_REST_MS, Math.min(REST_TIMES * tookCpuMs, isAsked ? ASKED_REST_MS : Number.POSITIVE_INFINITY)),
		...{ maxAgeMs: KEEP_MS, askedMs: ASKED_MS, lookMs: COUNT_MS },
	});
	return { moment, decide: decideAndKeep };
}

async function manyWait(db: Db): Promise<boolean> {
	const some = db
		.select({ id: job.id })
		.from(job)
		.where(inArray(job.state, ["queued", "held"]))
		.limit(KEEP_FROM_PENDING)
		.as("some");
	const [row] = await db.select({ count: count() }).from(some);
	return (row?.count ?? 0) >= KEEP_FROM_PENDING;
}

function threadCpuMs(): number {
	const { user, system } = process.threadCpuUsage();
	return (user + system) / 1_000;
}
