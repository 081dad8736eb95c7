import { eq } from "drizzle-orm";
import { z } from "zod";
import type { Db, DbOrTx } from "#server/db/client.ts";
import { setting } from "#server/db/schema/setting.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";

/** After a shorter silence another scheduler takes over: no one restores a database in that time. */
const SILENT_MS = 2 * MINUTE_MS;

const heartbeatSchema = z.object({
	instance: z.string(),
	atMs: z.number(),
	lastCycle: z
		.object({ pending: z.number(), actions: z.number(), loadMs: z.number(), decideMs: z.number(), applyMs: z.number() })
		.nullable(),
});
export type Heartbeat = z.infer<typeof heartbeatSchema>;

/** The leader's heartbeat, read by /readyz, /metrics and the Overview. */
export async function writeHeartbeat(db: Db, heartbeat: Heartbeat): Promise<void> {
	const value = heartbeatSchema.parse(heartbeat);
	await db.insert(setting).values({ key: "scheduler", value }).onConflictDoUpdate({ target: setting.key, set: { value } });
}

/** null before any scheduler led. */
export async function readHeartbeat(db: DbOrTx): Promise<Heartbeat | null> {
	const [row] = await db.select({ value: setting.value }).from(setting).where(eq(setting.key, "scheduler"));
	const parsed = heartbeatSchema.safeParse(row?.value);
	return parsed.success ? parsed.data : null;
}

/** Whether no scheduler has led for long enough that the database may be a restored one. */
export function isSilent(last: Heartbeat | null, nowMs: number): boolean {
	return last !== null && nowMs - last.atMs >= SILENT_MS;
}
