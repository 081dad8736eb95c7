import { and, eq, gte, lt, sql } from "drizzle-orm";
import { dayKey } from "#server/accounting/calendar.ts";
import type { DayRow } from "#server/accounting/statement-facts.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { rollup } from "#server/db/schema/charge.ts";
import type { LedgerMonth } from "./month.ts";

/** Effective cost of the month by day, team, project and line. @param team "" is the company. */
export async function readDayRows(db: DbOrTx, month: LedgerMonth, team: string): Promise<DayRow[]> {
	const idle = sql<boolean>`(${rollup.capacityType} = 'owned' and ${rollup.class} = '')`;
	const { bucketStart, project, capacityType, kind } = rollup;
	const rows = await db
		.select({
			...{ bucketStart, team: rollup.team, project, capacityType, kind, idle },
			effectiveMicroUsd: sql<bigint>`sum(${rollup.effectiveMicroUsd})`.mapWith((value: unknown) => BigInt(String(value))),
		})
		.from(rollup)
		.where(
			and(
				eq(rollup.granularity, "day"),
				gte(bucketStart, new Date(month.fromMs)),
				lt(bucketStart, new Date(month.toMs)),
				team === "" ? undefined : eq(rollup.team, team),
			),
		)
		.groupBy(bucketStart, rollup.team, project, capacityType, kind, idle);
	return rows.map(({ bucketStart: at, ...row }) => ({ ...row, day: dayKey(at.getTime(), month.calendar) }));
}
