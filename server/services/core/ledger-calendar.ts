import { eq, sql } from "drizzle-orm";
import { type Calendar, calendarOf, UTC } from "#server/accounting/zone.ts";
import type { DbOrTx, Tx } from "#server/db/client.ts";
import { charge } from "#server/db/schema/charge.ts";
import { setting } from "#server/db/schema/setting.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { writeAudit } from "./audit.ts";
import { authorize } from "./authorize.ts";
import type { ServiceContext } from "./context.ts";

/** Name of the setting with the time zone of the ledger's days and months. */
export const ZONE_SETTING = "ledger_zone";

/** The calendar that the ledger's days and months follow; UTC until another one is set. Cost: one row by its key. */
export async function ledgerCalendar(db: DbOrTx): Promise<Calendar> {
	// The key is written into the query: without parameters it takes one round trip to the database, not two.
	const [row] = await db
		.select({ zone: setting.value })
		.from(setting)
		.where(eq(setting.key, sql.raw(`'${ZONE_SETTING}'`)));
	return toCalendar(row?.zone);
}

/** The same for writers of charges: the setting cannot change before the transaction ends. */
export async function holdLedgerCalendar(tx: Tx): Promise<Calendar> {
	return toCalendar(await lockZone(tx, "key share"));
}

/** The stored zone, with its row locked; the row is created if it is missing. A lock is never upgraded, since two upgrades deadlock. */
async function lockZone(tx: Tx, strength: "key share" | "update"): Promise<unknown> {
	for (;;) {
		const [row] = await tx.select({ zone: setting.value }).from(setting).where(eq(setting.key, ZONE_SETTING)).for(strength);
		if (row) return row.zone;
		await tx.insert(setting).values({ key: ZONE_SETTING, value: UTC.zone }).onConflictDoNothing();
	}
}

/**
 * Sets the time zone of the ledger's days and months, before any charge: afterwards sums would not match months already reported.
 * @throws SpillwayError `invalid_input` for a zone unknown to this machine or the database, `conflict` after the first charge, `forbidden`.
 */
export async function setLedgerZone(ctx: ServiceContext, zone: string): Promise<void> {
	authorize(ctx, "rates:change", null);
	calendarOf(zone);
	await ctx.db.transaction(async (tx) => {
		// `for update` waits for every writer that holds the calendar, and the next ones wait for this.
		const before = await lockZone(tx, "update");
		if (before === zone) return;
		const known = await tx.execute(sql`select 1 from pg_timezone_names where name = ${zone}`);
		if (known.length === 0) {
			throw new SpillwayError("invalid_input", `The database does not know the time zone "${zone}".`, {
				fields: [{ path: "zone", message: "must be an IANA time zone, spelled exactly" }],
				fix: "List known zones with: select name from pg_timezone_names",
			});
		}
		const [first] = await tx.select({ id: charge.id }).from(charge).limit(1);
		if (first) {
			throw new SpillwayError("conflict", `The ledger already has charges, so its time zone stays ${String(before)}.`, {
				fix: "Set the time zone before the first charge, or use a new installation.",
			});
		}
		await tx.update(setting).set({ value: zone }).where(eq(setting.key, ZONE_SETTING));
		await tx.execute(sql`select spillway_count_work()`);
		await writeAudit(tx, ctx, { action: "ledger.zone", subject: "ledger", before: { zone: before }, after: { zone } });
	});
}

function toCalendar(zone: unknown): Calendar {
	return typeof zone === "string" ? calendarOf(zone) : UTC;
}
