import { HOUR_MS } from "#server/kernel/units.ts";
import type { ReplayScenario } from "#server/simulation/replay/types.ts";
import type { Assumption, PlanAssessment } from "../types.ts";
import { RESAMPLES, type Resample, rangeOf, resampleWeeks } from "./bootstrap.ts";
import { decide } from "./decide.ts";
import { cumulative, type FinanceContext, type OptionMoney, type Outlook, paybackMonth, paymentsOf, presentValue } from "./finance.ts";
import { AS_IS_ID, BURST_ID, CLOUD_ID, type OptionSpec, type RanOption } from "./options.ts";
import {
	cashOf,
	idleCarbonKg,
	lifeMonths,
	type OwnedMoney,
	ownedEmbodiedKg,
	ownedMoney,
	type PlanCard,
	purchaseMicroUsd,
	resaleMicroUsd,
	scaledCard,
	sumOwned,
} from "./owned-money.ts";
import { nodeGpus, ownedGpus } from "./resize.ts";
import { secondsOf } from "./run-option.ts";
import { npvOf, sensitivities } from "./sensitivity.ts";
import type { PlanComparison, PlanOption } from "./types.ts";

/** Hours per month: 8,760 ÷ 12. */
const MONTH_HOURS = 730;

/** Defaults: assumptions, documented in docs/plan.md. */
export const DEFAULT_OUTLOOK: Omit<Outlook, "horizonMonths"> = {
	discountRate: 0.08,
	deliveryMonths: 4,
	...{ growthPerYear: 0, cloudPriceChangePerYear: 0, demand: 1, cloudPrice: 1, power: 1, hardware: 1, interruptions: 1 },
};

export interface CompareInput {
	assessment: PlanAssessment;
	scenario: ReplayScenario;
	/** For the GPUs owned today. */
	card: PlanCard;
	jobsWithoutPlace: number;
	ran: readonly { spec: OptionSpec; run: RanOption }[];
	/** Absent fields: DEFAULT_OUTLOOK; the horizon: the card's life. */
	outlook?: Partial<Outlook>;
}

/** Compares replays of one history: time, money, carbon, finance, ranges, and a recommendation. Pure. */
export function compareOptions(input: CompareInput): PlanComparison {
	const { assessment, scenario, card, ran } = input;
	const outlook: Outlook = { ...DEFAULT_OUTLOOK, horizonMonths: lifeMonths(card), ...input.outlook };
	const span = { fromMs: Date.parse(assessment.history.from), toMs: Date.parse(assessment.history.to) };
	const hours = Math.max(1, (span.toMs - span.fromMs) / HOUR_MS);
	const base = ownedGpus(scenario);
	const rows = ran.map(({ spec, run }) => {
		const money = ownedMoney(scaledCard(card, spec.ownedGpus), { fromMs: span.fromMs, toMs: span.fromMs + hours * HOUR_MS }, run.homeGpuMs);
		return { spec, run, money, flow: flowOf({ spec, run, money, card, base, hours, horizonMonths: outlook.horizonMonths }) };
	});
	const [asIs, burst] = [AS_IS_ID, BURST_ID].map((id) => required(rows, id)) as [Row, Row];
	const curve = curveOf(rows, burst.spec.policy.id);
	const context: FinanceContext = { today: burst.flow, curve: curve.map(({ gpus, row }) => ({ gpus, cloudUsd: row.flow.cloudUsd })) };
	const samples = resampleWeeks(
		rows.map(({ run }) => run.weeks),
		scenario.seed,
	);
	const describe = { hours, base, outlook, context, asIs, burst, scenario, card };
	const options = rows.map((row, i) =>
		optionOf(row, { ...describe, samples: samples[i] ?? [], asIsSamples: samples[rows.indexOf(asIs)] ?? [] }),
	);
	const option = (id: string): PlanOption => required(options, id);
	const purchase = bestPurchase(options);
	const recommendedRow = rows.find(({ spec }) => spec.id === purchase?.id) ?? null;
	const rowsOfBest = recommendedRow ? sensitivities({ option: recommendedRow.flow, reference: burst.flow }, context, outlook) : [];
	const points = curve.map(({ gpus, row }) => pointOf(gpus, option(row.spec.id)));
	const decision = decide({
		...{ assessment, asIs: option(AS_IS_ID), burst: option(BURST_ID), policy: burst.spec.policy.label },
		purchase:
			purchase && recommendedRow
				? { option: purchase, newGpuUse: newGpuUseOf(recommendedRow, burst, hours), sensitivities: rowsOfBest }
				: null,
	});
	return {
		apiVersion: "spillway/v1",
		kind: "PlanComparison",
		...{ seed: scenario.seed, history: assessment.history, jobsWithoutPlace: input.jobsWithoutPlace },
		...{ ownedGpus: base, accelerator: card.accelerator, spanHours: round2(hours), reference: BURST_ID, options },
		curve: {
			points,
			minimumGpus: points.reduce((best, p) => (p.totalPerMonthUsd < best.totalPerMonthUsd ? p : best), pointsFirst(points)).gpus,
		},
		recommended:
			decision.verdict === "no_go" && decision.buyGpus === 0 ? AS_IS_ID : decision.buyGpus > 0 ? (purchase?.id ?? BURST_ID) : BURST_ID,
		...{ sensitivities: rowsOfBest, horizonMonths: outlook.horizonMonths, decision },
		assumptions: assumptionsOf(input, outlook, hours),
	};
}

