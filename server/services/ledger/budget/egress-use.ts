import { and, gte, inArray, ne, sql } from "drizzle-orm";
import { periodOf } from "#server/accounting/calendar.ts";
import type { Tx } from "#server/db/client.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { checkpoint } from "#server/db/schema/checkpoint.ts";
import { job } from "#server/db/schema/job.ts";
import type { CapRule, Policy } from "#server/domain/policy.ts";
import { judgeJob } from "#server/policy/judge-job.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";

type EgressCap = Extract<CapRule, { kind: "egress" }>;
const GIB = 1024 ** 3;

/** Usage of egress caps: GiB that left the clouds in each cap's current period, and GiB reserved but not yet sent by each live attempt. */
export interface EgressUse {
	postedGiB: ReadonlyMap<string, number>;
	reservedGiB: ReadonlyMap<string, number>;
}

const NOTHING: EgressUse = { postedGiB: new Map(), reservedGiB: new Map() };

/**
 * Counts the checkpoints that cloud attempts uploaded, the same data that the ledger charges as egress. `attemptIds`: attempts with a
 * reservation still in effect. Cost: the jobs with checkpoints in the longest period; nothing without an egress cap.
 */
export async function readEgressUse(tx: Tx, policy: Policy, nowMs: number, attemptIds: readonly string[]): Promise<EgressUse> {
	const caps = policy.caps.filter((cap): cap is EgressCap => cap.kind === "egress");
	if (caps.length === 0) return NOTHING;
	return { postedGiB: await readPosted(tx, policy, caps, nowMs), reservedGiB: await readReserved(tx, attemptIds) };
}

async function readPosted(tx: Tx, policy: Policy, caps: readonly EgressCap[], nowMs: number): Promise<Map<string, number>> {
	const calendar = await ledgerCalendar(tx);
	const starts = new Map(caps.map((cap) => [cap.id, periodOf(cap.period, nowMs, calendar).fromMs]));
	const posted = new Map<string, number>();
	for (const fromMs of new Set(starts.values())) {
		const rows = await tx
			.select({ spec: job.spec, bytes: sql<string>`sum(${checkpoint.bytes})` })
			.from(checkpoint)
			.innerJoin(attempt, sql`${attempt.id} = ${checkpoint.attemptId}`)
			.innerJoin(job, sql`${job.id} = ${checkpoint.jobId}`)
			.where(and(gte(checkpoint.createdAt, new Date(fromMs)), ne(attempt.capacityType, "owned")))
			.groupBy(job.id);
		for (const { spec, bytes } of rows) {
			for (const { id } of judgeJob(policy, spec).caps)
				if (starts.get(id) === fromMs) posted.set(id, (posted.get(id) ?? 0) + Number(bytes) / GIB);
		}
	}
	return posted;
}

/** Each attempt's reservation less the amount it has sent. */
async function readReserved(tx: Tx, attemptIds: readonly string[]): Promise<Map<string, number>> {
	if (attemptIds.length === 0) return new Map();
	const rows = await tx
		.select({
			attemptId: attempt.id,
			placement: attempt.placement,
			sentBytes: sql<string>`(select coalesce(sum(c.bytes), 0) from checkpoint c where c.job_id = ${attempt.jobId} and c.attempt_id = ${attempt.id})`,
		})
		.from(attempt)
		.where(inArray(attempt.id, [...attemptIds]));
	return new Map(
		rows.map(({ attemptId, placement, sentBytes }) => [attemptId, Math.max(0, (placement.egressGiB ?? 0) - Number(sentBytes) / GIB)]),
	);
}
