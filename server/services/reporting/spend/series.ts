import { bucketsOf, dayKey } from "#server/accounting/calendar.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { ledgerCalendar } from "#server/services/core/ledger-calendar.ts";
import type { SpendFilters } from "./filters.ts";
import { spendBy } from "./spend-by.ts";
import { NO_SPEND, type SpendSums } from "./sums.ts";

export const SERIES_BUCKETS = ["day", "week", "month"] as const;
export type SeriesBucket = (typeof SERIES_BUCKETS)[number];

export interface SpendPoint extends SpendSums {
	/** The whole bucket; its sums cover only the part within the range. */
	fromMs: number;
	toMs: number;
}

export interface SpendSeries {
	zone: string;
	bucket: SeriesBucket;
	points: SpendPoint[];
}

/** Days up to two months, weeks up to half a year, months beyond: at most about sixty points of days or weeks. */
export function bucketForRange({ fromMs, toMs }: { fromMs: number; toMs: number }): SeriesBucket {
	const days = (toMs - fromMs) / DAY_MS;
	return days <= 63 ? "day" : days <= 190 ? "week" : "month";
}

/**
 * Every bucket of the range, in order, with its spend within the range; a bucket without charges has zeros, because the ledger
 * is complete there.
 * @throws SpillwayError `forbidden`, `invalid_input`.
 */
export async function spendSeries(
	ctx: Pick<ServiceContext, "actor" | "db">,
	input: { fromMs: number; toMs: number; bucket?: SeriesBucket | undefined; filters?: SpendFilters | undefined },
): Promise<SpendSeries> {
	const { bucket = bucketForRange(input), ...rest } = input;
	const [calendar, { fromMs, toMs, zone, items }] = await Promise.all([ledgerCalendar(ctx.db), spendBy(ctx, { ...rest, groupBy: bucket })]);
	const byKey = new Map(items.map(({ key, ...sums }): [string, SpendSums] => [key, sums]));
	const points = bucketsOf(bucket, { fromMs, toMs }, calendar).map((b) => ({
		...b,
		...(byKey.get(dayKey(b.fromMs, calendar)) ?? NO_SPEND),
	}));
	return { zone, bucket, points };
}
