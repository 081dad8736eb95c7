import { z } from "zod";
import { DELIVERY_STATES } from "#server/domain/alert.ts";
import { WORK_EVENTS } from "#server/domain/notice.ts";
import { setNotificationsInput } from "./inputs/notification.ts";
import { operation } from "./operation.ts";
import { instant } from "./parts.ts";

export const notificationsSchema = z
	.object({
		email: z.string().meta({ description: "The account's address; mail goes nowhere else." }),
		events: z.array(z.enum(WORK_EVENTS)),
		digestMinutes: z.number().meta({ description: "Minutes in which events are collected for one mail." }),
		lastMail: z
			.object({ title: z.string(), state: z.enum(DELIVERY_STATES), at: instant, error: z.string().nullable() })
			.nullable()
			.meta({ description: "The newest mail, or null." }),
	})
	.meta({ id: "Notifications" });

export const notification = {
	get: operation({
		method: "GET",
		path: "/notifications",
		summary: "Show what you are notified about by mail, and whether the last mail was sent",
		description: "[Notifications](notifications.md).",
		permission: "notification:manage",
		output: notificationsSchema,
		procedure: "query",
	}),
	set: operation({
		method: "PUT",
		path: "/notifications",
		summary: "Choose the events of your jobs and pipelines that are mailed to you; omitted fields keep their values",
		permission: "notification:manage",
		example: { events: ["failed", "needs_approval"], digestMinutes: 15 },
		output: notificationsSchema,
		input: setNotificationsInput,
		procedure: "mutation",
	}),
};
