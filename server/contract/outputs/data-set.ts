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
			}),
		),
		stores: z.array(
			z.object({
				at: z.string(),
				uri: z.string(),
				writeUri: z.string().optional(),
				usdPerGiBMonth: z.number().optional(),
			}),
		),
		stored: z.array(storedCopySchema),
		cached: z
			.array(z.object({ at: z.string().meta({ description: "Id of an owned site." }), uris: z.array(z.string()) }))
			.meta({ description: "Listed data sets in the caches of owned sites, at most about a minute old." }),
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
