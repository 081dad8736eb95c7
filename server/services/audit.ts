import type { Tx } from "#server/db/client.ts";
import { audit } from "#server/db/schema/audit.ts";
import { actorName, type ServiceContext } from "./context.ts";

/** Writes who did what, in the transaction of the change: no change without its line, no line without its change. */
export async function writeAudit(
	tx: Tx,
	ctx: Pick<ServiceContext, "actor" | "clock" | "requestId">,
	entry: { action: string; subject: string; before?: unknown; after?: unknown },
): Promise<void> {
	await tx.insert(audit).values({
		at: new Date(ctx.clock.nowMs()),
		actor: actorName(ctx.actor),
		action: entry.action,
		subject: entry.subject,
		before: entry.before ?? null,
		after: entry.after ?? null,
		requestId: ctx.requestId,
	});
}
