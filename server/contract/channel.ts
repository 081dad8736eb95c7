import { z } from "zod";
import { createChannelInput, listAlertsInput, listDeliveriesInput, updateChannelInput } from "./inputs/channel.ts";
import { operation } from "./operation.ts";
import { alertSchema, channelSchema, deliverySchema } from "./outputs/channel.ts";
import { byId, pageOf } from "./parts.ts";

export const alert = {
	list: operation({
		method: "GET",
		path: "/alerts",
		summary: "List alerts, newest first",
		permission: "budget:read",
		output: pageOf(alertSchema),
		input: listAlertsInput,
		procedure: "query",
	}),
};

export const channel = {
	list: operation({
		method: "GET",
		path: "/channels",
		summary: "List notification channels; webhook addresses show the host only",
		permission: "budget:change",
		output: z.array(channelSchema),
		procedure: "query",
	}),
	create: operation({
		method: "POST",
		path: "/channels",
		summary: "Create a channel; a webhook's signing key is returned once",
		permission: "budget:change",
		example: { kind: "email", name: "Finance", topics: ["budget_threshold"], team: null, recipients: ["finance@example.com"] },
		output: z.object({ id: z.string(), signingKey: z.string().nullable() }),
		input: createChannelInput,
		status: 201,
		procedure: "mutation",
	}),
	update: operation({
		method: "PUT",
		path: "/channels/{id}",
		summary: "Change a channel; omitted fields keep their values",
		permission: "budget:change",
		example: { enabled: false },
		output: z.object({ id: z.string() }),
		input: updateChannelInput,
		procedure: "mutation",
	}),
	remove: operation({
		method: "POST",
		path: "/channels/{id}/remove",
		summary: "Delete a channel with its address and key",
		permission: "budget:change",
		output: z.object({ id: z.string() }),
		input: byId,
		write: true,
		procedure: "mutation",
	}),
	test: operation({
		method: "POST",
		path: "/channels/{id}/test",
		summary: "Send a test message to a channel",
		permission: "budget:change",
		output: z.object({ deliveryId: z.string() }),
		input: byId,
		status: 202,
		write: true,
		procedure: "mutation",
	}),
	deliveries: operation({
		method: "GET",
		path: "/deliveries",
		summary: "List sent messages, newest first",
		permission: "budget:change",
		output: pageOf(deliverySchema),
		input: listDeliveriesInput,
		procedure: "query",
	}),
};
