import { and, eq, isNull } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { type PolicyPublishChange, proposal } from "#server/db/schema/proposal.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { newId } from "#server/kernel/ids.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { hashOf } from "#server/services/policy/entity-tag.ts";

/**
 * Proposes a publication or a rollback to a second person. Each policy has at most one pending proposal; repeating it returns
 * the same one, so a pipeline may retry.
 * @throws SpillwayError `conflict` when another one is pending.
 */
export async function proposePublication(tx: Tx, ctx: ServiceContext, change: PolicyPublishChange, message: string): Promise<string> {
	const waits = and(eq(proposal.kind, "policy_publish"), eq(proposal.subject, change.policyName), isNull(proposal.decision));
	const [open] = await tx.select().from(proposal).where(waits);
	if (open) {
		const other = open.change;
		const same = "source" in other && other.source === change.source && other.policyVersion === change.policyVersion;
		if (same && open.proposedBy === actorName(ctx.actor)) return open.id;
		throw new SpillwayError("conflict", `A change of the policy "${change.policyName}" is already waiting for approval (${open.id}).`, {
			fix: "Approve, reject or withdraw it first.",
		});
	}
	const nowMs = ctx.clock.nowMs();
	const id = newId("prop", nowMs);
	await tx.insert(proposal).values({
		...{ id, kind: "policy_publish" as const, subject: change.policyName, change, message },
		...{ proposedBy: actorName(ctx.actor), proposedAt: new Date(nowMs) },
	});
	await writeAudit(tx, ctx, { action: "proposal.create", subject: id, after: { ...auditOf(change), message } });
	await notify(tx, { changes: [{ topic: "policy", id: change.policyName, team: null }] });
	return id;
}

/** Its audit entry: the text itself is in the proposal, and in the resulting version. */
export function auditOf({ source, ...rest }: PolicyPublishChange): object {
	return { ...rest, sourceHash: hashOf(source) };
}
