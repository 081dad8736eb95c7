import { eq } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { pipeline } from "#server/db/schema/pipeline.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { authorizeFound } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";

/** The same error for a missing pipeline and another team's, so that callers cannot distinguish them. */
export function noPipeline(id: string): SpillwayError {
	return new SpillwayError("not_found", `There is no pipeline ${id}.`, { fix: "List pipelines with: spillway pipeline ls" });
}

/** @throws SpillwayError `forbidden` for a role that reads no jobs; `not_found`, also for another team's pipeline */
export async function readablePipeline(ctx: Pick<ServiceContext, "actor">, db: DbOrTx, id: string): Promise<typeof pipeline.$inferSelect> {
	const [row] = await db.select().from(pipeline).where(eq(pipeline.id, id));
	authorizeFound(ctx, "job:read", row, () => noPipeline(id));
	if (!row) throw noPipeline(id);
	return row;
}
