import { z } from "zod";
import { integerText } from "../parts.ts";

export const storedCopySchema = z
	.object({
		uri: z.string(),
		at: z.string(),
		team: z.string().nullable().meta({ description: "Team of the job that last requested it." }),
		bytes: z.number().nullable().meta({ description: "Size in the store." }),
		microUsdPerMonth: integerText.nullable().meta({ description: "Storage cost per month at the store's price; null: not known." }),
		usedAtMs: z.number().meta({ description: "When a job last requested it." }),
		deletedAtMs: z
			.number()
			.nullable()
			.meta({ description: "When it is deleted, unless a job requests it; null while a live job names it." }),
		asOfMs: z.number().nullable().meta({ description: "Time of the data that it contains completely." }),
		from: z
			.string()
			.nullable()
			.meta({ description: "Place that it is copied from; null: copied by an earlier release, from an owned site." }),
		copying: z.boolean(),
		error: z.string().nullable(),
	})
	.meta({ id: "StoredCopy" });

const siteCacheSchema = z
	.object({
		at: z.string().meta({ description: "Id of an owned site." }),
		limitGiB: z.number().nullable().meta({ description: "Size limit; null: sets are deleted after 7 days without use." }),
		sets: z.array(z.object({ uri: z.string(), bytes: z.number(), usedAtMs: z.number() })).meta({ description: "Listed data sets." }),
		otherSets: z.number().meta({ description: "Data sets that are not listed." }),
		otherBytes: z.number(),
	})
	.meta({ id: "DataCache" });

const sharedSetSchema = z
	.object({
		uri: z.string(),
		at: z.string().meta({ description: "Place of the store." }),
		jobs: z.number().meta({ description: "Jobs that read it there from elsewhere in the last 30 days." }),
		egressMicroUsd: z.number().meta({ description: "Egress of these reads, as held." }),
		savedMicroUsd: z.number().meta({ description: "Egress that a copy would save while it is fresh, for at most 30 days." }),
		costMicroUsd: z.number().nullable().meta({ description: "Egress and storage of the copy in that time; null: no storage price." }),
		isWorth: z.boolean(),
		share: z.boolean().meta({ description: "Whether the store makes such copies by itself." }),
		team: z.string().meta({ description: "Pays for the egress of the copy." }),
	})
	.meta({ id: "SharedDataSet" });

export const dataSetsSchema = z
	.object({
		items: z.array(
			z.object({
				uri: z.string(),
				copies: z.array(
					z.object({
						at: z.string(),
						uri: z.string(),
						readUri: z.string().optional(),
					}),
				),
				freshDays: z.number().optional(),
			}),
		),
		stores: z.array(
			z.object({
				at: z.string(),
				uri: z.string(),
				writeUri: z.string().optional(),
				usdPerGiBMonth: z.number().optional(),
				share: z.boolean().optional(),
			}),
		),
		stored: z.array(storedCopySchema),
		cached: z
			.array(z.object({ at: z.string().meta({ description: "Id of an owned site." }), uris: z.array(z.string()) }))
			.meta({ description: "Listed data sets in the caches of owned sites, at most about a minute old." }),
		caches: z.array(siteCacheSchema),
		sharing: z.array(sharedSetSchema),
		inbound: z.array(
			z.object({
				from: z.string(),
				place: z.string(),
				mibPerS: z.number(),
				lowMiBPerS: z.number(),
				highMiBPerS: z.number(),
				transfers: z.number(),
				newestAtMs: z.number().nullable(),
			}),
		),
	})
	.meta({ id: "DataSets" });
