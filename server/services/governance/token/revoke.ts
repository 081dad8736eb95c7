import { and, eq, isNull } from "drizzle-orm";
import { apiToken } from "#server/db/schema/account.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { allows, authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ownId } from "./create.ts";

/**
 * Revokes a token; it stops working within 5 seconds.
 * @throws SpillwayError `not_found`, also for another person's token unless the caller manages accounts
 */
export async function revokeToken(ctx: ServiceContext, id: string): Promise<{ id: string }> {
	authorize(ctx, "token:manage", null);
	const owner = allows(ctx, "account:manage", null) ? undefined : eq(apiToken.accountId, ownId(ctx));
	return ctx.db.transaction(async (tx) => {
		const [row] = await tx
			.update(apiToken)
			.set({ revokedAt: new Date(ctx.clock.nowMs()) })
			.where(and(eq(apiToken.id, id), isNull(apiToken.revokedAt), owner))
			.returning({ accountId: apiToken.accountId, name: apiToken.name });
		if (!row) throw new SpillwayError("not_found", `There is no token ${id}.`);
		await writeAudit(tx, ctx, { action: "token.revoke", subject: id, before: row });
		return { id };
	});
}
