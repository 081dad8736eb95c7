import { and, eq, gte, lt, min, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { job } from "#server/db/schema/job.ts";
import { DEFAULT_POLICY } from "#server/domain/policy.ts";
import { plural } from "#server/domain/sentence-facts.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { profileHistory } from "#server/plan/assess.ts";
import { ownedGpus } from "#server/plan/compare/resize.ts";
import { JobColumns } from "#server/plan/history/columns.ts";
import type { History } from "#server/plan/history/read-history.ts";
import type { FilterProfiles } from "#server/plan/profile/filter-profiles.ts";
import type { Study } from "#server/plan/study.ts";
import { parseStoredPolicy } from "#server/policy/parse-policy.ts";
import type { Timing } from "#server/services/core/timing.ts";
import { activePolicy } from "#server/services/policy/active.ts";
import type { RecordedHistory } from "#server/simulation/backtest/history.ts";
import { scenarioOf, traceOf } from "#server/simulation/backtest/scenario.ts";
import { noNotes } from "#server/simulation/trace-file/read-trace.ts";
import { loadHistory } from "../backtest/load-history.ts";
import { loadCard } from "./load-card.ts";

/** What a study replays, and its profiles by team, class and GPU model. */
export interface ReadHistory {
	study: Omit<Study, "outlook">;
	filters: FilterProfiles;
}

export interface RecordsRequest {
	days: number;
	nowMs: number;
	timing: Pick<Timing, "cloudStartMs" | "offerCooldownMs">;
	onJobs?: (read: number) => void;
}

/**
 * A study of Spillway's records: jobs, sites, offers and launches as in a backtest, and the active policy as the burst policy.
 * @throws SpillwayError `precondition_failed` without owned GPUs or without jobs.
 */
export async function loadRecords(db: Db, { days, nowMs, timing, onJobs }: RecordsRequest): Promise<ReadHistory> {
	const active = await activePolicy(db, DEFAULT_POLICY);
	const { policy } = parseStoredPolicy(active.source);
	const span = { fromMs: nowMs - days * DAY_MS, toMs: nowMs };
	const history = await loadHistory(db, {
		...span,
		version: active.version,
		policies: policy ? [policy] : [],
		timing,
		...(onJobs && { onJobs }),
	});
	const scenario = scenarioOf(history);
	if (ownedGpus(scenario) === 0)
		throw new SpillwayError("precondition_failed", "There are no owned GPUs to compare with.", {
			fix: "Add an owned site under Settings, or upload a trace.",
		});
	if (history.jobs.length === 0)
		throw new SpillwayError("precondition_failed", `No job was submitted in the last ${plural(days, "day")}.`, {
			fix: "Study more days, or upload a trace.",
		});
	const { assessment, filters } = profileHistory(await toHistory(db, history), {
		...{ source: `own records, last ${plural(days, "day")}`, gpus: ownedGpus(scenario), accelerator: scenario.pools[0]?.accelerator },
	});
	const study = {
		...{ assessment, jobs: traceOf(history), scenario, card: await loadCard(db, scenario.pools, span.fromMs) },
		policy: policy ? { id: "active", label: `Burst under your policy (version ${active.version})`, text: active.source, policy } : null,
	};
	return { study, filters: filters() };
}

/** Jobs with their actual waits: from submission to the first start anywhere. */
async function toHistory(db: Db, history: RecordedHistory): Promise<History> {
	const { fromMs, toMs } = history;
	const rows = await db
		.select({ id: attempt.jobId, startedAt: min(attempt.startedAt) })
		.from(attempt)
		.innerJoin(job, eq(job.id, attempt.jobId))
		.where(and(gte(job.submittedAt, new Date(fromMs)), lt(job.submittedAt, new Date(toMs))))
		.groupBy(attempt.jobId);
	const starts = new Map(rows.flatMap(({ id, startedAt }) => (startedAt ? [[id, new Date(startedAt).getTime()] as const] : [])));
	const ends = new Map(
		(
			await db
				.select({ id: job.id, state: job.state, ranOn: sql<string | null>`${job.placement}->>'accelerator'` })
				.from(job)
				.where(gte(job.submittedAt, new Date(fromMs)))
		).map((row) => [row.id, row]),
	);
	const traced = new Map(traceOf(history).map((traceJob) => [traceJob.id, traceJob.durationMs]));
	const jobs = new JobColumns();
	for (const { id, spec, submittedAtMs } of history.jobs) {
		const startedMs = starts.get(id);
		jobs.add({
			submitMs: Math.max(0, submittedAtMs - fromMs),
			durationMs: traced.get(id) ?? 1,
			gpus: spec.nodes * spec.resources.gpus,
			team: spec.team,
			user: null,
			name: spec.project ?? spec.name,
			workloadClass: spec.class,
			gpuModel: ends.get(id)?.ranOn ?? spec.resources.accelerators[0] ?? null,
			waitMs: startedMs === undefined ? null : Math.max(0, startedMs - submittedAtMs),
			deadlineMs: spec.deadlineMs === null ? null : spec.deadlineMs - submittedAtMs,
			status: ends.get(id)?.state ?? null,
			savesCheckpoints: spec.checkpoint !== null,
			inputGiB: null,
			isSensitive: spec.class === "sensitive",
		});
	}
	return { format: "records", jobs, startMs: fromMs, isStartKnown: true, notes: noNotes(), badRows: { count: 0, first: [] } };
}
