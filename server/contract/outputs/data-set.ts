import { z } from "zod";

export const storedCopySchema = z
	.object({
		uri: z.string(),
		at: z.string(),
		asOfMs: z.number().nullable(),
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
					}),
				),
			}),
		),
		stores: z.array(
			z.object({
				at: z.string(),
				uri: z.string(),
				writeUri: z.string().optional(),
			}),
		),
		stored: z.array(storedCopySchema),
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
