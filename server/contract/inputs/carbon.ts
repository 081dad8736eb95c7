import { z } from "zod";

export const importIntensityInput = z.strictObject({
	/** The file's text: csv or Electricity Maps' JSON. */
	text: z.string().min(1),
	zone: z.string().max(40).optional(),
	/** Where the figures come from, as shown to people. */
	source: z.string().trim().min(1).max(200),
});
