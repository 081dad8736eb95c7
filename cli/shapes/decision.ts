import { z } from "zod";
import { REMOVAL_CODES } from "#server/domain/decision.ts";
import { micro, placement, range, reason } from "./parts.ts";

export const removal = z.looseObject({
	ruleId: z.string().nullable(),
	// A newer server may know more causes; its code is then shown as it is.
	why: z.enum(REMOVAL_CODES).or(z.string()),
	facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
});

const candidate = z.looseObject({
	placement,
	instances: z.number(),
	hourlyMicroUsd: micro,
	start: range,
	finish: range,
	egressMicroUsd: micro,
	storageMicroUsd: micro.optional(),
	totalMicroUsd: micro,
	worstCaseMicroUsd: micro,
	emissionsGrams: z.number().nullable(),
	outcome: z.enum(["chosen", "passes", "removed"]),
	removedBy: removal.nullable(),
});

/** Chance that the deadline is missed there, 0 to 1; absent where no one asked, null without a deadline. */
const deadlineRisk = z.number().nullable().optional();

export type CandidateShape = z.infer<typeof candidate> & { deadlineRisk?: number | null | undefined };

export const explanationShape = z.looseObject({
	decidedAtMs: z.number(),
	policy: z.looseObject({ name: z.string(), version: z.number() }),
	outcome: z.string(),
	reason,
	homeStart: range.nullable(),
	candidates: z.array(candidate),
	removed: z.array(removal.omit({ facts: true }).extend({ count: z.number(), cheapest: candidate })),
	consideredCount: z.number(),
});

export type ExplanationShape = z.infer<typeof explanationShape>;

const suggestions = z.array(z.looseObject({ sentence: z.string() })).default([]);

export const quoteShape = explanationShape.extend({
	candidates: z.array(candidate.extend({ deadlineRisk })),
	expected: z.looseObject({ placement, start: range, cashMicroUsd: micro, deadlineRisk }).nullable().default(null),
	suggestions,
	approval: z.looseObject({ ruleId: z.string(), sentence: z.string() }).nullable().default(null),
	gpus: z.number(),
	queue: z.looseObject({ jobs: z.number(), gpus: z.number() }),
	runTime: z.looseObject({ p50Ms: z.number(), p90Ms: z.number() }),
	forecastScore: z.looseObject({ count: z.number(), p50Covered: z.number(), p90Covered: z.number() }).nullable(),
	quoteScore: z.looseObject({ count: z.number(), p50Covered: z.number(), p90Covered: z.number() }).nullable().default(null),
	electricity: z
		.array(z.looseObject({ siteId: z.string(), hours: z.number(), hoursPriced: z.number(), sources: z.array(z.string()) }))
		.default([]),
	budgetFree: z.looseObject({ budgetId: z.string(), freeMicroUsd: micro, capMicroUsd: micro }).nullable(),
});

export const waitingShape = z.looseObject({
	waits: z.boolean(),
	reason,
	changes: z.array(z.looseObject({ by: z.string(), sentence: z.string() })),
	suggestions,
});

const digest = z.looseObject({ bytes: z.number(), sha256: z.string() });

export const replayShape = z.looseObject({
	decisionId: z.string(),
	decidedAtMs: z.number(),
	policy: z.looseObject({ name: z.string(), version: z.number() }),
	same: z.boolean(),
	recorded: digest,
	replayed: digest,
	difference: z.looseObject({ path: z.string(), recorded: z.string(), replayed: z.string() }).nullable(),
	input: z.looseObject({ pending: z.number(), running: z.number(), offers: z.number() }),
});
