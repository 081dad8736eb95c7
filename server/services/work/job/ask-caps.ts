import { eq, ne, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { judgeJob } from "#server/policy/judge-job.ts";
import { type CapShort, type CapUsage, openCaps } from "#server/scheduling/caps.ts";
import type { RunningAttempt, Snapshot } from "#server/scheduling/types.ts";
import { MARGINAL_PRICE } from "#server/services/capacity/instance/marginal-price.ts";
import { readWarmMachines } from "#server/services/capacity/instance/warm-machines.ts";
import { readEgressUse } from "#server/services/ledger/budget/egress-use.ts";

/**
 * The cap that a placement would exceed, counted again over every instance that still exists; null when it exceeds none. Locks the caps
 * until the transaction ends, so that the second of two concurrent placements sees the first. Call it before locking budgets (see
 * lockBudgets).
 */
export async function askCaps(tx: Tx, input: { snapshot: Snapshot; spec: JobSpec; ask: CapUsage }): Promise<CapShort | null> {
	const { policy } = input.snapshot;
	if (policy.caps.length === 0) return null;
	const { caps } = judgeJob(policy, input.spec);
	for (const id of caps.map((cap) => cap.id).sort()) {
		await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`cap:${id}`}, 0))`);
	}
	if (caps.length === 0) return null;
	const rented = await readRented(tx);
	const egress = await readEgressUse(
		tx,
		policy,
		input.snapshot.nowMs,
		rented.map((attempt) => attempt.attemptId),
	);
	const running = rented.map((attempt) => ({ ...attempt, reservedEgressGiB: egress.reservedGiB.get(attempt.attemptId) ?? 0 }));
	const warm = await readWarmMachines(tx);
	return openCaps({ ...input.snapshot, running, warm, egressGiB: egress.postedGiB }, (spec) => judgeJob(policy, spec).caps).shortOf(
		caps,
		input.ask,
	);
}

/** One entry per attempt with a machine that still exists, whether its job is over or not. */
async function readRented(tx: Tx): Promise<RunningAttempt[]> {
	const rows = await tx
		.select({
			attemptId: attempt.id,
			jobId: attempt.jobId,
			placement: attempt.placement,
			createdAt: attempt.createdAt,
			spec: job.spec,
			microUsdPerHour: sql<string>`sum(${MARGINAL_PRICE})`,
		})
		.from(instance)
		.innerJoin(attempt, eq(attempt.id, instance.attemptId))
		.innerJoin(job, eq(job.id, attempt.jobId))
		.where(ne(instance.state, "terminated"))
		.groupBy(attempt.id, job.id);
	return rows.map((row) => ({
		jobId: row.jobId,
		attemptId: row.attemptId,
		spec: row.spec,
		placement: row.placement,
		slots: [],
		startedAtMs: null,
		placedAtMs: row.createdAt.getTime(),
		completedMs: 0,
		stopping: false,
		microUsdPerHour: BigInt(row.microUsdPerHour),
	}));
}
