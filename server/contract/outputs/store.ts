import { z } from "zod";
import { STORE_KINDS } from "#server/domain/store.ts";
import { integerText } from "../parts.ts";

export const storePriceSchema = z
	.object({
		microUsdPerGiBMonth: integerText.nullable().meta({ description: "Per GiB and calendar month; null: no price is set." }),
		microUsdPerGiBEgress: integerText.nullable().meta({ description: "Per GiB that leaves the store; null: no price is set." }),
		effectiveFrom: z.string().nullable().meta({ description: "Since when it holds; null: no price was ever set." }),
	})
	.meta({ id: "StorePrice" });

export const storeSchema = z
	.object({
		id: z.string(),
		team: z.string(),
		name: z.string(),
		kind: z.enum(STORE_KINDS),
		address: z.string(),
		place: z.string().nullable().meta({ description: "Region or owned site; null when it was not entered." }),
		isDefault: z.boolean().meta({ description: "New results and checkpoints of the team go here." }),
		direct: z.boolean().meta({ description: "Machines exchange bytes with the store; otherwise through the control plane." }),
		price: storePriceSchema,
		createdAt: z.string(),
		checkedAt: z.string().nullable(),
		problem: z.string().nullable().meta({ description: "What failed in the latest check." }),
	})
	.meta({ id: "Store" });

export const storageSchema = z.object({
	stores: z.array(storeSchema),
	embeddedPrice: storePriceSchema,
	teams: z.array(
		z.object({
			team: z.string(),
			bytes: z.number().int(),
			results: z.number().int(),
			quotaGiB: z.number().nullable(),
			keepDays: z.number().nullable(),
		}),
	),
});

export const storeCheckSchema = z.object({
	steps: z.array(z.object({ title: z.string(), problem: z.string().nullable() })),
	problem: z.string().nullable(),
});
