import { operation } from "./operation.ts";

export const alert = {
	list: operation({
		method: "GET",
		path: "/alerts",
		summary: "List alerts, newest first",
		permission: "budget:read",
		procedure: "query",
	}),
};

export const channel = {
	list: operation({
		method: "GET",
		path: "/channels",
		summary: "List notification channels; webhook addresses show the host only",
		permission: "budget:change",
		procedure: "query",
	}),
	create: operation({
		method: "POST",
		path: "/channels",
		summary: "Create a channel; a webhook's signing key is returned once",
		permission: "budget:change",
		status: 201,
		procedure: "mutation",
	}),
	update: operation({
		method: "PUT",
		path: "/channels/{id}",
		summary: "Change a channel; omitted fields keep their values",
		permission: "budget:change",
		procedure: "mutation",
	}),
	remove: operation({
		method: "POST",
		path: "/channels/{id}/remove",
		summary: "Delete a channel with its address and key",
		permission: "budget:change",
		write: true,
		procedure: "mutation",
	}),
	test: operation({
		method: "POST",
		path: "/channels/{id}/test",
		summary: "Send a test message to a channel",
		permission: "budget:change",
		status: 202,
		write: true,
		procedure: "mutation",
	}),
	deliveries: operation({
		method: "GET",
		path: "/deliveries",
		summary: "List sent messages, newest first",
		permission: "budget:change",
		procedure: "query",
	}),
};
