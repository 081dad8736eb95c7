import { z } from "zod";

/** A link is meant for a download that starts soon, not for sharing. */
export const LINK_MINUTES_MAX = 60;

export const linkInput = z.strictObject({
	path: z.string().min(1).max(1_024),
	minutes: z.number().int().min(1).max(LINK_MINUTES_MAX).default(15),
});
