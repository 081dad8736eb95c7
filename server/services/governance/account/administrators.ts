import { and, eq, exists, isNotNull, isNull, ne, or, sql } from "drizzle-orm";
import type { Tx } from "#server/db/client.ts";
import { account, identity } from "#server/db/schema/account.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { actorName, type ServiceContext } from "#server/services/core/context.ts";

/**
 * Keeps the installation manageable: refuses a change that would leave no administrator who can sign in. Demo administrators count
 * only for a demo account, because they cannot sign in outside the demo. Changes of administrators wait for each other.
 * @throws SpillwayError `conflict`
 */
export async function requireAnotherAdministrator(tx: Tx, ctx: Pick<ServiceContext, "actor">, id: string): Promise<void> {
	await tx.execute(sql`select pg_advisory_xact_lock(hashtext('administrators'))`);
	const [actor] = await tx
		.select({ demo: account.demo })
		.from(account)
		.where(eq(sql`'account:' || ${account.id}`, actorName(ctx.actor)));
	const linked = tx
		.select({ one: sql`1` })
		.from(identity)
		.where(and(eq(identity.accountId, account.id), isNotNull(identity.linkedAt)));
	const others = await tx.$count(
		account,
		and(
			ne(account.id, id),
			eq(account.role, "platform"),
			eq(account.service, false),
			isNull(account.disabledAt),
			or(isNotNull(account.passwordHash), exists(linked)),
			actor?.demo ? undefined : eq(account.demo, false),
		),
	);
	if (others > 0) return;
	throw new SpillwayError("conflict", "This is the last administrator who can sign in.", {
		fix: "Make another person a platform engineer first, and let them sign in once.",
	});
}
