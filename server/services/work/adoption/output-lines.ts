import { and, asc, eq, gt, ne } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { jobLog } from "#server/db/schema/job-log.ts";

const BATCH = 2_000;

/** Output of an attempt, line by line, in order. */
export async function* outputLines(db: Db, attemptId: string): AsyncGenerator<{ stream: "stdout" | "stderr"; text: string }> {
	for (let after = 0; ; ) {
		const rows = await db
			.select({ number: jobLog.number, stream: jobLog.stream, text: jobLog.text })
			.from(jobLog)
			.where(and(eq(jobLog.attemptId, attemptId), gt(jobLog.number, after), ne(jobLog.stream, "spillway")))
			.orderBy(asc(jobLog.number))
			.limit(BATCH);
		for (const { stream, text } of rows) if (stream !== "spillway") yield { stream, text };
		const last = rows.at(-1);
		if (!last || rows.length < BATCH) return;
		after = last.number;
	}
}
