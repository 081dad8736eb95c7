import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { setting } from "#server/db/schema/setting.ts";

/** This installation's id, created once. Machines are tagged with it, so that two installations never terminate each other's machines. */
export async function deploymentId(db: Db): Promise<string> {
	await db
		.insert(setting)
		.values({ key: "deployment_id", value: `spw-${randomBytes(8).toString("hex")}` })
		.onConflictDoNothing();
	const [row] = await db.select({ value: setting.value }).from(setting).where(eq(setting.key, "deployment_id"));
	if (typeof row?.value !== "string") throw new Error("the setting deployment_id is not a text");
	return row.value;
}
