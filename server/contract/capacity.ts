import { operation } from "./operation.ts";

export const site = {
	list: operation({
		method: "GET",
		path: "/sites",
		summary: "List sites with pools, slots, health and the last sweep",
		permission: "capacity:read",
		procedure: "query",
	}),
	add: operation({
		method: "POST",
		path: "/sites",
		summary: "Connect a cloud account or a cluster; credentials are stored encrypted",
		permission: "site:manage",
		status: 201,
		write: true,
		procedure: "mutation",
	}),
	checkDraft: operation({
		method: "POST",
		path: "/sites/check",
		summary: "Check a site before it is stored; streams one step per line",
		permission: "site:manage",
	}),
	kinds: operation({
		method: "GET",
		path: "/site-kinds",
		summary: "List the supported providers with their settings and least permissions",
		permission: "site:manage",
		procedure: "query",
	}),
	get: operation({
		method: "GET",
		path: "/sites/{id}",
		summary: "Get a site's settings and where its credentials are; never the credentials",
		permission: "site:manage",
	}),
	change: operation({
		method: "PATCH",
		path: "/sites/{id}",
		summary: "Change, enable or disable a site; omitted fields keep their values",
		permission: "site:manage",
		write: true,
		procedure: "mutation",
	}),
	remove: operation({
		method: "DELETE",
		path: "/sites/{id}",
		summary: "Remove a disabled site that has no live machines or jobs",
		permission: "site:manage",
		write: true,
		procedure: "mutation",
	}),
	checkStored: operation({
		method: "POST",
		path: "/sites/{id}/check",
		summary: "Check a stored site, optionally with other settings; streams one step per line",
		permission: "site:manage",
	}),
	pricePool: operation({
		method: "PUT",
		path: "/sites/{siteId}/pools/{poolId}",
		summary: "Set the hourly GPU price of a pool so that jobs can be placed on it",
		permission: "site:manage",
		status: 201,
		write: true,
		procedure: "mutation",
	}),
	queue: operation({
		method: "GET",
		path: "/sites/{id}/queue",
		summary: "List the cluster's own queue and which of its jobs are adopted",
		permission: "capacity:read",
		procedure: "query",
	}),
	nodes: operation({
		method: "GET",
		path: "/sites/{id}/nodes",
		summary: "List the nodes of an owned site, unavailable ones first",
		permission: "capacity:read",
		procedure: "query",
	}),
};

export const instance = {
	list: operation({
		method: "GET",
		path: "/instances",
		summary: "List cloud instances, newest first",
		permission: "instance:read",
		procedure: "query",
	}),
};

export const offer = {
	list: operation({
		method: "GET",
		path: "/offers",
		summary: "List what can be bought, cheapest GPU-hour first",
		permission: "capacity:read",
		procedure: "query",
	}),
};

export const forecast = {
	score: operation({
		method: "GET",
		path: "/forecasts/score",
		summary: "Get the accuracy of wait forecasts, overall and by horizon",
		permission: "capacity:read",
		procedure: "query",
	}),
};

export const overview = {
	moneyAtRisk: operation({
		method: "GET",
		path: "/money-at-risk",
		summary: "List machines that may be running without a job",
		permission: "capacity:read",
	}),
};
