import { and, eq, exists, isNotNull, isNull, ne, or, sql } from "drizzle-orm";
import type { DbOrTx, Tx } from "#server/db/client.ts";
import { account, identity } from "#server/db/schema/account.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";
import type { AssignedRole } from "#server/services/core/custom-role.ts";

/** Serializes changes of administrators until the transaction ends. */
export async function lockAdministrators(tx: Tx): Promise<void> {
	await tx.execute(sql`select pg_advisory_xact_lock(hashtext('administrators'))`);
}

/** Custom roles never include the management of people. */
export function isAdministrator({ role, customRole }: AssignedRole): boolean {
	return role === "platform" && customRole === null;
}

/** People who manage the installation and can sign in. `demo`: whether demo accounts count. */
export function countAdministrators(db: DbOrTx, options: { demo: boolean; except?: string }): Promise<number> {
	const linked = db
		.select({ one: sql`1` })
		.from(identity)
		.where(and(eq(identity.accountId, account.id), isNotNull(identity.linkedAt)));
	return db.$count(
		account,
		and(
			options.except === undefined ? undefined : ne(account.id, options.except),
			eq(account.role, "platform"),
			isNull(account.customRole),
			eq(account.service, false),
			isNull(account.disabledAt),
			or(isNotNull(account.passwordHash), exists(linked)),
			options.demo ? undefined : eq(account.demo, false),
		),
	);
}

/**
 * Keeps the installation manageable: rejects a change that would leave no administrator who can sign in. Demo administrators count only for
 * a demo account, because they cannot sign in outside the demo.
 * @throws SpillwayError `conflict`
 */
export async function requireAnotherAdministrator(tx: Tx, ctx: Pick<ServiceContext, "actor">, id: string): Promise<void> {
	await lockAdministrators(tx);
	const [actor] = await tx
		.select({ demo: account.demo })
		.from(account)
		.where(eq(sql`'account:' || ${account.id}`, actorName(ctx.actor)));
	if ((await countAdministrators(tx, { demo: actor?.demo ?? false, except: id })) > 0) return;
	throw new SpillwayError("conflict", "This is the last administrator who can sign in.", {
		fix: "Make another person a platform engineer first, and let them sign in once.",
	});
}
