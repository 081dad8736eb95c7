import { plural } from "#server/domain/sentence-facts.ts";
import { span } from "../candidates/score.ts";
import type { PlanAssessment } from "../types.ts";
import type { DecisionTest, PlanDecision, PlanOption, PlanPilot, Sensitivity } from "./types.ts";

/** Limits of the tests: choices of this project, documented in docs/plan.md. */
export const LIMITS = {
	/** Below this, bursting is hardly noticeable. */
	timeToModelCut: 0.2,
	/** A person's hour costs more. */
	usdPerWaitHour: 25,
	/** Four weeks show each weekday four times. */
	historyDays: 28,
	paybackMonths: 36,
	/** Below this, a purchased GPU costs more per hour used than an on-demand one. */
	newGpuUse: 0.45,
} as const;

const PILOT_WEEKS = 4;
/** The pilot may cost this many times its estimate. */
const PILOT_MARGIN = 1.5;
const MIN_CAP_USD = 100;

export interface DecisionInput {
	assessment: PlanAssessment;
	asIs: PlanOption;
	burst: PlanOption;
	/** The purchase with the highest NPV compared with bursting; null: none was replayed. */
	purchase: { option: PlanOption; newGpuUse: number; sensitivities: readonly Sensitivity[] } | null;
	policy: string;
}

/** Go if bursting passes all its tests, pilot first if it only lacks proof, else no-go. Buying requires a positive NPV and 3 of its 4. */
export function decide(input: DecisionInput): PlanDecision {
	const { burst, purchase } = input;
	const tests = [...burstTests(input), ...(purchase ? buyTests(purchase) : [])];
	const buy = tests.filter(({ about }) => about === "buy");
	const isBuy = purchase !== null && purchase.option.finance.npvUsd > 0 && buy.filter(({ passed }) => passed).length >= 3;
	const verdict = verdictOf(tests.filter(({ about }) => about === "burst"));
	const buyGpus = isBuy ? purchase.option.addedGpus : 0;
	return {
		verdict,
		buyGpus,
		headline: headlineOf(verdict, buyGpus),
		summary: summaryOf(verdict, burst, isBuy ? purchase.option : null),
		tests,
		pilot: pilotOf(input),
	};
}

function verdictOf([cut, price, history, proof]: readonly DecisionTest[]): PlanDecision["verdict"] {
	if (!cut?.passed || !price?.passed) return "no_go";
	return history?.passed && proof?.passed ? "go" : "pilot";
}

function burstTests({ assessment, burst }: DecisionInput): DecisionTest[] {
	const { change } = burst;
	const usd = change.usdPerWaitHourSaved;
	return [
		{
			about: "burst",
			test: `Bursting cuts the mean time to model by ${percent(LIMITS.timeToModelCut)}`,
			found: percent(-change.meanTimeToModel),
			passed: -change.meanTimeToModel >= LIMITS.timeToModelCut,
		},
		{
			about: "burst",
			test: `An hour of waiting saved costs at most $${LIMITS.usdPerWaitHour}`,
			found: usd === null ? "no waiting saved" : `$${usd.toFixed(2)}`,
			passed: usd !== null && usd <= LIMITS.usdPerWaitHour,
		},
		{
			about: "burst",
			test: `The history covers ${LIMITS.historyDays} days`,
			found: `${assessment.history.days} days`,
			passed: assessment.history.days >= LIMITS.historyDays,
		},
		{
			about: "burst",
			test: "Bursting is faster in 95% of resampled weeks",
			found: `${percent(-change.meanTimeToModelRange.high)} to ${percent(-change.meanTimeToModelRange.low)}`,
			passed: change.meanTimeToModelRange.high < 0,
		},
	];
}

