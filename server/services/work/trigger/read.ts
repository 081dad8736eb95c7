import { asc, isNull } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { trigger } from "#server/db/schema/trigger.ts";
import { openSecret } from "#server/services/notification/channel/secret-box.ts";

export type TriggerRow = typeof trigger.$inferSelect;

/** All triggers that are not deleted, by team and name. */
export async function readCurrentTriggers(db: DbOrTx): Promise<TriggerRow[]> {
	return db.select().from(trigger).where(isNull(trigger.deletedAt)).orderBy(asc(trigger.team), asc(trigger.name));
}

/** The signing key of a webhook; null for other kinds, or when SPILLWAY_SECRET has changed since. */
export function triggerKey(secret: string, { id, sealedSecret }: TriggerRow): string | null {
	try {
		return sealedSecret === null ? null : openSecret(secret, id, sealedSecret);
	} catch {
		return null;
	}
}
