import { z } from "zod";
import { DEMAND_GROUPS } from "../inputs/demand.ts";
import { instant } from "../parts.ts";

const pointSchema = z.object({ at: instant, p10: z.number(), p50: z.number(), p90: z.number() }).meta({ id: "DemandPoint" });

export const demandForecastSchema = z
	.object({
		groupBy: z.enum(DEMAND_GROUPS),
		learnedHours: z.number(),
		ownedGpus: z.number(),
		items: z.array(z.object({ key: z.string(), hasRange: z.boolean(), points: z.array(pointSchema) })),
		score: z
			.object({
				...{ forecasts: z.number(), heldOutWeeks: z.number(), p50Coverage: z.number(), p90Coverage: z.number() },
				...{ weightedError: z.number(), naiveWeightedError: z.number(), change: z.number() },
			})
			.nullable(),
	})
	.meta({ id: "DemandForecast" });
