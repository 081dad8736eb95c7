import {
	createLoader,
	createParser,
	createSerializer,
	type inferParserType,
	parseAsArrayOf,
	parseAsBoolean,
	parseAsString,
	parseAsStringLiteral,
} from "nuqs/server";
import type { Inputs } from "#components/trpc/outputs.ts";
import { CHARGE_CORRECTIONS, CHARGE_KINDS, type ChargeCorrection } from "#server/domain/charge.ts";
import { parseLedgerCut } from "#server/domain/ledger-cut.ts";
import { LOST, type LostChoice } from "#server/domain/lost-work.ts";
import { CAPACITY_TYPES, LABELS, PROVIDERS, WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import {
	bucketFor,
	bucketsFor,
	type Dates,
	datesLabel,
	datesOf,
	instantsOf,
	rangeLabel,
	SPEND_BUCKETS,
	SPEND_RANGES,
	type SpendBucket,
	type SpendRange,
} from "./range.ts";
import { addDays, isDate, monthStart } from "./zone-days.ts";

/** Filter dimensions, in chip order. */
export const DIMENSIONS = ["team", "project", "class", "provider", "region", "capacityType", "accelerator", "site", "kind"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Table dimensions, in tab order; `time` tabulates the chart. */
export const SPEND_BY = [
	"team",
	"project",
	"class",
	"job",
	"provider",
	"region",
	"site",
	"capacityType",
	"accelerator",
	"kind",
	"time",
] as const;
export type SpendBy = (typeof SPEND_BY)[number];
export const BY_LABEL: Record<SpendBy, string> = {
	team: "Team",
	project: "Project",
	class: "Class",
	job: "Job",
	provider: "Provider",
	region: "Region",
	site: "Site",
	capacityType: "Capacity",
	accelerator: "GPU model",
	kind: "Kind",
	time: "Time",
};

export type SpendFilters = NonNullable<Inputs["spend"]["page"]["filters"]>;

/** "" means no value, such as the team of idle hardware; it is `~` in the URL, which no name can be. */
const NONE = "~";
const name = createParser({ parse: (text) => (text === NONE ? "" : text.slice(0, 200)), serialize: (value: string) => value || NONE });
const workloadClass = createParser<"" | (typeof WORKLOAD_CLASSES)[number]>({
	parse: (text) => (text === NONE ? "" : (WORKLOAD_CLASSES.find((c) => c === text) ?? null)),
	serialize: (value) => value || NONE,
});
const cut = createParser({ parse: (text) => (parseLedgerCut(text) ? text : null), serialize: (value: string) => value });
const month = createParser({ parse: (text) => (/^20\d\d-(0[1-9]|1[0-2])$/.test(text) ? text : null), serialize: (value: string) => value });
/** Series of the chart, owned first. */
export const CHART_SERIES = ["used", "idle", "reserved", "spot", "on_demand"] as const;
export type ChartSeriesId = (typeof CHART_SERIES)[number];
/** The parts of the chart that can be hidden. */
export const HIDEABLE = [...CHART_SERIES, "events"] as const;
export type Hideable = (typeof HIDEABLE)[number];
const date = createParser({ parse: (text) => (isDate(text) ? text : null), serialize: (value: string) => value });

export const spendParams = {
	range: parseAsStringLiteral(SPEND_RANGES).withDefault("month"),
	from: date,
	to: date,
	by: parseAsStringLiteral(SPEND_BY).withDefault("team"),
	bucket: parseAsStringLiteral(SPEND_BUCKETS),
	bar: date,
	hide: parseAsArrayOf(parseAsStringLiteral(HIDEABLE)),
	previous: parseAsBoolean.withDefault(false),
	team: parseAsArrayOf(name),
	project: parseAsArrayOf(name),
	class: parseAsArrayOf(workloadClass),
	provider: parseAsArrayOf(parseAsStringLiteral(PROVIDERS)),
	region: parseAsArrayOf(name),
	capacityType: parseAsArrayOf(parseAsStringLiteral(CAPACITY_TYPES)),
	accelerator: parseAsArrayOf(name),
	site: parseAsArrayOf(name),
	kind: parseAsArrayOf(parseAsStringLiteral(CHARGE_KINDS)),
};
/** Show charges as money or as CO2e. */
export const CHARGES_OF = ["cost", "carbon"] as const;
const chargesParams = {
	...spendParams,
	...{ cause: parseAsString, correction: parseAsArrayOf(parseAsStringLiteral(CHARGE_CORRECTIONS)) },
	...{ job: parseAsString, lost: parseAsStringLiteral(LOST), without: parseAsStringLiteral(["idle"]) },
	...{ asOf: cut, since: cut, budget: parseAsString, bills: month },
	of: parseAsStringLiteral(CHARGES_OF).withDefault("cost"),
};
const urlKeys = { capacityType: "capacity", accelerator: "gpu" } as const;

export const loadSpendParams = createLoader(spendParams, { urlKeys });
export const loadChargesParams = createLoader(chargesParams, { urlKeys });
const serialize = createSerializer(chargesParams, { urlKeys });

/** The screen depends only on this and the time. */
export interface SpendView {
	range: SpendRange;
	/** Custom days; null to use the range. */
	dates: Dates | null;
	by: SpendBy;
	/** null: derived from the range's length. */
	bucket: SpendBucket | null;
	/** First day of the bar that filters the breakdown; null for none. */
	bar?: string | null;
	/** Series that the chart does not show, or its events. */
	hide?: readonly Hideable[];
	/** The chart shows the period before as a line. */
	previous?: boolean;
	filters: SpendFilters;
	/** The ledger's time zone. */
	zone: string;
}

/**
 * Restricts charges to one job or cause, corrections, unfinished attempts, non-idle hardware, a budget, or postings
 * before or after a cutoff.
 */
export interface ChargesPart {
	job: string | null;
	/** ID of a machine, allocation, pool or bill line. */
	cause: string | null;
	/** null: both. */
	correction: ChargeCorrection[] | null;
	lost: LostChoice | null;
	withoutIdle: boolean;
	/** Format of parseLedgerCut(). */
	asOf: string | null;
	since: string | null;
	/** ID of a budget that counts the charges. */
	budget: string | null;
	/** A billing month in UTC, exact to the hour whatever the ledger's time zone. */
	bills: string | null;
	of: (typeof CHARGES_OF)[number];
}
export type ChargesView = SpendView & ChargesPart;

export function viewOf(params: inferParserType<typeof spendParams>, zone: string): SpendView {
	const { range, from, to, by, bucket, bar, previous } = params;
	const filters = Object.fromEntries(DIMENSIONS.flatMap((d) => (params[d]?.length ? [[d, params[d]]] : []))) as SpendFilters;
	const hide = params.hide ?? [];
	const chart = { ...(bar && { bar }), ...(hide.length > 0 && { hide }), ...(previous && { previous }) };
	return { range, dates: from && to && from <= to ? { from, to } : null, by, bucket, ...chart, filters, zone };
}

function valuesOf(view: SpendView) {
	const none = Object.fromEntries(DIMENSIONS.map((d) => [d, null])) as Record<Dimension, null>;
	const { range, dates, by, bucket, filters } = view;
	const given = Object.fromEntries(DIMENSIONS.flatMap((d) => (filters[d] ? [[d, filters[d]]] : []))) as {
		[D in Dimension]?: NonNullable<SpendFilters[D]>;
	};
	return { range: dates ? null : range, from: dates?.from ?? null, to: dates?.to ?? null, by, bucket, ...none, ...given };
}

export const spendHref = (view: SpendView): string =>
	serialize("/spend", {
		...valuesOf(view),
		...{ bar: view.bar ?? null, hide: view.hide?.length ? [...view.hide] : null, previous: view.previous || null },
	});
export const chargesHref = (view: SpendView & Partial<ChargesPart>): string =>
	serialize("/spend/charges", {
		...valuesOf(view),
		...{ cause: view.cause ?? null, correction: view.correction ?? null },
		...{ job: view.job ?? null, lost: view.lost ?? null, without: view.withoutIdle ? "idle" : null },
		...{
			asOf: view.asOf ?? null,
			since: view.since ?? null,
			budget: view.budget ?? null,
			bills: view.bills ?? null,
			of: view.of ?? "cost",
		},
	});

export function chargesViewOf(all: inferParserType<typeof chargesParams>, zone: string): ChargesView {
	const { job, cause, correction, lost, without, asOf, since, budget, bills, of, ...params } = all;
	return {
		...viewOf(params, zone),
		job,
		cause,
		correction: correction?.length ? correction : null,
		lost,
		withoutIdle: without === "idle",
		asOf,
		since,
		budget: budget ? budget.slice(0, 64) : null,
		bills,
		of,
	};
}

export const datesOfView = (view: SpendView, nowMs: number): Dates => view.dates ?? datesOf(view.range, nowMs, view.zone);
export const viewLabel = (view: SpendView, nowMs: number): string =>
	view.dates ? datesLabel(view.dates) : rangeLabel(view.range, nowMs, view.zone);

/** The days of the picked bar within the range; null if none is picked or it is outside. */
export function datesOfBar(view: SpendView, nowMs: number): Dates | null {
	if (!view.bar) return null;
	const [range, bucket] = [datesOfView(view, nowMs), bucketOfView(view, nowMs)];
	const end = bucket === "day" ? view.bar : bucket === "week" ? addDays(view.bar, 6) : addDays(monthStart(view.bar, 1), -1);
	if (end < range.from || view.bar > range.to) return null;
	// The middle two bound the overlap of two ranges.
	const [, from = view.bar, to = end] = [view.bar, end, range.from, range.to].sort();
	return { from, to };
}

/** The view of the breakdown: of the picked bar, or of the whole range. */
export function tableView(view: SpendView, nowMs: number): SpendView {
	const dates = datesOfBar(view, nowMs);
	return dates ? { ...view, dates, bar: null } : view;
}

export function bucketOfView(view: SpendView, nowMs: number): SpendBucket {
	const dates = datesOfView(view, nowMs);
	return view.bucket !== null && bucketsFor(dates).includes(view.bucket) ? view.bucket : bucketFor(dates);
}

/** Shared by server and browser so that the prefetched query key matches. */
export function spendQuery(view: SpendView, nowMs: number) {
	const bucket = bucketOfView(view, nowMs);
	const groupBy = view.by === "time" ? bucket : view.by === "job" ? ("team" as const) : view.by;
	return { ...instantsOf(datesOfView(view, nowMs), view.zone), groupBy, bucket, filters: view.filters };
}

function hoursOfUtcMonth(key: string): { fromMs: number; toMs: number } {
	const from = new Date(`${key}-01T00:00:00Z`);
	return { fromMs: from.getTime(), toMs: Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1) };
}

export function chargesQuery(view: ChargesView, nowMs: number) {
	return {
		...(view.bills === null ? instantsOf(datesOfView(view, nowMs), view.zone) : hoursOfUtcMonth(view.bills)),
		filters: view.filters,
		...(view.job === null ? {} : { jobId: view.job }),
		...(view.cause === null ? {} : { cause: view.cause }),
		...(view.correction === null ? {} : { correction: view.correction }),
		...(view.lost === null ? {} : { lost: view.lost }),
		...(view.withoutIdle ? { withoutIdle: true } : {}),
		...(view.asOf === null ? {} : { asOf: view.asOf }),
		...(view.since === null ? {} : { since: view.since }),
		...(view.budget === null ? {} : { budget: view.budget }),
		limit: 100,
	};
}

export const isFiltered = ({ filters }: SpendView): boolean => DIMENSIONS.some((d) => (filters[d]?.length ?? 0) > 0);
export const setFilter = (view: SpendView, dimension: Dimension, values: readonly string[]): SpendView => {
	const { [dimension]: _, ...others } = view.filters;
	return { ...view, filters: (values.length === 0 ? others : { ...others, [dimension]: values }) as SpendFilters };
};

const PROVIDER_NAMES: Record<string, string> = {
	local: "This host",
	slurm: "Slurm",
	kubernetes: "Kubernetes",
	aws: "AWS",
	azure: "Azure",
	gcp: "Google Cloud",
};

/** Display name of a dimension value. */
export function valueLabel(dimension: Dimension, key: string): string {
	if (dimension === "region" && key === "") return "Owned";
	if (key === "") return `No ${BY_LABEL[dimension].toLowerCase()}`;
	if (dimension === "provider") return PROVIDER_NAMES[key] ?? key;
	if ((dimension === "class" || dimension === "capacityType") && key in LABELS) return LABELS[key as keyof typeof LABELS];
	return key;
}
