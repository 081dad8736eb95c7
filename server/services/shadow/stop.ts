import { and, eq, isNull } from "drizzle-orm";
import { shadow } from "#server/db/schema/shadow.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "../audit.ts";
import { authorize } from "../authorize.ts";
import type { ServiceContext } from "../context.ts";

/** @throws SpillwayError `forbidden`, `not_found` when it does not run. */
export async function stopShadow(ctx: ServiceContext, id: string): Promise<void> {
	authorize(ctx, "policy:edit", null);
	await ctx.db.transaction(async (tx) => {
		const rows = await tx
			.update(shadow)
			.set({ stoppedAt: new Date(ctx.clock.nowMs()) })
			.where(and(eq(shadow.id, id), isNull(shadow.stoppedAt)))
			.returning({ id: shadow.id });
		if (rows.length === 0) throw new SpillwayError("not_found", `No shadow ${id.slice(0, 64)} runs.`);
		await writeAudit(tx, ctx, { action: "shadow.stop", subject: id });
	});
}
