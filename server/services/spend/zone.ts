import { teamScope } from "../authorize.ts";
import type { ServiceContext } from "../context.ts";
import { ledgerCalendar } from "../ledger/calendar.ts";

/**
 * The time zone that the ledger's days and months are counted in.
 * @throws SpillwayError `forbidden`.
 */
export async function ledgerZone(ctx: Pick<ServiceContext, "actor" | "db">): Promise<{ zone: string }> {
	teamScope(ctx, "spend:read");
	const { zone } = await ledgerCalendar(ctx.db);
	return { zone };
}
