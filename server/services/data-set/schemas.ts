import { z } from "zod";
import { dataAddressOf } from "#server/domain/data-address.ts";

/** What data sets have copies where: a list of dataSetInput under this key of `setting`. */
export const DATA_SETS_SETTING = "data_sets";

const uri = z
	.string()
	.trim()
	.min(1)
	.max(1_024)
	.superRefine((text, ctx) => {
		try {
			dataAddressOf(text);
		} catch (error) {
			ctx.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error) });
		}
	});

const dataSetInput = z
	.strictObject({
		/** As jobs name it. */
		uri,
		/** Each place that has it, and its address there. */
		copies: z
			.array(
				z.strictObject({
					/** `provider:region` of a cloud, or the id of an owned site. */
					at: z.string().trim().min(1).max(128),
					uri,
				}),
			)
			.min(1, "name at least one copy, or leave the data set out")
			.max(64),
	})
	.refine(({ copies }) => new Set(copies.map((c) => c.at)).size === copies.length, {
		path: ["copies"],
		message: "two copies are at one place",
	});

export const dataSetsInput = z
	.strictObject({ items: z.array(dataSetInput).max(2_000) })
	.refine(({ items }) => new Set(items.map((d) => d.uri)).size === items.length, { path: ["items"], message: "a data set is there twice" });
export type DataSetsInput = z.infer<typeof dataSetsInput>;
export type DataSet = DataSetsInput["items"][number];

export const storedDataSets = z.array(dataSetInput);
