import { z } from "zod";
import { REMOVAL_CODES } from "#server/domain/decision.ts";
import { STATEMENT_LINES } from "#server/domain/statement.ts";
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
	rank: z.number(),
	exitCode: z.number().nullable(),
	team: z.string(),
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
	storageMicroUsd: micro.optional(),
	totalMicroUsd: micro,
	worstCaseMicroUsd: micro,
	emissionsGrams: z.number().nullable(),
	outcome: z.enum(["chosen", "passes", "removed"]),
	removedBy: removal.nullable(),
});
/** Chance that the deadline is missed there, 0 to 1; absent where nobody asked, null without a deadline. */
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
	forecast: z.looseObject({ lowMicroUsd: micro, expectedMicroUsd: micro, highMicroUsd: micro }).nullable(),
});

export const budgetDetailShape = budgetShape.extend({
	periodKey: z.string(),
	sentence: z.string(),
	machines: z.number(),
	teams: z.array(z.looseObject({ team: z.string(), postedMicroUsd: micro })),
	otherTeamsMicroUsd: micro,
	jobs: z.array(z.looseObject({ jobId: z.string(), name: z.string(), team: z.string(), state: z.string(), postedMicroUsd: micro })),
});

const capChange = { fromMicroUsd: micro, toMicroUsd: micro };
export const capChangedShape = z.discriminatedUnion("kind", [
	z.looseObject({ kind: z.literal("changed"), policyVersion: z.number(), ...capChange }),
	z.looseObject({ kind: z.literal("proposed"), proposalId: z.string(), ...capChange }),
]);

export const queueShape = z.looseObject({
	items: z.array(
		z.looseObject({
			id: z.string(),
			name: z.string(),
			user: z.string(),
			partition: z.string(),
			state: z.string(),
			waitingReason: z.string().nullable(),
			gpus: z.number(),
			submittedAt: z.string().nullable(),
			startedAt: z.string().nullable(),
			adoption: z.looseObject({ state: z.string(), jobId: z.string() }).nullable(),
			notAdopted: z.array(z.string()),
		}),
	),
	total: z.number(),
	readAt: z.string().nullable(),
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
	lastSweep: z
		.looseObject({
			atMs: z.number(),
			seen: z.number(),
			owned: z.number(),
			orphans: z.number(),
			failedRegions: z.array(z.looseObject({ region: z.string() })),
		})
		.nullable()
		.default(null),
	lastOrphanAt: time.default(null),
});

const offerShape = z.looseObject({
	siteId: z.string(),
	provider: z.string(),
	region: z.string(),
	zone: z.string().nullable(),
	instanceType: z.string(),
	accelerator: z.string(),
	gpus: z.number(),
	capacityType: z.string(),
	microUsdPerHour: micro.nullable(),
	microUsdPerGpuHour: micro.nullable(),
	priceObservedAt: z.string(),
	priceStale: z.boolean(),
	priceSource: z.string(),
	quarantine: z.string().nullable().default(null),
	reservedFree: z.number().nullish(),
	quota: z.looseObject({ name: z.string(), limit: z.number(), used: z.number(), gpusFree: z.number() }).nullish(),
	backoffUntil: time,
	backoffReason: z.string().nullable(),
});
export type OfferShape = z.infer<typeof offerShape>;
export const offerPageShape = z.looseObject({ items: z.array(offerShape), total: z.number() });

export const checkStepShape = z.looseObject({ title: z.string(), outcome: z.string(), found: z.string(), fix: z.string().nullable() });

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

const carbonSums = {
	gpuMs: micro,
	energyMilliWh: micro,
	measuredEnergyMilliWh: micro,
	hourlyGridMilliWh: micro,
	operationalMilligrams: micro,
	embodiedMilligrams: micro,
	totalMilligrams: micro,
	marketMilligrams: micro,
	emissionsUnknownGpuMs: micro,
	marketUnknownGpuMs: micro,
	embodiedUnknownGpuMs: micro,
};
export const carbonShape = z.looseObject({
	fromMs: z.number(),
	toMs: z.number(),
	groupBy: z.string(),
	items: z.array(z.looseObject({ key: z.string(), ...carbonSums })),
	totals: z.looseObject(carbonSums),
});

export const importedIntensityShape = z.looseObject({
	zones: z.array(z.looseObject({ zone: z.string(), hours: z.number(), fromMs: z.number(), toMs: z.number() })),
	added: z.number(),
	replaced: z.number(),
	kept: z.number(),
	unchanged: z.number(),
	note: z.string(),
});

export const jobSpendShape = z.looseObject({
	fromMs: z.number(),
	toMs: z.number(),
	items: z.array(
		z.looseObject({
			...{ key: z.string(), name: z.string(), team: z.string(), state: z.string() },
			...{ totalMicroUsd: micro, gpuMs: micro, emissionsMilligrams: micro },
		}),
	),
	nextCursor: z.string().nullable(),
});

