import { desc, eq } from "drizzle-orm";
import { bill } from "#server/db/schema/bill.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { type BillView, toBillView } from "./view.ts";

/** More bills than a company imports in many years. */
const BILLS_MAX = 2_000;

/** Imported bills, newest first. @throws SpillwayError `forbidden`. */
export async function listBills(ctx: Pick<ServiceContext, "actor" | "db">): Promise<BillView[]> {
	authorize(ctx, "bill:read", null);
	const rows = await ctx.db.select().from(bill).orderBy(desc(bill.importedAt), desc(bill.id)).limit(BILLS_MAX);
	return rows.map(toBillView);
}

/** @throws SpillwayError `forbidden`, `not_found`. */
export async function getBill(ctx: Pick<ServiceContext, "actor" | "db">, id: string): Promise<BillView & { columns: string[] }> {
	authorize(ctx, "bill:read", null);
	const [row] = await ctx.db.select().from(bill).where(eq(bill.id, id));
	if (!row) throw new SpillwayError("not_found", `There is no bill ${id}.`, { fix: "List bills with: spillway bill ls" });
	return { ...toBillView(row), columns: row.columns };
}
