import { and, eq, inArray } from "drizzle-orm";
import { planStudy } from "#server/db/schema/plan-study.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { deleteUpload } from "#server/services/core/upload.ts";
import { noStudy } from "./get.ts";
import { type StudyView, viewOf } from "./view.ts";

/**
 * Cancels a queued or running study; its worker stops within a second.
 * @throws SpillwayError `forbidden`, `not_found`, `conflict` when it has ended.
 */
export async function cancelStudy(ctx: ServiceContext, id: string): Promise<StudyView> {
	authorize(ctx, "plan:run", null);
	return ctx.db.transaction(async (tx) => {
		const [row] = await tx
			.update(planStudy)
			.set({ state: "cancelled", finishedAt: new Date(ctx.clock.nowMs()), trace: null })
			.where(and(eq(planStudy.id, id), inArray(planStudy.state, ["queued", "running"])))
			.returning();
		if (row) {
			if (row.uploadId !== null) await deleteUpload(tx, row.uploadId);
			await writeAudit(tx, ctx, { action: "plan.cancel", subject: id });
			return viewOf(row);
		}
		const [over] = await tx.select({ state: planStudy.state }).from(planStudy).where(eq(planStudy.id, id));
		if (!over) throw noStudy(id);
		throw new SpillwayError("conflict", `The plan study ${id} is already ${over.state}.`);
	});
}
