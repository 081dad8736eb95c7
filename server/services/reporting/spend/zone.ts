import { teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";

/**
 * The time zone that defines the ledger's days and months.
 * @throws SpillwayError `forbidden`.
 */
export async function ledgerZone(ctx: Pick<ServiceContext, "actor" | "db">): Promise<{ zone: string }> {
	teamScope(ctx, "spend:read");
	const { zone } = await ledgerCalendar(ctx.db);
	return { zone };
}
