import { inspect } from "node:util";
import { z } from "zod";
import { connect } from "#server/db/client.ts";
import { env } from "#server/env.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { timingSchema } from "#server/services/core/timing.ts";
import { replayByLength } from "#server/services/decision/backtest/replay-thread.ts";
import { SampleMemory } from "#server/services/decision/backtest/sample-memory.ts";
import { warmUp } from "#server/services/decision/backtest/warm-up.ts";
import { type WorkContext, workOnBacktest } from "#server/services/decision/backtest/work.ts";

/**
 * Runs the backtests that the leading scheduler sends as messages `{id, startedAtMs}`, one at a time, and responds to each
 * with its end.
 */
const termSchema = z.strictObject({ id: z.string().min(1), startedAtMs: z.number().int() });
const settings = env();
const connection = connect(settings.DATABASE_URL, { max: 2, applicationName: "spillway-backtest" });
const ctx: WorkContext = {
	...{ db: connection.db, clock: systemClock, timing: timingSchema.parse(settings.SPILLWAY_TIMING), replay: replayByLength },
	samples: new SampleMemory(),
	logError: (error) => void process.stderr.write(`a backtest failed: ${inspect(error)}\n`),
};
// The scheduler that started it has ended, so nothing would use the result.
process.on("disconnect", () => process.exit(0));
let isUsed = false;
process.on("message", async (message) => {
	isUsed = true;
	const end = await workOnBacktest(ctx, termSchema.parse(message));
	process.send?.(end);
});
// Connects now, so that the first term does not wait for it.
await connection.sql`select 1`;
if (!isUsed) await warmUp(ctx);
