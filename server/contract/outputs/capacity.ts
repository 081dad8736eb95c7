import { z } from "zod";
import { NODE_STATES } from "#server/domain/cluster-node.ts";
import { ADOPTION_STATES } from "#server/domain/states.ts";
import { CAPACITY_TYPES, PROVIDERS } from "#server/domain/vocabulary.ts";
import { instant, integerText } from "../parts.ts";
import { forecastScoreSchema } from "./shared.ts";

export const slotSchema = z
	.object({
		slot: z.number(),
		state: z.enum(["busy", "free", "unavailable"]),
		jobId: z.string().nullable(),
		jobName: z.string().nullable(),
		team: z.string().nullable(),
	})
	.meta({ id: "Slot" });

export const poolDetailSchema = z
	.object({
		id: z.string(),
		accelerator: z.string(),
		nodes: z.number(),
		nodesToCome: z.number(),
		noneComes: z.boolean(),
		gpusPerNode: z.number(),
		gpus: z.number(),
		busy: z.number(),
		unavailable: z.number(),
		microUsdPerGpuHour: integerText,
		speed: z.number(),
		slots: z.array(slotSchema),
		holders: z.array(
			z.object({
				jobId: z.string(),
				jobName: z.string(),
				team: z.string(),
				slots: z.array(z.number()),
			}),
		),
	})
	.meta({ id: "PoolDetail" });

export const sweptStraySchema = z
	.object({
		providerInstanceId: z.string(),
		region: z.string(),
		instanceType: z.string(),
		zone: z.string().nullable().optional(),
		capacityType: z.enum(CAPACITY_TYPES).optional(),
		launchedAtMs: z.number().optional(),
		sinceMs: z.number(),
		goneMs: z.number().nullable(),
	})
	.meta({ id: "SweptStray" });

export const sweepRecordSchema = z
	.object({
		atMs: z.number(),
		regions: z.array(z.string()),
		failedRegions: z.array(
			z.object({
				region: z.string(),
				message: z.string(),
				sinceMs: z.number().optional(),
			}),
		),
		seen: z.number(),
		owned: z.number(),
		orphans: z.number(),
		strays: z.array(sweptStraySchema).optional(),
	})
	.meta({ id: "SweepRecord" });

export const siteSchema = z
	.object({
		id: z.string(),
		name: z.string(),
		provider: z.enum(PROVIDERS),
		kind: z.enum(["owned", "cloud"]),
		enabled: z.boolean(),
		healthy: z.boolean(),
		healthMessage: z.string().nullable(),
		lastSeenAt: instant.nullable(),
		gpusBusy: z.number(),
		gpusTotal: z.number().nullable(),
		instancesLive: z.number(),
		burnMicroUsdPerHour: integerText,
		regions: z.array(z.string()),
		pools: z.array(poolDetailSchema),
		lastSweep: sweepRecordSchema.nullable(),
		lastOrphanAt: instant.nullable(),
	})
	.meta({ id: "Site" });

export const credentialSourceSchema = z
	.discriminatedUnion("kind", [
		z.object({
			kind: z.literal("chain"),
		}),
		z.object({
			kind: z.literal("stored"),
		}),
		z.object({
			kind: z.literal("file"),
			path: z.string(),
		}),
		z.object({
			kind: z.literal("environment"),
			name: z.string(),
		}),
	])
	.meta({ id: "CredentialSource" });

export const unpricedPoolSchema = z
	.object({
		id: z.string(),
		accelerator: z.string(),
		nodes: z.number(),
		gpusPerNode: z.number(),
		nodesToCome: z.number().optional(),
	})
	.meta({ id: "UnpricedPool" });

export const siteSettingsSchema = z
	.object({
		id: z.string(),
		name: z.string(),
		provider: z.enum(PROVIDERS),
		enabled: z.boolean(),
		healthy: z.boolean(),
		healthMessage: z.string().nullable(),
		lastSeenAt: instant.nullable(),
		settings: z.record(z.string(), z.unknown()),
		credentials: z.object({
			source: credentialSourceSchema,
			changedAt: instant.nullable(),
		}),
		unpricedPools: z.array(unpricedPoolSchema),
	})
	.meta({ id: "SiteSettings" });

export const checkStepSchema = z
	.object({
		id: z.string(),
		title: z.string(),
		outcome: z.enum(["failed", "unknown", "passed", "skipped"]),
		found: z.string(),
		fix: z.string().nullable(),
	})
	.meta({ id: "CheckStep" });

export const siteFieldSchema = z
	.object({
		name: z.string(),
		label: z.string(),
		hint: z.string(),
		input: z.enum(["map", "json", "text", "lines", "text_or_map", "secret", "key_file"]),
		required: z.boolean(),
		placeholder: z.string().optional(),
		options: z.array(z.string()).optional(),
	})
	.meta({ id: "SiteField" });

export const leastRightsSchema = z
	.object({
		title: z.string(),
		language: z.string(),
		text: z.string(),
	})
	.meta({ id: "LeastRights" });

export const siteKindSchema = z
	.object({
		provider: z.enum(PROVIDERS),
		title: z.string(),
		owned: z.boolean(),
		fields: z.array(siteFieldSchema),
		credentialFields: z.array(siteFieldSchema),
		withoutCredentials: z.string().nullable(),
		leastRights: z.array(leastRightsSchema),
		docs: z.string(),
	})
	.meta({ id: "SiteKind" });

