import { z } from "zod";
import { REMOVAL_CODES } from "#server/domain/decision.ts";
import { ATTEMPT_STATES, INSTANCE_STATES, JOB_STATES } from "#server/domain/states.ts";

/** What the human output reads of the API's answers. Unknown fields are a newer server's and pass. */
const micro = z.string().regex(/^-?\d+$/);
const time = z.string().nullable();

const placement = z.looseObject({
	siteId: z.string(),
	provider: z.string(),
	region: z.string().nullable(),
	zone: z.string().nullable(),
	capacityType: z.string(),
	instanceType: z.string().nullable(),
	accelerator: z.string().nullable(),
});
const reason = z.looseObject({ code: z.string(), message: z.string() });
const range = z.looseObject({ p50Ms: z.number(), p90Ms: z.number() });

export const jobShape = z.looseObject({
	id: z.string(),
	name: z.string(),
	team: z.string(),
	class: z.string(),
	state: z.enum(JOB_STATES),
	reason,
	priority: z.number(),
	gpus: z.number(),
	placement: placement.nullable(),
	attempts: z.number(),
	submittedAt: z.string(),
	startedAt: time,
	finishedAt: time,
	deadlineAt: time,
	cancelRequestedAt: time,
	forecast: range.nullable(),
	estimateMs: z.number().nullable(),
	costMicroUsd: micro,
	emissionsGrams: z.number(),
});
export type Job = z.infer<typeof jobShape>;

export const instanceShape = z.looseObject({
	id: z.string(),
	provider: z.string(),
	providerInstanceId: z.string().nullable(),
	state: z.enum(INSTANCE_STATES),
	region: z.string(),
	zone: z.string().nullable(),
	instanceType: z.string(),
	gpus: z.number(),
	capacityType: z.string(),
	microUsdPerHour: micro,
	jobId: z.string(),
	jobName: z.string(),
	intendedAt: z.string(),
	terminatedAt: time,
	expiresAt: z.string(),
	reason: reason.nullable(),
	costMicroUsd: micro,
});

export const jobDetailShape = jobShape.extend({
	spec: z.looseObject({
		command: z.array(z.string()),
		nodes: z.number(),
		duration: z.looseObject({ estimateMs: z.number().nullable(), maxMs: z.number().nullable() }),
	}),
	submittedBy: z.string(),
	attemptList: z.array(
		z.looseObject({
			number: z.number(),
			state: z.enum(ATTEMPT_STATES),
			placement,
			slots: z.array(z.number()),
			createdAt: z.string(),
			startedAt: time,
			finishedAt: time,
			reason: reason.nullable(),
			exitCode: z.number().nullable(),
			logLines: z.number(),
		}),
	),
	instances: z.array(instanceShape),
	checkpoints: z.array(z.looseObject({ createdAt: z.string(), bytes: z.number(), completedMs: z.number() })),
});
export type JobDetail = z.infer<typeof jobDetailShape>;

export const pageOf = <T extends z.ZodType>(item: T) => z.looseObject({ items: z.array(item), nextCursor: z.string().nullable() });

export const submittedShape = z.looseObject({ id: z.string(), state: z.string(), name: z.string() });
export const submittedBatchShape = z.looseObject({ items: z.array(z.looseObject({ id: z.string() })) });

export const logLineShape = z.looseObject({ number: z.number(), at: z.string(), stream: z.string(), text: z.string() });
export const logPageShape = z.looseObject({
	attempt: z.number().nullable(),
	attempts: z.number(),
	lines: z.array(logLineShape),
	total: z.number(),
});
export const followedShape = z.union([z.looseObject({ end: z.literal(true) }), logLineShape.extend({ attempt: z.number() })]);

const removal = z.looseObject({
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
	totalMicroUsd: micro,
	worstCaseMicroUsd: micro,
	emissionsGrams: z.number().nullable(),
	outcome: z.enum(["chosen", "passes", "removed"]),
	removedBy: removal.nullable(),
});
export type CandidateShape = z.infer<typeof candidate>;

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

export const quoteShape = explanationShape.extend({
	gpus: z.number(),
	queue: z.looseObject({ jobs: z.number(), gpus: z.number() }),
	runTime: z.looseObject({ p50Ms: z.number(), p90Ms: z.number() }),
	forecastScore: z.looseObject({ count: z.number(), p50Covered: z.number(), p90Covered: z.number() }).nullable(),
	budgetFree: z.looseObject({ budgetId: z.string(), freeMicroUsd: micro, capMicroUsd: micro }).nullable(),
});

export const budgetShape = z.looseObject({
	id: z.string(),
	scope: z.string(),
	period: z.string(),
	periodEndMs: z.number(),
	atCap: z.string(),
	capMicroUsd: micro,
	postedMicroUsd: micro,
	heldMicroUsd: micro,
	freeMicroUsd: micro,
});

export const siteShape = z.looseObject({
	id: z.string(),
	name: z.string(),
	provider: z.string(),
	enabled: z.boolean(),
	healthy: z.boolean(),
	healthMessage: z.string().nullable(),
	lastSeenAt: time,
	gpusBusy: z.number(),
	gpusTotal: z.number().nullable(),
	instancesLive: z.number(),
	burnMicroUsdPerHour: micro,
	regions: z.array(z.string()),
	pools: z.array(z.looseObject({ accelerator: z.string(), gpus: z.number() })),
});

const sums = {
	ownedMicroUsd: micro,
	idleMicroUsd: micro,
	cloudMicroUsd: micro,
	totalMicroUsd: micro,
	gpuMs: micro,
	emissionsMilligrams: micro,
};
export const spendShape = z.looseObject({
	fromMs: z.number(),
	toMs: z.number(),
	groupBy: z.string(),
	items: z.array(z.looseObject({ key: z.string(), ...sums })),
	totals: z.looseObject(sums),
});

export const policyShape = z.looseObject({
	name: z.string(),
	version: z.number(),
	source: z.string(),
	author: z.string(),
	message: z.string(),
	publishedAt: z.string(),
});

export const riskShape = z.looseObject({
	totalMicroUsd: micro,
	items: z.array(z.looseObject({ instanceId: z.string(), jobId: z.string(), why: z.string(), sinceMs: z.number(), microUsd: micro })),
});

const receiptSums = z.looseObject({
	gpuMs: micro,
	costMicroUsd: micro,
	listMicroUsd: micro,
	energyMilliWh: micro,
	emissionsMilligrams: micro.nullable(),
});
export const receiptShape = z.looseObject({
	attempts: z.array(
		z.looseObject({
			number: z.number(),
			state: z.string(),
			placement,
			lines: z.array(receiptSums.extend({ kind: z.string(), fromMs: z.number(), toMs: z.number(), status: z.string() })),
		}),
	),
	totals: receiptSums,
	alternatives: z.array(
		z.looseObject({
			way: z.string(),
			placement,
			costMicroUsd: micro,
			cashMicroUsd: micro,
			startP50Ms: z.number(),
			removedBy: removal.nullable(),
		}),
	),
});
