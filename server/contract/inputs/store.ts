import { z } from "zod";
import { name } from "#server/domain/schema/values.ts";
import { storeConfigSchema, usdPerGiBSchema } from "#server/domain/store.ts";

export const addStoreInput = z.strictObject({
	team: name(),
	name: name(),
	config: storeConfigSchema,
	/** Validated per kind of store: server/domain/store.ts, STORE_SECRETS. */
	secret: z.record(z.string(), z.string()).optional(),
	isDefault: z.boolean().default(true),
	usdPerGiBMonth: usdPerGiBSchema.optional(),
	usdPerGiBEgress: usdPerGiBSchema.optional(),
	/** Write, read and delete a small file first. */
	check: z.boolean().default(true),
});

/** Omitted fields keep their values. */
export const updateStoreInput = z.strictObject({
	config: storeConfigSchema.optional(),
	/** Replaces the stored credentials. Validated per kind of store: server/domain/store.ts, STORE_SECRETS. */
	secret: z.record(z.string(), z.string()).optional(),
});

/** Dollars with at most six decimals; null: no price. */
const price = z
	.string()
	.regex(/^\d{1,3}(\.\d{1,6})?$/, "must be an amount of dollars with at most six decimals, such as 0.023")
	.nullable();

export const storePriceInput = z.strictObject({
	/** A store's id, or `embedded`. */
	id: z.string().min(1).max(64),
	usdPerGiBMonth: price,
	usdPerGiBEgress: price,
});

export const changeStoreInput = z.strictObject({ id: z.string().min(1).max(64), isDefault: z.boolean() });

export const setStorageInput = z.strictObject({
	team: name(),
	quotaGiB: z.number().positive().max(1e9).nullable(),
	keepDays: z.number().int().min(1).max(36_500).nullable(),
});
