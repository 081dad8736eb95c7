import { asc, eq, inArray, isNotNull, or, type SQL } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { account } from "#server/db/schema/account.ts";
import { savedView } from "#server/db/schema/saved-view.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";

/** A saved view of the job list. */
export interface SavedView {
	id: string;
	name: string;
	/** Filters, sort and columns: the query string of the list's URL. */
	query: string;
	/** The team it is shared with. */
	team: string | null;
	/** Name of its owner. */
	owner: string;
	isMine: boolean;
}

/** Views of the caller, and those shared with teams with jobs that the caller may read; own first, then by name. */
export async function listViews(ctx: ServiceContext): Promise<SavedView[]> {
	const scope = teamScope(ctx, "job:read");
	const mine = eq(savedView.accountId, accountIdOf(ctx));
	const views = await readViews(
		ctx,
		ctx.db,
		or(mine, scope === null ? isNotNull(savedView.team) : inArray(savedView.team, [...scope, ""])),
	);
	return views.sort((a, b) => Number(b.isMine) - Number(a.isMine));
}

export async function readViews(ctx: ServiceContext, db: DbOrTx, where: SQL | undefined): Promise<SavedView[]> {
	const rows = await db
		.select({ view: savedView, owner: account.name })
		.from(savedView)
		.innerJoin(account, eq(account.id, savedView.accountId))
		.where(where)
		.orderBy(asc(savedView.name), asc(savedView.id));
	return rows.map(({ view: { id, name, query, team, accountId }, owner }) => ({
		...{ id, name, query, team, owner },
		isMine: accountId === accountIdOf(ctx),
	}));
}

/** Views belong to accounts; the system has none. */
export function accountIdOf({ actor }: ServiceContext): string {
	return actor.kind === "person" ? actor.accountId : "";
}