export const chargesShape = z.looseObject({
	fromMs: z.number(),
	toMs: z.number(),
	items: z.array(
		z.looseObject({
			id: z.string(),
			periodStartMs: z.number(),
			periodEndMs: z.number(),
			dimensions: z.looseObject({ team: z.string(), region: z.string(), provider: z.string(), capacityType: z.string(), kind: z.string() }),
			cause: z.looseObject({ kind: z.string(), id: z.string() }),
			jobName: z.string().nullable(),
			gpuMs: micro,
			effectiveMicroUsd: micro,
			billedMicroUsd: micro,
		}),
	),
	nextCursor: z.string().nullable(),
	totals: z.looseObject({ charges: micro, effectiveMicroUsd: micro, billedMicroUsd: micro, gpuMs: micro }),
});

export const refundShape = z.looseObject({ chargeId: z.string(), refundedMicroUsd: micro, leftMicroUsd: micro });

export const policyShape = z.looseObject({
	name: z.string(),
	version: z.number(),
	source: z.string(),
	author: z.string(),
	message: z.string(),
	publishedAt: z.string(),
	warnings: z
		.array(z.looseObject({ severity: z.string(), line: z.number(), column: z.number(), message: z.string(), fix: z.string().nullable() }))
		.default([]),
});

const rateCardShape = z.looseObject({
	effectiveFrom: z.string(),
	card: z.looseObject({ assets: z.array(z.unknown()) }),
	message: z.string(),
	author: z.string(),
	createdAt: z.string(),
});

export const poolRatesShape = z.looseObject({
	siteId: z.string(),
	poolId: z.string(),
	accelerator: z.string(),
	gpus: z.number(),
	flatMicroUsdPerGpuHour: micro,
	current: rateCardShape.nullable(),
	month: z
		.looseObject({
			depreciationMicroUsd: micro,
			rackMicroUsd: micro,
			networkMicroUsd: micro,
			supportMicroUsd: micro,
			staffMicroUsd: micro,
			busyMicroUsdPerGpuHour: micro,
			idleMicroUsdPerGpuHour: micro,
		})
		.nullable(),
	history: z.array(rateCardShape),
});

export const rateCardSetShape = z.looseObject({
	id: z.string(),
	effectiveFrom: z.string(),
	corrections: z.number(),
	correctedMicroUsd: micro,
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
	marketEmissionsMilligrams: micro.nullable(),
	embodiedMilligrams: micro.nullable(),
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
	carbon: z.looseObject({ milligramsPerGpuHour: micro.nullable(), milligramsPerJob: micro.nullable() }),
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

export const importShape = z.looseObject({
	kind: z.string(),
	documents: z.array(z.record(z.string(), z.unknown())),
	findings: z.array(
		z.looseObject({ line: z.number(), kind: z.enum(["carried", "changed", "dropped", "question"]), subject: z.string(), text: z.string() }),
	),
	questions: z.number(),
});

const statementSums = z.looseObject({ effectiveMicroUsd: micro, gpuMs: micro });
const statementRow = z.looseObject({ sums: statementSums, previous: statementSums.nullable() });
export const statementShape = z.looseObject({
	state: z.string(),
	changedSince: z.looseObject({ deltaMicroUsd: micro, charges: z.number() }).nullable(),
	shown: z
		.looseObject({
			version: z.number(),
			sha256: z.string(),
			closedAt: z.string(),
			closedBy: z.string(),
			signatures: z.array(z.looseObject({ name: z.string(), signedAt: z.string() })),
		})
		.nullable(),
	content: z.looseObject({
		month: z.string(),
		team: z.string(),
		totals: statementSums,
		previousTotals: statementSums.nullable(),
		lines: z.array(statementRow.extend({ key: z.enum(STATEMENT_LINES).or(z.string()) })),
		savings: z.array(z.looseObject({ key: z.string(), microUsd: micro.nullable(), hours: z.string().nullable(), reckoned: z.string() })),
		waste: z.array(z.looseObject({ key: z.string(), microUsd: micro, gpuMs: micro })),
	}),
});
export type StatementShape = z.infer<typeof statementShape>;

export const billShape = z.looseObject({
	id: z.string(),
	fileName: z.string(),
	sha256: z.string(),
	focusVersion: z.string(),
	providers: z.array(z.string()),
	months: z.array(z.string()),
	rows: z.number(),
	repeatedRows: z.number(),
	billedMicroUsd: micro,
	importedAt: z.string(),
	importedBy: z.string(),
	reconciledAt: time,
});
export type BillShape = z.infer<typeof billShape>;
export const importedBillShape = z.looseObject({ bill: billShape, alreadyImported: z.boolean() });

const reconciled = { estimatedMicroUsd: micro, billedMicroUsd: micro, adjustedMicroUsd: micro };
export const reconciliationShape = z.looseObject({
	month: z.string(),
	providers: z.array(
		z.looseObject({ provider: z.string(), ...reconciled, unexplainedMicroUsd: micro, resources: z.record(z.string(), z.number()) }),
	),
	items: z.array(z.looseObject({ resourceId: z.string(), instanceId: z.string().nullable(), state: z.string(), ...reconciled })),
});

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
