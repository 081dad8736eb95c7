import { eq } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { jobTemplate } from "#server/db/schema/job-template.ts";
import { template } from "#server/db/schema/template.ts";

/** The template that a job or pipeline was run from, by its present name. */
export interface TemplateOrigin {
	id: string;
	name: string;
	version: number;
	isDeleted: boolean;
}

export async function readTemplateOrigin(db: DbOrTx, id: string, version: number): Promise<TemplateOrigin | null> {
	const [row] = await db.select({ name: template.name, deletedAt: template.deletedAt }).from(template).where(eq(template.id, id));
	return row ? { id, name: row.name, version, isDeleted: row.deletedAt !== null } : null;
}

/** The template of a single job; null without one. */
export async function templateOfJob(db: DbOrTx, jobId: string): Promise<TemplateOrigin | null> {
	const [row] = await db.select().from(jobTemplate).where(eq(jobTemplate.jobId, jobId));
	return row ? readTemplateOrigin(db, row.templateId, row.version) : null;
}

/** Records the template that a job is run from, in the transaction that submits it. */
export async function recordJobTemplate(tx: DbOrTx, jobId: string, { id, version }: Pick<TemplateOrigin, "id" | "version">): Promise<void> {
	await tx.insert(jobTemplate).values({ jobId, templateId: id, version });
}
