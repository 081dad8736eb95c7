import { z } from "zod";
import { DATA_LIMITS, dataSetFields, dataStoreFields, isReadableThere, UNREADABLE_STORE } from "#server/domain/data-set.ts";

export const dataSetInput = z.strictObject(dataSetFields);

export const dataStoreInput = z.strictObject(dataStoreFields).refine(isReadableThere, UNREADABLE_STORE);

export const dataSetsInput = z
	.strictObject({
		items: z.array(dataSetInput).max(DATA_LIMITS.sets),
		stores: z
			.array(dataStoreInput)
			.max(DATA_LIMITS.stores)
			.refine((stores) => new Set(stores.map((s) => s.at)).size === stores.length, "two stores are at one place")
			.optional(),
	})
	.refine(({ items }) => new Set(items.map((d) => d.uri)).size === items.length, { path: ["items"], message: "has a duplicate data set" });
