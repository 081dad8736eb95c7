import { z } from "zod";

export const DEMAND_GROUPS = ["total", "team", "class", "accelerator"] as const;

export const demandForecastInput = z.strictObject({
	groupBy: z.enum(DEMAND_GROUPS).default("total"),
	/** Hours ahead. */
	hours: z.coerce.number().int().min(1).max(336).default(168),
});
