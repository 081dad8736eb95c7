import { z } from "zod";
import { SPEND_DIMENSIONS } from "#server/contract/inputs/spend.ts";
import { instantMs } from "#server/contract/parts.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import type { SpendDimension } from "./filters.ts";
import { spendBy } from "./spend-by.ts";

const VALUES_MAX = 200;

/** A range of any length, as on the Spend screen. */
export const spendOptionsInput = z.strictObject({ fromMs: instantMs, toMs: instantMs });

/** The filter options: for each dimension the values with charges in a range, most expensive first. */
export type SpendOptions = Record<SpendDimension, string[]>;

/** @throws SpillwayError `forbidden`, `invalid_input`. */
export async function spendOptions(
	ctx: Pick<ServiceContext, "actor" | "db">,
	raw: z.infer<typeof spendOptionsInput>,
): Promise<SpendOptions> {
	const range = spendOptionsInput.parse(raw);
	const lists = await Promise.all(
		SPEND_DIMENSIONS.map(async (groupBy) => {
			const { items } = await spendBy(ctx, { ...range, groupBy });
			return [groupBy, items.slice(0, VALUES_MAX).map(({ key }) => key)] as const;
		}),
	);
	return Object.fromEntries(lists) as SpendOptions;
}
