import { z } from "zod";

/** What jobs and their GPU time are grouped by. */
export const PERFORMANCE_GROUPS = ["team", "project", "class", "accelerator", "capacityType", "site", "day", "month"] as const;
export type PerformanceGroup = (typeof PERFORMANCE_GROUPS)[number];

const range = { fromMs: z.number().int().optional(), toMs: z.number().int().optional() };

/** UTC ms; default: the last 30 days by team. */
export const performanceInput = z.strictObject({ ...range, groupBy: z.enum(PERFORMANCE_GROUPS).default("team") });

/** Readings of one node at home. `text`: DCGM exporter's metrics, or nvidia-smi's CSV. */
export const gpuUseInput = z.strictObject({
	id: z.string().min(1).max(64),
	node: z
		.string()
		.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/, "must be a node's name")
		.meta({ description: "The node's name" }),
	text: z.string().min(1).max(1_000_000),
});
