import { inspect } from "node:util";
import { z } from "zod";
import { connect } from "#server/db/client.ts";
import { env } from "#server/env.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { timingSchema } from "#server/services/core/timing.ts";
import { replayInThread } from "#server/services/decision/backtest/replay-thread.ts";
import { workOnBacktest } from "#server/services/decision/backtest/work.ts";

/** Runs one backtest and exits: `node server/bin/backtest.ts ID STARTED_AT_MS`. The leading scheduler starts it. */
const [id, startedAtMs] = z.tuple([z.string().min(1), z.coerce.number().int()]).parse(process.argv.slice(2));
const settings = env();
const connection = connect(settings.DATABASE_URL, { max: 2, applicationName: "spillway-backtest" });
// The scheduler that started it has ended, so nothing would use the result.
process.stdin.on("end", () => process.exit(0)).resume();
await workOnBacktest(
	{
		...{ db: connection.db, clock: systemClock, timing: timingSchema.parse(settings.SPILLWAY_TIMING), replay: replayInThread },
		logError: (error) => void process.stderr.write(`a backtest failed: ${inspect(error)}\n`),
	},
	{ id, startedAtMs },
);
await connection.end();
process.exit(0);
