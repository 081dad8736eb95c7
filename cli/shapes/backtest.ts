import { z } from "zod";
import { micro } from "./parts.ts";

const backtestSums = z.looseObject({
	jobs: z.number(),
	cloudCostMicroUsd: micro,
	ownedUtilisation: z.number(),
	meanWaitMs: z.number(),
	p95WaitMs: z.number(),
	missedDeadlines: z.number(),
	egressGiB: z.number(),
	emissionsGrams: z.number().nullable(),
	budgets: z.array(z.looseObject({ id: z.string(), periodKey: z.string(), capMicroUsd: micro, postedMicroUsd: micro })),
});

const backtestPlace = z.looseObject({ place: z.string().nullable(), costMicroUsd: micro, explanation: z.string() });

export const backtestShape = z.looseObject({
	id: z.string(),
	state: z.enum(["queued", "running", "done", "failed", "cancelled"]),
	baseVersion: z.number(),
	from: z.string(),
	to: z.string(),
	progressPermille: z.number(),
	error: z.string().nullable(),
	result: z
		.looseObject({
			published: backtestSums,
			draft: backtestSums,
			moved: z.array(z.looseObject({ name: z.string(), team: z.string(), published: backtestPlace, draft: backtestPlace })),
			movedCount: z.number(),
			gaps: z.array(z.string()),
			replaySeconds: z.number(),
		})
		.nullable(),
});

export type BacktestShape = z.infer<typeof backtestShape>;
