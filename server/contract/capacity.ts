import { z } from "zod";
import {
	addSiteInput,
	changeSiteInput,
	checkSiteInput,
	importPricesInput,
	listInstancesInput,
	listNodesInput,
	offersInput,
	pricePoolInput,
} from "./inputs/capacity.ts";
import { demandForecastInput } from "./inputs/demand.ts";
import { operation } from "./operation.ts";
import {
	checkStepSchema,
	forecastScoresSchema,
	horizonScoreSchema,
	importedPricesSchema,
	nodePageSchema,
	offersPageSchema,
	pricedPoolSchema,
	priceSnapshotSchema,
	queuedForeignJobSchema,
	riskItemSchema,
	siteKindSchema,
	siteSchema,
	siteSettingsSchema,
} from "./outputs/capacity.ts";
import { demandForecastSchema } from "./outputs/demand.ts";
import { forecastScoreSchema, instanceSchema } from "./outputs/shared.ts";
import { byId, entityId, instant, integerText, pageOf } from "./parts.ts";

export const site = {
	list: operation({
		method: "GET",
		path: "/sites",
		summary: "List sites with pools, slots, health and the last sweep",
		description: "`slots` one by one in pools of at most 1,024 GPUs.",
		permission: "capacity:read",
		output: z.array(siteSchema),
		procedure: "query",
	}),
	add: operation({
		method: "POST",
		path: "/sites",
		summary: "Connect a cloud account or a cluster; credentials are stored encrypted",
		description:
			'`credentials` are `{kind: "chain"}` (the default), `{kind: "stored", values}`, `{kind: "file", path}` or `{kind: "environment", name}`.',
		permission: "site:manage",
		example: { id: "aws-research", name: "AWS research", provider: "aws", settings: { regions: ["us-east-1"] } },
		output: siteSettingsSchema,
		input: addSiteInput,
		status: 201,
		write: true,
		procedure: "mutation",
	}),
	checkDraft: operation({
		method: "POST",
		path: "/sites/check",
		summary: "Check a site before it is stored; streams one step per line",
		description: "`outcome` of a step is `passed`, `failed`, `unknown` or `skipped`.",
		permission: "site:manage",
		example: { provider: "aws", settings: { regions: ["us-east-1"] } },
		line: checkStepSchema,
		media: ["application/x-ndjson"],
		input: checkSiteInput,
	}),
	kinds: operation({
		method: "GET",
		path: "/site-kinds",
		summary: "List the supported providers with their settings and least permissions",
		permission: "site:manage",
		output: z.array(siteKindSchema),
		procedure: "query",
	}),
	get: operation({
		method: "GET",
		path: "/sites/{id}",
		summary: "Get a site's settings and where its credentials are; never the credentials",
		permission: "site:manage",
		output: siteSettingsSchema,
		input: byId,
	}),
	change: operation({
		method: "PATCH",
		path: "/sites/{id}",
		summary: "Change, enable or disable a site; omitted fields keep their values",
		permission: "site:manage",
		example: { enabled: false },
		output: siteSettingsSchema,
		input: changeSiteInput.extend({ id: entityId }),
		write: true,
		procedure: "mutation",
	}),
	remove: operation({
		method: "DELETE",
		path: "/sites/{id}",
		summary: "Remove a disabled site that has no live machines or jobs",
		permission: "site:manage",
		output: z.object({ id: z.string(), removed: z.literal(true) }),
		input: byId,
		write: true,
		procedure: "mutation",
	}),
	checkStored: operation({
		method: "POST",
		path: "/sites/{id}/check",
		summary: "Check a stored site, optionally with other settings; streams one step per line",
		permission: "site:manage",
		line: checkStepSchema,
		media: ["application/x-ndjson"],
		input: checkSiteInput.omit({ provider: true }).extend({ id: entityId }),
	}),
	pricePool: operation({
		method: "PUT",
		path: "/sites/{siteId}/pools/{poolId}",
		summary: "Set the hourly GPU price of a pool so that jobs can be placed on it",
		description: '`usdPerGpuHour` is a text such as `"1.90"`.',
		permission: "site:manage",
		example: { usdPerGpuHour: "1.90" },
		output: pricedPoolSchema,
		input: pricePoolInput.extend({ siteId: entityId, poolId: entityId }),
		status: 201,
		write: true,
		procedure: "mutation",
	}),
	queue: operation({
		method: "GET",
		path: "/sites/{id}/queue",
		summary: "List the cluster's own queue and which of its jobs are adopted",
		description: "At most 1,000 jobs, and `total`.",
		permission: "capacity:read",
		output: z.object({ items: z.array(queuedForeignJobSchema), total: z.number(), readAt: instant.nullable(), nextCursor: z.null() }),
		input: byId,
		procedure: "query",
	}),
	nodes: operation({
		method: "GET",
		path: "/sites/{id}/nodes",
		summary: "List the nodes of an owned site, unavailable ones first",
		description:
			"`state` is `ready`, `closed` (drained, cordoned, reserved) or `down`; `reason` is in the cluster's words; `counts` covers all nodes.",
		permission: "capacity:read",
		output: nodePageSchema,
		input: listNodesInput.extend({ id: entityId }),
		procedure: "query",
	}),
};

