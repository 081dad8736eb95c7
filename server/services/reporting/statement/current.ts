import { and, eq, sql } from "drizzle-orm";
import type { DbOrTx } from "#server/db/client.ts";
import { rollupSlice } from "#server/db/schema/charge.ts";
import type { StatementContent, StatementState } from "#server/domain/statement.ts";

/** The ledger's current totals of a month, for a team or ("") the company. */
export interface LedgerNow {
	effectiveMicroUsd: bigint;
	charges: number;
}

export const NOTHING: LedgerNow = { effectiveMicroUsd: 0n, charges: 0 };

/** By month start, newest first. Reads a few slice rows per month. */
export async function monthsInLedger(db: DbOrTx, team: string): Promise<Map<number, LedgerNow>> {
	const rows = await db
		.select({
			at: rollupSlice.bucketStart,
			effectiveMicroUsd: sql`sum(${rollupSlice.effectiveMicroUsd})`.mapWith((v: unknown) => BigInt(String(v))),
			charges: sql`sum(${rollupSlice.charges})`.mapWith(Number),
		})
		.from(rollupSlice)
		.where(and(eq(rollupSlice.granularity, "month"), eq(rollupSlice.dimension, ""), team === "" ? undefined : eq(rollupSlice.team, team)))
		.groupBy(rollupSlice.bucketStart)
		.orderBy(sql`${rollupSlice.bucketStart} desc`);
	return new Map(rows.map(({ at, ...now }) => [at.getTime(), now]));
}

/** Totals of every team with charges in the month, and of the company (""). */
export async function teamsInLedger(db: DbOrTx, fromMs: number): Promise<Map<string, LedgerNow>> {
	const rows = await db
		.select({
			team: rollupSlice.team,
			effectiveMicroUsd: sql`sum(${rollupSlice.effectiveMicroUsd})`.mapWith((v: unknown) => BigInt(String(v))),
			charges: sql`sum(${rollupSlice.charges})`.mapWith(Number),
		})
		.from(rollupSlice)
		.where(and(eq(rollupSlice.granularity, "month"), eq(rollupSlice.dimension, ""), eq(rollupSlice.bucketStart, new Date(fromMs))))
		.groupBy(rollupSlice.team);
	const all = rows.reduce(
		(sum, r) => ({ effectiveMicroUsd: sum.effectiveMicroUsd + r.effectiveMicroUsd, charges: sum.charges + r.charges }),
		NOTHING,
	);
	return new Map([...rows.filter((r) => r.team !== "").map(({ team, ...now }): [string, LedgerNow] => [team, now]), ["", all]]);
}

export interface ChangedSince {
	deltaMicroUsd: bigint;
	/** Corrections posted after the month was closed, which may cancel each other out. */
	charges: number;
}

/** Amounts posted to a month after it was closed; null: none. */
export function changedSince(content: Pick<StatementContent, "charges" | "totals">, now: LedgerNow): ChangedSince | null {
	const change = {
		deltaMicroUsd: now.effectiveMicroUsd - BigInt(content.totals.effectiveMicroUsd),
		charges: now.charges - content.charges,
	};
	return change.charges === 0 && change.deltaMicroUsd === 0n ? null : change;
}

export function stateOf(at: { over: boolean; closed: boolean; changed: boolean; signed: boolean }): StatementState {
	if (!at.closed) return at.over ? "to_close" : "open";
	if (at.changed) return "changed";
	return at.signed ? "signed" : "closed";
}
