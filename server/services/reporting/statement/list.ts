import { desc, eq, inArray, sql } from "drizzle-orm";
import type { z } from "zod";
import { listStatementsInput } from "#server/contract/inputs/statement.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { statement, statementSignature } from "#server/db/schema/statement.ts";
import type { StatementContent, StatementState } from "#server/domain/statement.ts";
import { allows, authorize, teamScope } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import { listTeams } from "#server/services/core/teams.ts";
import { closingDay } from "./closing-day.ts";
import { type ChangedSince, changedSince, monthsInLedger, NOTHING, stateOf } from "./current.ts";
import { ledgerMonth, ledgerMonthAt } from "./month.ts";

export interface StatementMonth {
	month: string;
	fromMs: number;
	toMs: number;
	state: StatementState;
	/** Current total in the ledger. */
	ledgerMicroUsd: bigint;
	/** The newest version; null while the month is not closed. */
	closed: {
		version: number;
		totalMicroUsd: bigint;
		ownedMicroUsd: bigint;
		cloudMicroUsd: bigint;
		closedAt: Date;
		signedBy: string[];
		changedSince: ChangedSince | null;
	} | null;
}

export interface StatementList {
	/** null: the person has no team and may not see the company's statement. */
	team: string | null;
	/** Teams with statements that the person may see; "" is the company. */
	teams: string[];
	/** Every month with a charge or a statement, newest first. */
	items: StatementMonth[];
	/** The day on which the previous month is closed automatically and sent, and whether the person may set it. */
	closing: { day: number; mayChange: boolean };
}

/** @throws SpillwayError `forbidden` for a team that is not the person's. */
export async function listStatements(ctx: ServiceContext, raw: z.input<typeof listStatementsInput> = {}): Promise<StatementList> {
	const scope = teamScope(ctx, "statement:read");
	const input = listStatementsInput.parse(raw);
	const teams = scope === null ? ["", ...(await allTeams(ctx))] : [...scope];
	const team = input.team ?? teams[0];
	const closing = { day: await closingDay(ctx.db), mayChange: allows(ctx, "statement:close", null) };
	if (team === undefined) return { team: null, teams, items: [], closing };
	authorize(ctx, "statement:read", team);
	const [inLedger, newest, calendar] = await Promise.all([
		monthsInLedger(ctx.db, team),
		newestByMonth(ctx.db, team),
		ledgerCalendar(ctx.db),
	]);
	const months = new Map([
		...[...inLedger.keys()].map((fromMs) => [fromMs, ledgerMonthAt(fromMs, calendar)] as const),
		...[...newest.keys()].map((name) => ledgerMonth(name, calendar)).map((m) => [m.fromMs, m] as const),
	]);
	const nowMs = ctx.clock.nowMs();
	const items = [...months.values()]
		.sort((a, b) => b.fromMs - a.fromMs)
		.map(({ month, fromMs, toMs }): StatementMonth => {
			const now = inLedger.get(fromMs) ?? NOTHING;
			const stored = newest.get(month);
			const changed = stored ? changedSince(stored, now) : null;
			const state = stateOf({
				over: nowMs >= toMs,
				closed: stored !== undefined,
				changed: changed !== null,
				signed: !!stored?.signedBy.length,
			});
			return { month, fromMs, toMs, state, ledgerMicroUsd: now.effectiveMicroUsd, closed: stored ? closedOf(stored, changed) : null };
		});
	return { team, teams, items, closing };
}

/** Existing teams, and former teams that have statements. */
async function allTeams(ctx: ServiceContext): Promise<string[]> {
	const [named, charged] = await Promise.all([
		listTeams({ ...ctx, actor: { kind: "system", part: "control_loop" } }),
		ctx.db.selectDistinct({ team: statement.team }).from(statement),
	]);
	return [...new Set([...named, ...charged.map((r) => r.team).filter((t) => t !== "")])].sort();
}

interface Newest {
	version: number;
	closedAt: Date;
	charges: number;
	totals: StatementContent["totals"];
	sides: StatementContent["sides"];
	signedBy: string[];
}

/** Reads only the listed fields of the stored JSON. */
async function newestByMonth(db: DbOrTx, team: string): Promise<Map<string, Newest>> {
	const rows = await db
		.selectDistinctOn([statement.month], {
			id: statement.id,
			month: statement.month,
			version: statement.version,
			closedAt: statement.closedAt,
			charges: sql`${statement.content}->'charges'`.mapWith(Number),
			totals: sql<StatementContent["totals"]>`${statement.content}->'totals'`,
			sides: sql<StatementContent["sides"]>`${statement.content}->'sides'`,
		})
		.from(statement)
		.where(eq(statement.team, team))
		.orderBy(desc(statement.month), desc(statement.version));
	const ids = rows.map((r) => r.id);
	const signatures = ids.length === 0 ? [] : await db.select().from(statementSignature).where(inArray(statementSignature.statementId, ids));
	const signedBy = Map.groupBy(signatures, (s) => s.statementId);
	return new Map(rows.map(({ id, month, ...row }) => [month, { ...row, signedBy: (signedBy.get(id) ?? []).map((s) => s.name) }]));
}

function closedOf(row: Newest, changed: ChangedSince | null): NonNullable<StatementMonth["closed"]> {
	const side = (key: "owned" | "cloud"): bigint => BigInt(row.sides.find((s) => s.key === key)?.sums.effectiveMicroUsd ?? 0);
	return {
		version: row.version,
		totalMicroUsd: BigInt(row.totals.effectiveMicroUsd),
		ownedMicroUsd: side("owned"),
		cloudMicroUsd: side("cloud"),
		closedAt: row.closedAt,
		signedBy: row.signedBy,
		changedSince: changed,
	};
}