interface Row {
	spec: OptionSpec;
	run: RanOption;
	money: OwnedMoney;
	flow: OptionMoney;
}

function required<T extends { spec: OptionSpec } | { id: string }>(rows: readonly T[], id: string): T {
	const found = rows.find((row) => ("spec" in row ? row.spec.id : row.id) === id);
	if (!found) throw new RangeError(`the option ${id} was not replayed`);
	return found;
}

function flowOf(from: {
	spec: OptionSpec;
	run: RanOption;
	money: OwnedMoney;
	card: PlanCard;
	base: number;
	hours: number;
	horizonMonths: number;
}): OptionMoney {
	const { spec, run, money, card, base, hours, horizonMonths } = from;
	const month = (microUsd: bigint): number => (Number(microUsd) / 1e6) * (MONTH_HOURS / hours);
	const added = scaledCard(card, Math.max(0, spec.ownedGpus - base));
	return {
		ownedGpus: spec.ownedGpus,
		purchaseUsd: Number(purchaseMicroUsd(added)) / 1e6,
		resaleUsd: Number(resaleMicroUsd(added, horizonMonths)) / 1e6,
		fixedUsd: month(cashOf(money) - money.powerMicroUsd),
		powerUsd: month(money.powerMicroUsd),
		cloudUsd: month(run.cloudMicroUsd),
		lostShare: run.report.cloudGpuHours > 0 ? Math.min(1, run.report.lostGpuHours / run.report.cloudGpuHours) : 0,
		hasCloud: spec.hasCloud,
	};
}

/** Replays under the burst policy by owned GPUs; cloud only represents zero. */
function curveOf(rows: readonly Row[], policyId: string): { gpus: number; row: Row }[] {
	return rows
		.filter(({ spec }) => spec.id === CLOUD_ID || (spec.policy.id === policyId && spec.hasCloud && !spec.scales))
		.map((row) => ({ gpus: row.spec.ownedGpus, row }))
		.sort((a, b) => a.gpus - b.gpus);
}

function pointOf(gpus: number, { id, perMonth, meanTimeToModelS }: PlanOption): PlanComparison["curve"]["points"][number] {
	const { cloudUsd, ownedUsd, totalUsd } = perMonth;
	return { optionId: id, gpus, cloudPerMonthUsd: cloudUsd, ownedPerMonthUsd: ownedUsd, totalPerMonthUsd: totalUsd, meanTimeToModelS };
}

function pointsFirst(points: PlanComparison["curve"]["points"]): PlanComparison["curve"]["points"][number] {
	const [first] = points;
	if (!first) throw new RangeError("no option has a cloud");
	return first;
}

function bestPurchase(options: readonly PlanOption[]): PlanOption | null {
	const mixes = options.filter(({ kind, addedGpus }) => kind === "mix" && addedGpus > 0);
	return mixes.reduce<PlanOption | null>((best, o) => (best === null || o.finance.npvUsd > best.finance.npvUsd ? o : best), null);
}

/** Additional home GPU time compared with no purchase ÷ time of the new GPUs. */
function newGpuUseOf(bought: Row, burst: Row, hours: number): number {
	const more = bought.spec.ownedGpus - burst.spec.ownedGpus;
	return more <= 0 ? 0 : Math.max(0, (bought.run.homeGpuMs - burst.run.homeGpuMs) / (more * hours * HOUR_MS));
}

interface DescribeContext {
	hours: number;
	base: number;
	outlook: Outlook;
	context: FinanceContext;
	asIs: Row;
	burst: Row;
	scenario: ReplayScenario;
	card: PlanCard;
	samples: readonly Resample[];
	asIsSamples: readonly Resample[];
}

