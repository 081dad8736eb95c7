import { desc, eq } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { adoption } from "#server/db/schema/adoption.ts";
import { jobImport } from "#server/db/schema/job-import.ts";
import { site } from "#server/db/schema/site.ts";
import { adoptionWords } from "#server/domain/end-sentences.ts";
import type { ForeignOutcome } from "#server/domain/foreign-job.ts";
import type { ImportRecord } from "#server/domain/imports/record.ts";
import type { AdoptionState } from "#server/domain/states.ts";
import { iso } from "#server/services/core/view.ts";
import { type TemplateOrigin, templateOfJob } from "../template-origin.ts";
import type { JobRow } from "./view.ts";

/** The job in a cluster's own queue that this one represents. */
export interface AdoptionView {
	id: string;
	state: AdoptionState;
	siteId: string;
	siteName: string;
	/** The cluster's own number or name for it, and its owner there. */
	foreignId: string;
	user: string;
	/** Partition or namespace. */
	partition: string;
	ruleId: string;
	policyVersion: number;
	offeredAt: string;
	/** Since when the cluster has held it; null when it never did. */
	heldAt: string | null;
	endedAt: string | null;
	/** Why it returned or ended; null when it did not. */
	why: string | null;
	/** The end that was reported to the cluster. */
	outcome: ForeignOutcome | null;
	/** Files at the cluster with its output, or the folder there with its checkpoint; or why there are none. */
	output: { files: string[]; problem: string | null } | null;
	/** The cluster's answer to the last failed call. */
	problem: string | null;
}

/** Origin of a job: the script, the cluster or the template that it is from. */
export interface JobOrigin {
	imported: (ImportRecord & { readAt: string }) | null;
	adoption: AdoptionView | null;
	template: TemplateOrigin | null;
}

export async function originOf(db: Db, { id, importId }: Pick<JobRow, "id" | "importId">): Promise<JobOrigin> {
	const [imported, [adopted], template] = await Promise.all([
		importId === null ? null : db.select().from(jobImport).where(eq(jobImport.id, importId)),
		db
			.select({ row: adoption, siteName: site.name })
			.from(adoption)
			.innerJoin(site, eq(site.id, adoption.siteId))
			.where(eq(adoption.jobId, id))
			.orderBy(desc(adoption.offeredAt))
			.limit(1),
		templateOfJob(db, id),
	]);
	const script = imported?.[0];
	return {
		imported: script ? importView(script) : null,
		adoption: adopted ? adoptionView(adopted) : null,
		template,
	};
}

function importView({ id: _, readAt, ...record }: typeof jobImport.$inferSelect): NonNullable<JobOrigin["imported"]> {
	return { ...record, readAt: readAt.toISOString() };
}

function adoptionView({ row, siteName }: { row: typeof adoption.$inferSelect; siteName: string }): AdoptionView {
	return {
		...{ id: row.id, state: row.state, siteId: row.siteId, siteName },
		...{ foreignId: row.foreignId, user: row.facts.user, partition: row.facts.partition },
		...{ ruleId: row.ruleId, policyVersion: row.policyVersion },
		...{ offeredAt: row.offeredAt.toISOString(), heldAt: iso(row.heldAt), endedAt: iso(row.endedAt) },
		why: row.why === null ? null : adoptionWords(row.why),
		...{ outcome: row.outcome, output: row.output, problem: row.problem },
	};
}
