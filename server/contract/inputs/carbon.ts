import { z } from "zod";

export const importIntensityInput = z.strictObject({
	/** The file's text: csv or Electricity Maps' JSON. */
	text: z.string().min(1),
	zone: z.string().max(40).optional(),
	/** Source of the figures, for display. */
	source: z.string().trim().min(1).max(200),
});
