import { eq, isNull, sql } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { approval } from "#server/db/schema/approval.ts";
import { attempt } from "#server/db/schema/attempt.ts";
import { pipeline } from "#server/db/schema/pipeline.ts";
import { shadow } from "#server/db/schema/shadow.ts";
import { defined } from "#server/kernel/assert.ts";
import { isMoveDue } from "#server/services/work/attempt/request-move.ts";

/** What a cycle has to do besides deciding. */
export interface CycleWork {
	moves: boolean;
	pipelines: boolean;
	approvals: boolean;
	shadow: boolean;
}

/** One statement, because most cycles have nothing of it to do. Cost: four reads by partial index. */
export async function readCycleWork(db: Db, nowMs: number): Promise<CycleWork> {
	const [row] = await db.execute<CycleWork & Record<string, unknown>>(sql`select
		exists (select from ${attempt} where ${isMoveDue(nowMs)}) as moves,
		exists (select from ${pipeline} where ${pipeline.state} in ('running', 'cancelling')) as pipelines,
		exists (select from ${approval} where ${eq(approval.state, "open")}) as approvals,
		exists (select from ${shadow} where ${isNull(shadow.stoppedAt)}) as shadow`);
	return defined(row, "row of a select without a table");
}
