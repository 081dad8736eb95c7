import { sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";

/** Changes that a user with the database owner's permissions can make, bypassing the triggers. */
export async function tamper(db: Db, statement: string): Promise<void> {
	await db.transaction(async (tx) => {
		await tx.execute(sql`alter table audit disable trigger audit_insert_only`);
		await tx.execute(sql`alter table audit_seal disable trigger audit_seal_insert_only`);
		await tx.execute(sql.raw(statement));
		await tx.execute(sql`alter table audit enable trigger audit_insert_only`);
		await tx.execute(sql`alter table audit_seal enable trigger audit_seal_insert_only`);
	});
}