function optionOf(row: Row, ctx: DescribeContext): PlanOption {
	const { spec, run, money } = row;
	const { report } = run;
	const owned = sumOwned(money);
	const total = owned + run.cloudMicroUsd;
	const month = (microUsd: bigint): number => Math.round((Number(microUsd) / 1e6) * (MONTH_HOURS / ctx.hours));
	return {
		...{ id: spec.id, label: spec.label, kind: spec.kind, policy: spec.policy.id, ownedGpus: spec.ownedGpus },
		addedGpus: spec.ownedGpus - ctx.base,
		...{ jobs: report.jobs, jobsDone: report.jobsDone, jobsNeverRan: run.jobsNeverRan },
		...{ meanWaitS: report.meanWaitS, p50WaitS: report.p50WaitS, p95WaitS: report.p95WaitS },
		meanTimeToModelS: report.meanTimeToModelS,
		...{ p50TimeToModelS: report.p50TimeToModelS, p95TimeToModelS: report.p95TimeToModelS },
		missedDeadlines: report.strictMisses + report.softMisses,
		...{ interruptions: report.interruptions, lostGpuHours: report.lostGpuHours, ownedUtilisation: report.ownedUtilisation },
		...{ cloudGpuHours: report.cloudGpuHours, cloudGpuHoursByCapacityType: report.cloudGpuHoursByCapacityType },
		cost: {
			cloudMicroUsd: String(run.cloudMicroUsd),
			cloudByKindUsd: report.costByKindUsd,
			depreciationMicroUsd: String(money.depreciationMicroUsd),
			powerMicroUsd: String(money.powerMicroUsd),
			spaceMicroUsd: String(money.spaceMicroUsd),
			supportMicroUsd: String(money.supportMicroUsd),
			staffMicroUsd: String(money.staffMicroUsd),
			ownedMicroUsd: String(owned),
			totalMicroUsd: String(total),
		},
		perMonth: { cloudUsd: month(run.cloudMicroUsd), ownedUsd: month(owned), totalUsd: month(total) },
		peakMonthMicroUsd: String(run.peakMonthMicroUsd),
		carbon: carbonOf(row, ctx),
		finance: financeOf(row, ctx),
		ranges: rangesOf(row, ctx),
		change: changeOf(row, ctx, total),
	};
}

function carbonOf({ spec, run }: Row, { scenario, card, hours }: DescribeContext): PlanOption["carbon"] {
	const owned = scaledCard(card, spec.ownedGpus);
	const idleKg = idleCarbonKg(owned, scenario.pools[0]?.gridGramsPerKwh ?? null, hours, run.homeGpuMs);
	const home = ownedEmbodiedKg(owned, nodeGpus(scenario), hours);
	const embodiedKg = home === null || run.cloudEmbodiedKg === null ? null : home + run.cloudEmbodiedKg;
	const operationalKg = run.report.emissionsUnknownGpuHours > 0 ? null : run.report.emissionsKg;
	const parts = [operationalKg, idleKg, embodiedKg];
	const totalKg = parts.every((kg) => kg !== null) ? parts.reduce((sum: number, kg) => sum + (kg ?? 0), 0) : null;
	const whole = (kg: number | null): number | null => (kg === null ? null : Math.round(kg));
	return { operationalKg: whole(operationalKg), idleKg: whole(idleKg), embodiedKg: whole(embodiedKg), totalKg: whole(totalKg) };
}

function financeOf({ flow }: Row, { context, outlook, burst }: DescribeContext): PlanOption["finance"] {
	const payments = paymentsOf(flow, context, outlook);
	const paid = cumulative(payments);
	return {
		purchaseUsd: Math.round(flow.purchaseUsd),
		presentValueUsd: Math.round(presentValue(payments, outlook.discountRate)),
		npvUsd: npvOf({ option: flow, reference: burst.flow }, context, outlook),
		paybackMonth: flow.purchaseUsd > 0 ? paybackMonth(paid, cumulative(paymentsOf(burst.flow, context, outlook))) : null,
		cumulativeUsd: paid,
	};
}

