import { inArray } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";

/** Readable names of actors; an account that no longer exists is shown by its id. */
export async function namesOf(db: DbOrTx, actors: readonly (string | null)[]): Promise<(actor: string) => string> {
	const ids = [...new Set(actors.flatMap((a) => (a?.startsWith("account:") ? [a.slice("account:".length)] : [])))];
	const people =
		ids.length === 0 ? [] : await db.select({ id: account.id, name: account.name }).from(account).where(inArray(account.id, ids));
	const names = new Map(people.map((p) => [`account:${p.id}`, p.name]));
	return (actor) => names.get(actor) ?? (actor.startsWith("system:") ? "the installation" : actor.replace(/^account:/, ""));
}
