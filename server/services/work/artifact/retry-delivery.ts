import { and, eq, inArray } from "drizzle-orm";
import { notify } from "#server/db/notify.ts";
import { resultDelivery } from "#server/db/schema/delivery-target.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { readableArtifact } from "./get.ts";

/** Retries the undelivered copies of a result now, including those that were given up. Returns how many. */
export async function retryDelivery(ctx: ServiceContext, id: string): Promise<{ retried: number }> {
	const row = await readableArtifact(ctx, id);
	authorize(ctx, "artifact:delete", row.team);
	return ctx.db.transaction(async (tx) => {
		const now = new Date(ctx.clock.nowMs());
		const rows = await tx
			.update(resultDelivery)
			.set({ state: "pending", failures: 0, nextAt: now, createdAt: now })
			.where(and(eq(resultDelivery.artifactId, id), inArray(resultDelivery.state, ["pending", "failed"])))
			.returning({ id: resultDelivery.id });
		await writeAudit(tx, ctx, { action: "artifact.deliver", subject: id, after: { retried: rows.length } });
		await notify(tx, { wake: true });
		return { retried: rows.length };
	});
}
