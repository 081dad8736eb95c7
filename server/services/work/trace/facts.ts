import { asc, eq, inArray, isNotNull, max, sql, sum } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { allocation } from "#server/db/schema/allocation.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { charge } from "#server/db/schema/charge.ts";
import { decision } from "#server/db/schema/decision.ts";
import { instance } from "#server/db/schema/instance.ts";
import { job } from "#server/db/schema/job.ts";
import type { AttemptFacts, JobTraceFacts, MachineFacts } from "#server/domain/trace.ts";

export interface JobFacts extends Omit<JobTraceFacts, "receivedAtMs"> {
	finishedAtMs: number | null;
	/** True once nothing more can happen to it: the job is over and all its time is charged. */
	isComplete: boolean;
}

/** The recorded times of these jobs. Cost: one read of each table, by job. */
export async function loadTraceFacts(db: Db, jobIds: readonly string[]): Promise<JobFacts[]> {
	const ids = [...jobIds];
	const jobs = await db
		.select({ id: job.id, team: job.team, class: job.class, submittedAt: job.submittedAt, finishedAt: job.finishedAt })
		.from(job)
		.where(inArray(job.id, ids));
	const attempts = Map.groupBy(await readAttempts(db, ids), (row) => row.jobId);
	const machines = Map.groupBy(await readMachines(db, ids), (row) => row.attemptId);
	const charges = await readCharges(db, ids);
	return jobs.map((row) => {
		const runs = (attempts.get(row.id) ?? []).map((run) => {
			const own = machines.get(run.id) ?? [];
			const isCharged = run.finishedAt !== null && run.isHomeCharged && own.every((machine) => machine.isCharged);
			return { isCharged, facts: attemptFacts(run, own, isCharged ? (charges.get(run.id) ?? null) : null) };
		});
		return {
			jobId: row.id,
			team: row.team,
			class: row.class,
			submittedAtMs: row.submittedAt.getTime(),
			finishedAtMs: ms(row.finishedAt),
			attempts: runs.map(({ facts }) => facts),
			isComplete: row.finishedAt !== null && runs.every((run) => run.isCharged),
		};
	});
}

type AttemptRow = Awaited<ReturnType<typeof readAttempts>>[number];
type MachineRow = Awaited<ReturnType<typeof readMachines>>[number];

function attemptFacts(run: AttemptRow, machines: readonly MachineRow[], charged: AttemptFacts["charge"]): AttemptFacts {
	return {
		number: run.number,
		placement: run.placement,
		createdAtMs: run.createdAt.getTime(),
		handedOverAtMs: ms(run.handedOverAt),
		stagingAtMs: ms(run.stagingAt),
		startedAtMs: ms(run.startedAt),
		finishedAtMs: ms(run.finishedAt),
		succeeded: run.state === "succeeded",
		reasonCode: run.reason?.code ?? null,
		policy: run.policyName === null || run.policyVersion === null ? null : { name: run.policyName, version: run.policyVersion },
		machines: machines.map(machineFacts),
		charge: charged,
	};
}

function machineFacts(row: MachineRow): MachineFacts {
	return {
		rank: row.rank,
		id: row.providerInstanceId ?? row.id,
		type: row.instanceType,
		intendedAtMs: row.intendedAt.getTime(),
		launchedAtMs: ms(row.launchedAt),
		readyAtMs: ms(row.readyAt),
		stagedAtMs: ms(row.stagedAt),
	};
}

/** Attempts with the decision that led to each, and whether the time of its slots at home is charged. */
function readAttempts(db: Db, ids: string[]) {
	return db
		.select({
			id: attempt.id,
			jobId: attempt.jobId,
			number: attempt.number,
			placement: attempt.placement,
			createdAt: attempt.createdAt,
			handedOverAt: attempt.handedOverAt,
			stagingAt: attempt.stagingAt,
			startedAt: attempt.startedAt,
			finishedAt: attempt.finishedAt,
			state: attempt.state,
			reason: attempt.reason,
			policyName: decision.policyName,
			policyVersion: decision.policyVersion,
			isHomeCharged: sql<boolean>`${allocation.id} is null or coalesce(${allocation.meteredUntil} = ${allocation.endedAt}, false)`,
		})
		.from(attempt)
		.leftJoin(decision, sql`${decision.jobId} = ${attempt.jobId} and ${decision.attemptNumber} = ${attempt.number}`)
		.leftJoin(allocation, eq(allocation.attemptId, attempt.id))
		.where(inArray(attempt.jobId, ids))
		.orderBy(asc(attempt.number));
}

/** An instance that was never billed has nothing to charge. */
function readMachines(db: Db, ids: string[]) {
	return db
		.select({
			id: instance.id,
			attemptId: instance.attemptId,
			rank: instance.rank,
			providerInstanceId: instance.providerInstanceId,
			instanceType: instance.instanceType,
			intendedAt: instance.intendedAt,
			launchedAt: instance.launchedAt,
			readyAt: instance.readyAt,
			stagedAt: instance.stagedAt,
			isCharged: sql<boolean>`${instance.state} = 'terminated' and (${instance.billedFrom} is null
				or coalesce(${instance.meteredUntil} = ${instance.billedUntil}, false))`,
		})
		.from(instance)
		.where(inArray(instance.jobId, ids))
		.orderBy(asc(instance.rank));
}

async function readCharges(db: Db, ids: string[]): Promise<Map<string, NonNullable<AttemptFacts["charge"]>>> {
	const rows = await db
		.select({ attemptId: charge.attemptId, at: max(charge.postedAt), microUsd: sum(charge.effectiveMicroUsd) })
		.from(charge)
		.where(sql`${inArray(charge.jobId, ids)} and ${isNotNull(charge.attemptId)}`)
		.groupBy(charge.attemptId);
	return new Map(
		rows.flatMap((row) => (row.at ? [[row.attemptId ?? "", { atMs: row.at.getTime(), microUsd: BigInt(row.microUsd ?? 0) }]] : [])),
	);
}

function ms(at: Date | null): number | null {
	return at?.getTime() ?? null;
}
