import { z } from "zod";

/** A date as YYYY-MM-DD. */
export const isoDate = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

/** Source of a figure. `asOf` is the day it applied to, as far as known (`asOfNote`). */
export const sourceNoteSchema = z.strictObject({
	id: z.string().min(1),
	title: z.string().min(1),
	url: z.url(),
	licence: z.string().min(1),
	asOf: isoDate,
	asOfNote: z.string().optional(),
	/** True when the figure is computed from another one, not observed. */
	estimate: z.boolean().optional(),
});

export type SourceNote = z.infer<typeof sourceNoteSchema>;

/** A decimal dollar amount that `usdToMicro` reads exactly. */
export const usdText = z.string().regex(/^\d+(\.\d{1,6})?$/);
