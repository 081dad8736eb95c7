import { z } from "zod";
import { instant } from "../parts.ts";

const point = z.object({ step: z.number(), value: z.number(), at: instant });

export const metricSeriesSchema = z
	.object({
		key: z.string(),
		count: z.number().int(),
		last: point,
		min: z.number(),
		max: z.number(),
		points: z.array(point),
	})
	.meta({ id: "MetricSeries" });

export const forwardedRunSchema = z
	.object({
		runId: z.string().meta({ description: "Id of a run that the job logged, or of the job itself for metrics of its output." }),
		remoteRunId: z.string().nullable().meta({ description: "The run in MLflow." }),
		state: z
			.enum(["pending", "forwarded", "failed"])
			.meta({ description: "Failed runs are tried again until a week after the job's end." }),
		error: z.string().nullable().meta({ description: "Why the last try failed." }),
		retryAt: instant.nullable(),
		forwardedAt: instant.nullable(),
	})
	.meta({ id: "ForwardedRun" });
