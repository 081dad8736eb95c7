import { eq } from "drizzle-orm";
import type { Db } from "#server/db/client.ts";
import { jobTrace } from "#server/db/schema/job-trace.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { runKey } from "#server/domain/trace.ts";
import { spanIdOf } from "./span-id.ts";

/** The spec with `TRACEPARENT` and `TRACESTATE` of the attempt's run, if the job is traced; otherwise unchanged. */
export async function withTraceParent(db: Db, spec: JobSpec, run: { jobId: string; attemptNo: number }): Promise<JobSpec> {
	const [trace] = await db
		.select({ traceId: jobTrace.traceId, traceState: jobTrace.traceState })
		.from(jobTrace)
		.where(eq(jobTrace.jobId, run.jobId));
	if (!trace) return spec;
	const parent = `00-${trace.traceId}-${spanIdOf(run.jobId, runKey(run.attemptNo))}-01`;
	return { ...spec, env: { ...spec.env, TRACEPARENT: parent, ...(trace.traceState !== null && { TRACESTATE: trace.traceState }) } };
}