export const pricedPoolSchema = z
	.object({
		siteId: z.string(),
		poolId: z.string(),
		accelerator: z.string(),
		nodes: z.number(),
		gpusPerNode: z.number(),
		microUsdPerGpuHour: integerText,
		wattsPerGpu: z.number(),
	})
	.meta({ id: "PricedPool" });

export const queuedForeignJobSchema = z
	.object({
		id: z.string(),
		name: z.string(),
		user: z.string(),
		partition: z.string(),
		poolId: z.string().nullable(),
		state: z.enum(["held", "running", "waiting"]),
		waitingReason: z.string().nullable(),
		nodes: z.number(),
		gpus: z.number(),
		position: z.number().nullable(),
		submittedAt: instant.nullable(),
		startedAt: instant.nullable(),
		timeLimitMs: z.number().nullable(),
		dependsOn: z.string().nullable(),
		optedIn: z.boolean(),
		adoption: z
			.object({
				id: z.string(),
				state: z.enum(ADOPTION_STATES),
				jobId: z.string(),
				why: z.string().nullable(),
				problem: z.string().nullable(),
			})
			.nullable(),
		notAdopted: z.array(z.string()),
	})
	.meta({ id: "QueuedForeignJob" });

export const clusterNodeSchema = z
	.object({
		name: z.string(),
		poolId: z.string().nullable(),
		state: z.enum(NODE_STATES),
		reason: z.string().nullable(),
		gpus: z.number(),
		gpusUsed: z.number(),
	})
	.meta({ id: "ClusterNode" });

export const nodePageSchema = z
	.object({
		items: z.array(clusterNodeSchema),
		nextCursor: z.string().nullable(),
		counts: z.object({
			ready: z.number(),
			closed: z.number(),
			down: z.number(),
		}),
	})
	.meta({ id: "NodePage" });

export const offerDiskSchema = z
	.object({
		type: z.string(),
		gib: z.number(),
		microUsdPerMonth: integerText.nullable(),
		observedAt: instant.nullable(),
		source: z.string(),
	})
	.meta({ id: "OfferDisk" });

export const offerDiscountSchema = z
	.object({
		id: z.string(),
		partsPerMillion: z.number(),
		source: z.string(),
	})
	.meta({ id: "OfferDiscount" });

export const offerQuotaSchema = z
	.object({
		name: z.string(),
		unit: z.enum(["gpus", "cores"]),
		limit: z.number(),
		used: z.number(),
	})
	.meta({ id: "OfferQuota" });

export const offerSchema = z
	.object({
		id: z.string(),
		siteId: z.string(),
		provider: z.enum(PROVIDERS),
		region: z.string(),
		zone: z.string().nullable(),
		instanceType: z.string(),
		accelerator: z.string(),
		gpus: z.number(),
		vcpus: z.number(),
		memoryGiB: z.number(),
		capacityType: z.enum(CAPACITY_TYPES),
		microUsdPerHour: integerText.nullable(),
		microUsdPerGpuHour: integerText.nullable(),
		priceObservedAt: instant,
		priceStale: z.boolean(),
		priceSource: z.string(),
		disk: offerDiskSchema.nullable(),
		quarantine: z.string().nullable(),
		listMicroUsdPerHour: integerText.nullable(),
		discount: offerDiscountSchema.nullable(),
		quota: offerQuotaSchema
			.extend({
				gpusFree: z.number(),
			})
			.nullable(),
		reservedFree: z.number().nullable(),
		commitmentId: z.string().nullable(),
		backoffUntil: z.string().nullable(),
		backoffReason: z.string().nullable(),
		gridGramsPerKwh: z.number().nullable(),
		prices: z.array(
			z.object({
				atMs: z.number(),
				microUsdPerHour: integerText,
			}),
		),
	})
	.meta({ id: "Offer" });

export const priceSnapshotSchema = z
	.object({
		source: z.string(),
		provider: z.string(),
		prices: z.number(),
		/** Days of the oldest and the newest price. */
		from: z.string(),
		to: z.string(),
		importedBy: z.string(),
		importedAt: instant,
	})
	.meta({ id: "PriceSnapshot" });

export const importedPricesSchema = z.object({
	providers: z.array(z.string()),
	from: z.string(),
	to: z.string(),
	added: z.number(),
	replaced: z.number(),
	unchanged: z.number(),
	/** Older than the price imported before, which stays. */
	older: z.number(),
	/** Lines about machines that Spillway has no data of. */
	ignored: z.number(),
});

export const offersPageSchema = z
	.object({
		items: z.array(offerSchema),
		total: z.number(),
		accelerators: z.array(z.string()),
		seenAt: instant.nullable(),
	})
	.meta({ id: "OffersPage" });

export const horizonScoreSchema = forecastScoreSchema
	.extend({
		horizon: z.string(),
		untilMs: z.number().nullable(),
		censored: z.number(),
		open: z.number(),
	})
	.meta({ id: "HorizonScore" });

export const forecastScoresSchema = forecastScoreSchema
	.extend({
		horizons: z.array(horizonScoreSchema),
	})
	.meta({ id: "ForecastScores" });

export const riskItemSchema = z
	.object({
		instanceId: z.string(),
		jobId: z.string().nullable(),
		why: z.enum(["not_seen_gone", "cut_off", "launch_unclear", "past_expiry", "of_nobody"]),
		sinceMs: z.number(),
		microUsd: integerText.nullable(),
		isEstimate: z.boolean(),
	})
	.meta({ id: "RiskItem" });
