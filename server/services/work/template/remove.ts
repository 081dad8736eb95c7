import { and, eq, isNull } from "drizzle-orm";
import { notify } from "#server/db/notify.ts";
import { template } from "#server/db/schema/template.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { findTemplate } from "./read.ts";

/**
 * Deletes a template. Its versions stay for the audit, its runs continue, and its name is free again.
 * @throws SpillwayError `forbidden`; `not_found`, also for another team's template
 */
export async function removeTemplate(ctx: ServiceContext, id: string): Promise<{ id: string }> {
	return ctx.db.transaction(async (tx) => {
		const { name, team } = await findTemplate(ctx, tx, id, "job:submit");
		const removed = await tx
			.update(template)
			.set({ deletedAt: new Date(ctx.clock.nowMs()) })
			.where(and(eq(template.id, id), isNull(template.deletedAt)))
			.returning({ version: template.version });
		const [last] = removed;
		if (!last) throw new SpillwayError("not_found", `Template ${name} was deleted by another request.`);
		await writeAudit(tx, ctx, { action: "template.delete", subject: id, before: { name, team, version: last.version } });
		await notify(tx, { changes: [{ topic: "pipeline", id: null, team }] });
		return { id };
	});
}
