import { and, eq, inArray, isNull, ne } from "drizzle-orm";
import type { DbOrTx, Tx } from "#server/db/client.ts";
import { notify } from "#server/db/notify.ts";
import { account } from "#server/db/schema/account.ts";
import { proposal, type SecondPersonOf } from "#server/db/schema/proposal.ts";
import { setting } from "#server/db/schema/setting.ts";
import type { Permission } from "#server/domain/permissions.ts";
import { newId } from "#server/kernel/ids.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { rolesWith } from "#server/services/core/authorize.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import { isPermitted } from "#server/services/core/custom-role.ts";
import { lockSetting, writeSetting } from "#server/services/core/setting.ts";

const KEYS = { policies: "policy_second_person", budgets: "budget_second_person" } as const;
const ACTIONS = { policies: "policy.settings", budgets: "budget.settings" } as const;
/** Who may approve a change of these, and so also dropping the second person for them. */
export const APPROVES: Readonly<Record<SecondPersonOf, Permission>> = { policies: "policy:approve", budgets: "budget:approve" };

/** Whether changes of these require approval by another person. */
export async function needsSecondPerson(db: DbOrTx, of: SecondPersonOf): Promise<boolean> {
	const [row] = await db.select().from(setting).where(eq(setting.key, KEYS[of]));
	return row?.value === true;
}

/**
 * Requires a second person, or stops requiring one. Dropping it is itself a change that another person must approve: otherwise anyone
 * could drop it first and then act alone. It takes effect immediately where no one else could approve, which would
 * lock people out of their policy, and for the installation itself. Returns the pending proposal, or null.
 */
export async function changeSecondPerson(tx: Tx, ctx: ServiceContext, of: SecondPersonOf, to: boolean): Promise<string | null> {
	await lockSetting(tx, KEYS[of]);
	if ((await needsSecondPerson(tx, of)) === to) return null;
	if (!to && ctx.actor.kind === "person" && (await hasOtherApprover(tx, ctx.actor.accountId, of))) return proposeOff(tx, ctx, of);
	await writeSecondPerson(tx, ctx, of, to);
	return null;
}

/** Writes the setting, with its audit entry; `proposed` when it was approved. */
export async function writeSecondPerson(tx: Tx, ctx: ServiceContext, of: SecondPersonOf, to: boolean, proposed?: object): Promise<void> {
	await lockSetting(tx, KEYS[of]);
	const before = { secondPerson: await needsSecondPerson(tx, of) };
	await writeSetting(tx, KEYS[of], to);
	await writeAudit(tx, ctx, { action: ACTIONS[of], subject: of, before, after: { secondPerson: to, ...proposed } });
	await notify(tx, { changes: [{ topic: "policy", id: null, team: null }] });
}

async function hasOtherApprover(tx: Tx, accountId: string, of: SecondPersonOf): Promise<boolean> {
	const may = and(
		inArray(account.role, rolesWith(APPROVES[of])),
		isPermitted(APPROVES[of]),
		isNull(account.disabledAt),
		ne(account.id, accountId),
	);
	return (await tx.$count(account, may)) > 0;
}

/** Only one is pending at a time; a repeated request returns the same one. */
async function proposeOff(tx: Tx, ctx: ServiceContext, of: SecondPersonOf): Promise<string> {
	// The setting is on, so its row exists: its lock serializes concurrent calls.
	await tx.select().from(setting).where(eq(setting.key, KEYS[of])).for("update");
	const waits = and(eq(proposal.kind, "second_person_off"), eq(proposal.subject, of), isNull(proposal.decision));
	const [open] = await tx.select({ id: proposal.id }).from(proposal).where(waits);
	if (open) return open.id;
	const nowMs = ctx.clock.nowMs();
	const id = newId("prop", nowMs);
	const change = { secondPersonOf: of };
	const message = of === "policies" ? "Publish policies without a second person" : "Change caps without a second person";
	await tx
		.insert(proposal)
		.values({ id, kind: "second_person_off", subject: of, change, message, proposedBy: actorName(ctx.actor), proposedAt: new Date(nowMs) });
	await writeAudit(tx, ctx, { action: "proposal.create", subject: id, after: { ...change, message } });
	await notify(tx, { changes: [{ topic: "policy", id: null, team: null }] });
	return id;
}
