import { and, eq, gt, lte, type SQL, sql } from "drizzle-orm";
import { charge } from "#server/db/schema/charge.ts";
import { statement } from "#server/db/schema/statement.ts";
import { type ClosedVersion, parseLedgerCut } from "#server/domain/ledger-cut.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";

/** A cut, as responses describe it. */
export interface CutView {
	atMs: number;
	/** null for an instant. */
	statement: ClosedVersion | null;
}

export interface Cut {
	view: CutView;
	/** Charges posted up to the cut, and charges posted after it: together every charge exactly once. */
	by: SQL;
	after: SQL;
}

/**
 * A cut through the ledger. Exact for a closed version, which has its own charges. For an instant, and for versions closed
 * before charges were numbered, it relies on the clocks of the posting processes.
 * @param field of the input, for the error message.
 * @throws SpillwayError `invalid_input` for an invalid cut, `not_found` for a version that was never written, `forbidden`.
 */
export async function readCut(ctx: Pick<ServiceContext, "actor" | "db">, text: string, field: "asOf" | "since"): Promise<Cut> {
	const cut = parseLedgerCut(text);
	if (cut === null) {
		const message = "must be a version of a statement such as 2026-11/1 or 2026-11/1/TEAM, or a time such as 2026-12-03T08:00:00Z";
		throw new SpillwayError("invalid_input", `${field}: "${text.slice(0, 80)}" is not a valid ledger position.`, {
			fields: [{ path: field, message }],
			fix: "Copy it from the link of a statement figure, or use a time.",
		});
	}
	if ("atMs" in cut) return cutAt(cut.atMs);
	authorize(ctx, "statement:read", cut.team);
	const [row] = await ctx.db
		.select({
			atMs: sql`${statement.content}->'postedUntilMs'`.mapWith(Number),
			number: sql<number | null>`(${statement.content}->>'postedUntilNumber')::float8`,
		})
		.from(statement)
		.where(and(eq(statement.month, cut.month), eq(statement.team, cut.team), eq(statement.version, cut.version)));
	if (!row) {
		throw new SpillwayError("not_found", `The statement of ${cut.month} has no version ${cut.version}.`, {
			fix: `List its versions: spillway statement ${cut.month}`,
		});
	}
	const view = { atMs: row.atMs, statement: cut };
	if (row.number === null) return postedBy(view);
	return { view, by: lte(charge.number, row.number), after: gt(charge.number, row.number) };
}

export const cutAt = (atMs: number): Cut => postedBy({ atMs, statement: null });

function postedBy(view: CutView): Cut {
	const at = new Date(view.atMs);
	return { view, by: lte(charge.postedAt, at), after: gt(charge.postedAt, at) };
}
