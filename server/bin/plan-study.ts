import { inspect } from "node:util";
import { z } from "zod";
import { connect } from "#server/db/client.ts";
import { env } from "#server/env.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { timingSchema } from "#server/services/core/timing.ts";
import { studyInThread } from "#server/services/decision/plan/study-thread.ts";
import { workOnStudy } from "#server/services/decision/plan/work.ts";
import { SHIPPED_FACTS } from "./simulate-facts.ts";

/** Runs one plan study and exits: `node server/bin/plan-study.ts ID STARTED_AT_MS`. The leading scheduler starts it. */
const [id, startedAtMs] = z.tuple([z.string().min(1), z.coerce.number().int()]).parse(process.argv.slice(2));
const settings = env();
const connection = connect(settings.DATABASE_URL, { max: 2, applicationName: "spillway-plan-study" });
// The scheduler that started it has ended; another one starts the study again.
process.stdin.on("end", () => process.exit(0)).resume();
await workOnStudy(
	{
		...{ db: connection.db, clock: systemClock, timing: timingSchema.parse(settings.SPILLWAY_TIMING) },
		...{ facts: SHIPPED_FACTS, replay: studyInThread },
		logError: (error) => void process.stderr.write(`a plan study failed: ${inspect(error)}\n`),
	},
	{ id, startedAtMs },
);
await connection.end();
process.exit(0);
