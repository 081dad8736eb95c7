import { eq } from "drizzle-orm";
import { z } from "zod";
import type { Db } from "#server/db/client.ts";
import { setting } from "#server/db/schema/setting.ts";

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
export async function readHeartbeat(db: Db): Promise<Heartbeat | null> {
	const [row] = await db.select({ value: setting.value }).from(setting).where(eq(setting.key, "scheduler"));
	const parsed = heartbeatSchema.safeParse(row?.value);
	return parsed.success ? parsed.data : null;
}
