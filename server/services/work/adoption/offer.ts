import { and, eq, gt, inArray, isNull, or, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { team } from "#server/db/schema/account.ts";
import { adoption } from "#server/db/schema/adoption.ts";
import { foreignJob } from "#server/db/schema/foreign-job.ts";
import type { ForeignJob, NotAdopted } from "#server/domain/foreign-job.ts";
import type { AdoptionWhy } from "#server/domain/imports/adoption.ts";
import type { ImportRecord } from "#server/domain/imports/record.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { newId } from "#server/kernel/ids.ts";
import { DAY_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { writeSchedulerAudit } from "#server/services/core/audit.ts";
import { insertJobs } from "../job/insert.ts";

/**
 * A job that returned to its cluster is not adopted again for this long, and twice as long after each further return within a day, so that
 * it does not move back and forth.
 */
const LEFT_ALONE_MS = MINUTE_MS;
const LEFT_ALONE_MAX_MS = 32 * MINUTE_MS;

/** A person wants the job at home, its Spillway job was deleted, or it has a checkpoint at home that a cloud run would lack. */
const staysHome = or(
	inArray(adoption.why, ["home_took_back", "job_ended"] satisfies AdoptionWhy[]),
	and(eq(adoption.state, "released"), sql`${adoption.output}->'files'->0 is not null`),
);

/** Jobs of a site that are adopted, are excluded after an adoption, or cannot be adopted under this version of the policy. */
export async function settledForeign(db: Db, input: { siteId: string; policyVersion: number; nowMs: number }): Promise<Set<string>> {
	const { siteId, policyVersion, nowMs } = input;
	const rows = await db
		.select({ id: adoption.foreignId, endedAt: adoption.endedAt, staysHome: sql<boolean | null>`${staysHome}` })
		.from(adoption)
		.where(and(eq(adoption.siteId, siteId), or(isNull(adoption.endedAt), gt(adoption.endedAt, new Date(nowMs - DAY_MS)), staysHome)));
	const adopted = [...Map.groupBy(rows, ({ id }) => id)].flatMap(([id, ofIt]) => (isLeftAlone(ofIt, nowMs) ? [{ id }] : []));
	const refused = await db
		.select({ id: foreignJob.id })
		.from(foreignJob)
		.where(and(eq(foreignJob.siteId, siteId), sql`${foreignJob.notAdopted}->>'policyVersion' = ${String(policyVersion)}`));
	return new Set([...adopted, ...refused].map(({ id }) => id));
}

export async function teamNames(db: Db): Promise<string[]> {
	return (await db.select({ name: team.name }).from(team)).map(({ name }) => name);
}

/** Creates the Spillway job for the one at home, in one transaction. The index of live adoptions rejects a concurrent second one. */
export async function offerAdoption(
	db: Db,
	input: {
		siteId: string;
		facts: ForeignJob;
		spec: JobSpec;
		imported: ImportRecord;
		script: string;
		ruleId: string;
		policyVersion: number;
		nowMs: number;
	},
): Promise<string> {
	const { siteId, facts, spec, imported, script, ruleId, policyVersion, nowMs } = input;
	const id = newId("adp", nowMs);
	await db.transaction(async (tx) => {
		const submission = { spec, actor: { kind: "system", part: "control_loop" } as const, requestId: null, source: null, imported };
		const [jobId = ""] = await insertJobs(tx, [submission], nowMs);
		const offeredAt = new Date(nowMs);
		await tx.insert(adoption).values({ id, siteId, foreignId: facts.id, jobId, facts, ruleId, policyVersion, script, offeredAt });
		await writeSchedulerAudit(tx, {
			action: "adoption.offered",
			subject: id,
			after: { siteId, foreignId: facts.id, jobId, ruleId },
			atMs: nowMs,
		});
	});
	return id;
}

export async function rejectAdoption(db: Db, siteId: string, foreignId: string, notAdopted: NotAdopted): Promise<void> {
	await db
		.update(foreignJob)
		.set({ notAdopted })
		.where(and(eq(foreignJob.siteId, siteId), eq(foreignJob.id, foreignId)));
}

function isLeftAlone(adoptions: readonly { endedAt: Date | null; staysHome: boolean | null }[], nowMs: number): boolean {
	if (adoptions.some((row) => row.endedAt === null || row.staysHome)) return true;
	const lastMs = Math.max(...adoptions.map(({ endedAt }) => endedAt?.getTime() ?? 0));
	return nowMs - lastMs < Math.min(LEFT_ALONE_MAX_MS, LEFT_ALONE_MS * 2 ** (adoptions.length - 1));
}
