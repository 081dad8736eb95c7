import { z } from "zod";
import { INSTANCE_STATES } from "#server/domain/states.ts";
import { micro, reason, time } from "./parts.ts";

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
	fencedAt: time,
	expiresAt: z.string(),
	reason: reason.nullable(),
	costMicroUsd: micro,
});

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
	pools: z.array(z.looseObject({ accelerator: z.string(), gpus: z.number(), speed: z.number().default(1) })),
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

export const nodesShape = z.looseObject({
	items: z.array(
		z.looseObject({
			...{ name: z.string(), poolId: z.string().nullable(), state: z.string(), reason: z.string().nullable() },
			...{ gpus: z.number(), gpusUsed: z.number() },
		}),
	),
	nextCursor: z.string().nullable(),
	counts: z.looseObject({ ready: z.number(), closed: z.number(), down: z.number() }),
});

export const checkStepShape = z.looseObject({ title: z.string(), outcome: z.string(), found: z.string(), fix: z.string().nullable() });

export const riskShape = z.looseObject({
	totalMicroUsd: micro,
	items: z.array(
		z.looseObject({
			...{ instanceId: z.string(), jobId: z.string().nullable(), why: z.string(), sinceMs: z.number() },
			...{ microUsd: micro.nullable(), isEstimate: z.boolean().default(false) },
		}),
	),
});