function buyTests({ option, newGpuUse, sensitivities }: NonNullable<DecisionInput["purchase"]>): DecisionTest[] {
	const { paybackMonth } = option.finance;
	const low = (name: string): number => sensitivities.find((row) => row.name === name)?.low.npvUsd ?? Number.NaN;
	return [
		{
			about: "buy",
			test: `${option.addedGpus} more GPUs pay back within ${LIMITS.paybackMonths} months`,
			found: paybackMonth === null ? "not within the horizon" : `month ${paybackMonth}`,
			passed: paybackMonth !== null && paybackMonth <= LIMITS.paybackMonths,
		},
		{
			about: "buy",
			test: `The added GPUs are in use more than ${percent(LIMITS.newGpuUse)} of the time`,
			found: percent(newGpuUse),
			passed: newGpuUse > LIMITS.newGpuUse,
		},
		{
			about: "buy",
			test: "The purchase saves money if cloud prices fall by 30%",
			found: usdOf(low("Cloud price")),
			passed: low("Cloud price") > 0,
		},
		{ about: "buy", test: "The purchase saves money if demand falls by 20%", found: usdOf(low("Demand")), passed: low("Demand") > 0 },
	];
}

function headlineOf(verdict: PlanDecision["verdict"], buyGpus: number): string {
	const buy = buyGpus > 0 ? `, and buy ${buyGpus} GPUs` : "";
	if (verdict === "go") return `Go: burst${buy}`;
	if (verdict === "pilot") return `Pilot first: burst one job family${buy}`;
	return buyGpus > 0 ? `No-go for bursting alone: buy ${buyGpus} GPUs first` : "No-go: keep the cluster as it is";
}

function summaryOf(verdict: PlanDecision["verdict"], burst: PlanOption, buy: PlanOption | null): string {
	const { change } = burst;
	const faster = `Bursting ${change.meanTimeToModel < 0 ? "shortens" : "changes"} the mean time to model by ${percent(Math.abs(change.meanTimeToModel))} for ${usdOf(burst.perMonth.cloudUsd)} of cloud spend per month.`;
	const purchase = buy
		? ` ${buy.addedGpus} more GPUs save ${usdOf(buy.finance.npvUsd)} of present value compared with bursting alone.`
		: " Buying more GPUs does not pay off in addition to bursting.";
	const why = {
		go: "",
		pilot: " The history is too short or too uneven to be sure. Run a four-week pilot first.",
		no_go: " The gain is too small for its cost.",
	};
	return `${faster}${purchase}${why[verdict]}`;
}

/** A pilot of the best-scored family for four weeks. Its cap is the family's overflow at spot prices for that time, with a margin. */
function pilotOf({ assessment, policy, asIs }: DecisionInput): PlanPilot {
	const [best] = assessment.candidates;
	const days = Math.max(1, assessment.history.days);
	const estimate = ((best?.spotUsd ?? best?.onDemandUsd ?? 0) / days) * 7 * PILOT_WEEKS;
	const capUsd = Math.max(MIN_CAP_USD, Math.ceil((estimate * PILOT_MARGIN) / 100) * 100);
	return {
		family: best ? `${best.label}, ${plural(best.gpus, "GPU")}` : "all burst jobs",
		team: best?.team ?? "all teams",
		policy,
		weeks: PILOT_WEEKS,
		capUsd,
		measure: [
			`Mean time to model (today ${span(asIs.meanTimeToModelS * 1000)})`,
			`Mean wait (today ${span(asIs.meanWaitS * 1000)})`,
			"Cloud cost per GPU-hour",
			"Interruptions and lost GPU-hours",
		],
		stopWhen: [
			`The cap of ${usdOf(capUsd)} is reached`,
			"The mean time to model is not shorter after two weeks",
			"More than 15% of rented GPU time is lost to interruptions",
		],
	};
}

function percent(share: number): string {
	return `${Math.round(share * 100)}%`;
}

function usdOf(usd: number): string {
	return `${usd < 0 ? "−" : ""}$${Math.abs(Math.round(usd)).toLocaleString("en-US")}`;
}