export const instance = {
	list: operation({
		method: "GET",
		path: "/instances",
		summary: "List cloud instances, newest first",
		description: "`live=1`: those that may still cost money.",
		permission: "instance:read",
		example: { live: true },
		output: pageOf(instanceSchema),
		wire: { job: "jobId" },
		input: listInstancesInput,
		procedure: "query",
	}),
};

export const offer = {
	list: operation({
		method: "GET",
		path: "/offers",
		summary: "List what can be bought, cheapest GPU-hour first",
		description: "`quarantine` says why a price is not trusted.",
		permission: "capacity:read",
		example: { gpus: 8, limit: 20 },
		output: offersPageSchema.extend({ nextCursor: z.null() }),
		input: offersInput,
		procedure: "query",
	}),
	snapshots: operation({
		method: "GET",
		path: "/price-snapshots",
		summary: "List imported list prices, by import, newest first",
		permission: "rates:read",
		output: z.array(priceSnapshotSchema),
		procedure: "query",
	}),
	importPrices: operation({
		method: "PUT",
		path: "/price-snapshots",
		summary: "Import dated list prices of clouds from a CSV file",
		description: "For installations that cannot reach the clouds' price lists ([prices](costs.md#imported-list-prices)).",
		permission: "rates:change",
		input: importPricesInput,
		output: importedPricesSchema,
		example: {
			text: "provider,instance_type,region,capacity_type,usd_per_hour,as_of\naws,p5.48xlarge,us-east-1,on_demand,55.04,2026-11-25\n",
			message: "AWS price list",
		},
		status: 201,
		write: true,
		procedure: "mutation",
	}),
};

export const forecast = {
	demand: operation({
		method: "GET",
		path: "/forecasts/demand",
		summary: "Forecast the GPUs that jobs will want, hour by hour, with ranges and a score",
		description:
			"By `total`, `team`, `class` or `accelerator`, up to 336 `hours` ahead; P10, P50 and P90 ([demand forecast](plan.md#demand-forecast)).",
		permission: "capacity:read",
		example: { groupBy: "team", hours: 24 },
		output: demandForecastSchema,
		input: demandForecastInput,
		procedure: "query",
	}),
	score: operation({
		method: "GET",
		path: "/forecasts/score",
		summary: "Get the accuracy of wait forecasts, overall and by horizon",
		permission: "capacity:read",
		output: forecastScoreSchema.extend({ horizons: z.array(horizonScoreSchema), quotes: forecastScoresSchema }),
		procedure: "query",
	}),
};

export const overview = {
	moneyAtRisk: operation({
		method: "GET",
		path: "/money-at-risk",
		summary: "List machines that may be running without a job",
		permission: "capacity:read",
		output: z.object({ totalMicroUsd: integerText, items: z.array(riskItemSchema) }),
	}),
};
