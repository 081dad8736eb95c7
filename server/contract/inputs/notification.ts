import { z } from "zod";
import { DIGEST_MINUTES, WORK_EVENTS } from "#server/domain/notice.ts";

export const setNotificationsInput = z
	.strictObject({
		/** Events of the caller's jobs and pipelines; an empty list turns mail off. */
		events: z
			.array(z.enum(WORK_EVENTS))
			.max(WORK_EVENTS.length)
			.transform((events) => WORK_EVENTS.filter((event) => events.includes(event)))
			.optional(),
		/** Minutes of events collected in one mail. */
		digestMinutes: z.number().int().min(DIGEST_MINUTES.min).max(DIGEST_MINUTES.max).optional(),
	})
	.refine((input) => input.events !== undefined || input.digestMinutes !== undefined, "give events, digestMinutes or both");