/** Present value is linear in the cloud price, so a resample's share of the cloud cost acts like a price. */
function rangesOf({ flow }: Row, { samples, context, outlook, burst }: DescribeContext): PlanOption["ranges"] {
	const value = (money: OptionMoney, cloudPrice: number): number =>
		presentValue(paymentsOf(money, context, { ...outlook, cloudPrice: outlook.cloudPrice * cloudPrice }), outlook.discountRate);
	const [none, once] = [value(flow, 0), value(flow, 1)];
	const [refNone, refOnce] = [value(burst.flow, 0), value(burst.flow, 1)];
	const npv = samples.map(({ cloudFactor: f }) => refNone + f * (refOnce - refNone) - (none + f * (once - none)));
	const whole = ({ low, high }: { low: number; high: number }) => ({ low: Math.round(low), high: Math.round(high) });
	return {
		cloudPerMonthUsd: whole(rangeOf(samples.map(({ cloudFactor }) => cloudFactor * flow.cloudUsd))),
		meanWaitS: whole(rangeOf(samples.map(({ meanWaitMs }) => secondsOf(meanWaitMs)))),
		meanTimeToModelS: whole(rangeOf(samples.map(({ meanTimeToModelMs }) => secondsOf(meanTimeToModelMs)))),
		npvUsd: whole(rangeOf(npv)),
	};
}

function changeOf({ run }: Row, { samples, asIs, asIsSamples }: DescribeContext, total: bigint): PlanOption["change"] {
	const before = asIs.run.report;
	const relative = (now: number, then: number): number => (then > 0 ? now / then - 1 : 0);
	const changes = samples.map((sample, i) => relative(sample.meanTimeToModelMs, asIsSamples[i]?.meanTimeToModelMs ?? 0));
	const range = rangeOf(changes);
	// Only jobs that owned GPUs alone can run; the others have no time to compare with.
	const savedHours = ((before.meanTimeToModelS - run.report.meanTimeToModelS) * before.jobsDone) / 3600;
	const asIsTotal = sumOwned(asIs.money) + asIs.run.cloudMicroUsd;
	return {
		meanTimeToModel: round4(relative(run.report.meanTimeToModelS, before.meanTimeToModelS)),
		meanTimeToModelRange: { low: round4(range.low), high: round4(range.high) },
		usdPerWaitHourSaved: savedHours > 0 ? round2(Number(total - asIsTotal) / 1e6 / savedHours) : null,
	};
}

function assumptionsOf({ card, scenario }: CompareInput, outlook: Outlook, hours: number): Assumption[] {
	const percent = (share: number): string => `${Math.round(share * 1000) / 10}% a year`;
	return [
		{ name: "Owned cost", value: `${card.gpus} × ${card.accelerator}`, source: card.source },
		{ name: "Owned hours", value: `${Math.round(hours)} h`, source: "from the first to the last submission; a month is 730 h" },
		{ name: "Horizon", value: `${outlook.horizonMonths} months`, source: "the longest life on the rate card, unless given" },
		{ name: "Discount rate", value: percent(outlook.discountRate), source: "assumed 8% unless given: use your own cost of capital" },
		{
			name: "Financing",
			value: "none",
			source: "rate cards hold none; the discount rate stands for the cost of capital. Taxes are excluded",
		},
		{
			name: "Delivery",
			value: `${outlook.deliveryMonths} months`,
			source: "assumed unless given; until then an order costs and carries nothing",
		},
		{ name: "Demand growth", value: percent(outlook.growthPerYear), source: "assumed none unless given" },
		{ name: "Cloud price trend", value: percent(outlook.cloudPriceChangePerYear), source: "assumed none unless given" },
		{
			name: "Cloud prices",
			value: `${scenario.offers.length} offers`,
			source: "the scenario or your own sites; for a trace the shipped catalog of the United States (server/rates)",
		},
		...outsideAssumptions(scenario),
		{ name: "Ranges", value: `${RESAMPLES} resamples of whole weeks, 5th to 95th percentile`, source: "block bootstrap, Künsch 1989" },
	];
}

function outsideAssumptions({ availability, checkpointEveryMs }: ReplayScenario): Assumption[] {
	const probes = "SkyPilot spot traces, NSDI '24 (server/simulation/replay/default-scenario.ts), unless the scenario has recordings";
	return [
		availability.size > 0
			? { name: "Spot", value: "up and down times of public probes", source: probes }
			: { name: "Spot", value: "interruptions and refusals on record", source: "own launches" },
		Number.isFinite(checkpointEveryMs)
			? { name: "Checkpoints", value: `every ${checkpointEveryMs / 60_000} min`, source: "assumed for traces: they do not record it" }
			: { name: "Checkpoints", value: "as each job saves", source: "recorded with each job" },
	];
}

function round2(value: number): number {
	return Math.round(value * 100) / 100;
}

function round4(value: number): number {
	return Math.round(value * 10_000) / 10_000;
}
