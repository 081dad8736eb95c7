import type { DbOrTx, Tx } from "#server/db/client.ts";
import { audit } from "#server/db/schema/audit.ts";
import { actorName, type ServiceContext, viaOf } from "./context.ts";

/** Records the author and the change, in the transaction of the change, so that neither exists without the other. */
export async function writeAudit(
	tx: Tx,
	ctx: Pick<ServiceContext, "actor" | "clock" | "requestId" | "source">,
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
		via: viaOf(ctx.actor),
		source: ctx.source ?? null,
	});
}

/**
 * Like the audit of people's changes, for the scheduler's own decisions and actions: placing, stopping, moving, holding, terminating
 * machines.
 */
export async function writeSchedulerAudit(
	tx: DbOrTx,
	entry: { action: string; subject: string; before?: unknown; after?: unknown; atMs: number },
): Promise<void> {
	await tx.insert(audit).values({
		at: new Date(entry.atMs),
		actor: SCHEDULER,
		action: entry.action,
		subject: entry.subject,
		before: entry.before ?? null,
		after: entry.after ?? null,
	});
}

const SCHEDULER = actorName({ kind: "system", part: "control_loop" });

/** Results of checking a machine's agent, as they arise. */
export async function writeAgentAudit(
	tx: DbOrTx,
	entry: { action: string; subject: string; after?: unknown; atMs: number },
): Promise<void> {
	const { atMs, action, subject, after = null } = entry;
	await tx.insert(audit).values({ at: new Date(atMs), actor: AGENT, action, subject, before: null, after });
}

const AGENT = actorName({ kind: "system", part: "agent" });

/** A refused sign-in. Its author is unknown, so the actor is the sign-in itself. */
export async function writeRefusedSignIn(
	db: DbOrTx,
	entry: {
		accountId: string | null;
		after: { with: string; email: string | null; more: number; why?: string };
		nowMs: number;
		source: string | null;
	},
): Promise<void> {
	const subject = entry.accountId === null ? "sign_in" : `account:${entry.accountId}`;
	await db.insert(audit).values({
		at: new Date(entry.nowMs),
		...{ actor: "system:sign_in", action: "account.sign_in_refused", subject, before: null, after: entry.after, source: entry.source },
	});
}

/** Account events during sign-in: the person is the only possible actor. */
export async function writeAccountAudit(
	db: DbOrTx,
	entry: { accountId: string; action: string; before?: unknown; after?: unknown; nowMs: number; source: string | null },
): Promise<void> {
	const subject = `account:${entry.accountId}`;
	await db.insert(audit).values({
		at: new Date(entry.nowMs),
		...{ actor: subject, action: entry.action, subject, before: entry.before ?? null, after: entry.after ?? null },
		...{ via: "session" as const, source: entry.source },
	});
}
