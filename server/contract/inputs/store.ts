import { z } from "zod";
import { name } from "#server/domain/schema/values.ts";
import { storeConfigSchema } from "#server/domain/store.ts";

export const addStoreInput = z.strictObject({
	team: name(),
	name: name(),
	config: storeConfigSchema,
	/** Checked by the store's kind: server/domain/store.ts, STORE_SECRETS. */
	secret: z.record(z.string(), z.string()).optional(),
	isDefault: z.boolean().default(true),
	usdPerGiBMonth: z.number().min(0).max(100).optional(),
	/** Write, read and delete a small file first. */
	check: z.boolean().default(true),
});

export const changeStoreInput = z.strictObject({ id: z.string().min(1).max(64), isDefault: z.boolean() });

export const setStorageInput = z.strictObject({
	team: name(),
	quotaGiB: z.number().positive().max(1e9).nullable(),
	keepDays: z.number().int().min(1).max(36_500).nullable(),
});
