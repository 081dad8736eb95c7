import path from "node:path";
import { z } from "zod";
import { NODE_STATES } from "#server/domain/cluster-node.ts";
import { INSTANCE_STATES } from "#server/domain/states.ts";
import { PROVIDERS } from "#server/domain/vocabulary.ts";

export const listNodesInput = z.strictObject({
	state: z.array(z.enum(NODE_STATES)).max(NODE_STATES.length).default([]),
	cursor: z.string().max(512).optional(),
	limit: z.number().int().min(1).max(500).default(50),
});

export const listInstancesInput = z.strictObject({
	state: z.array(z.enum(INSTANCE_STATES)).max(10).default([]),
	/** true: only machines that may still cost money. */
	live: z.boolean().default(false),
	jobId: z.string().max(64).optional(),
	cursor: z.string().max(256).optional(),
	limit: z.number().int().min(1).max(500).default(100),
});

/** Where a site's credentials are. `values` are written and never read again. */
export const credentialsInput = z.discriminatedUnion("kind", [
	z.strictObject({ kind: z.literal("chain") }),
	z.strictObject({ kind: z.literal("stored"), values: z.record(z.string(), z.unknown()) }),
	z.strictObject({
		kind: z.literal("file"),
		path: z.string().max(1_000).refine(path.isAbsolute, "must be an absolute path on the hosts of Spillway's servers"),
	}),
	z.strictObject({
		kind: z.literal("environment"),
		name: z.string().regex(/^SPILLWAY_SITE_[A-Z0-9_]{1,64}$/, "must be a variable named SPILLWAY_SITE_…"),
	}),
]);

const settings = z.record(z.string(), z.unknown());

export const name = z.string().trim().min(1, "give it a name").max(80);

export const addSiteInput = z.strictObject({
	/** Part of URLs and of every charge. Never changes. */
	id: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, "small letters, digits and -, at most 32, a letter first"),
	name,
	provider: z.enum(PROVIDERS),
	settings,
	credentials: credentialsInput.default({ kind: "chain" }),
});

/** Omitted fields stay unchanged. */
export const changeSiteInput = z.strictObject({
	name: name.optional(),
	settings: settings.optional(),
	credentials: credentialsInput.optional(),
	enabled: z.boolean().optional(),
});

/** A draft to check: a new site, or changes to a stored one. Omitted settings and credentials keep their values. */
export const checkSiteInput = z.strictObject({
	id: z.string().min(1).max(64).optional(),
	provider: z.enum(PROVIDERS).optional(),
	settings: settings.optional(),
	credentials: credentialsInput.optional(),
});

/** More than any GPU-hour costs, to catch a misplaced decimal point. */
const USD_MAX = 1_000;

export const pricePoolInput = z.strictObject({
	/** Fully loaded hourly cost of one busy GPU, in dollars. A rate card may refine it later. */
	usdPerGpuHour: z
		.string()
		.regex(/^\d{1,4}(\.\d{1,6})?$/, "an amount in dollars, such as 1.90")
		.refine((text) => Number(text) > 0 && Number(text) <= USD_MAX, `above 0 and at most ${USD_MAX}`),
	/** Power of one busy GPU and its share of the node, W. Default: the shipped board power. */
	wattsPerGpu: z.number().int().min(1).max(5_000).optional(),
});

export const importPricesInput = z.strictObject({
	/** CSV with the columns provider, instance_type, region, capacity_type, usd_per_hour and as_of. */
	text: z.string().min(1),
	/** Where the prices were published; shown with each offer. */
	message: z.string().trim().min(1).max(200),
});

export const offersInput = z.strictObject({
	/** Minimum GPUs per machine. */
	gpus: z.number().int().min(1).max(16).default(1),
	accelerator: z.string().max(64).optional(),
	region: z.string().max(64).optional(),
	capacity: z.enum(["spot", "on_demand", "reserved"]).optional(),
	limit: z.number().int().min(1).max(500).default(25),
});
