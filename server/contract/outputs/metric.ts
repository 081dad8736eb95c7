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
