import { eq } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "#server/db/client.ts";
import { setting } from "#server/db/schema/setting.ts";
import type { Expiry } from "#server/domain/alert-facts.ts";

const KEY = "expiries";
const recordSchema = z.array(
	z.object({
		subject: z.string(),
		what: z.enum(["token", "credential", "certificate"]),
		name: z.string(),
		startsAtMs: z.number().nullable(),
		expiresAtMs: z.number(),
	}),
);

/** Replaces the recorded expiry dates of certificates and credentials, from which alerts are evaluated. */
export async function recordExpiries(db: Db, expiries: readonly Expiry[]): Promise<void> {
	const value = recordSchema.parse(expiries);
	await db.insert(setting).values({ key: KEY, value }).onConflictDoUpdate({ target: setting.key, set: { value } });
}

export async function readExpiries(db: Db): Promise<Expiry[]> {
	const [row] = await db.select({ value: setting.value }).from(setting).where(eq(setting.key, KEY));
	return recordSchema.catch([]).parse(row?.value ?? []);
}
