import type { BudgetDetail } from "#components/budgets/params.ts";
import { findReachingDay } from "#server/domain/cap-what-if.ts";

type Input = Pick<BudgetDetail, "days" | "ahead" | "capMicroUsd" | "postedMicroUsd" | "heldMicroUsd" | "forecast" | "atCap">;

export interface WayStep {
	percent: number;
	what: string;
	more: string | null;
	/** Actual or expected day of crossing; null if not within this period. */
	dayMs: number | null;
	passed: boolean;
}

const AT_CAP: Record<BudgetDetail["atCap"], { what: string; more: string }> = {
	hold: {
		what: "New bursts stop; jobs wait for owned GPUs",
		more: "Running machines continue; their worst case is held.",
	},
	"checkpoint-and-return": {
		what: "New bursts stop; cloud jobs move back to owned GPUs",
		more: "Jobs that no longer fit save a checkpoint and are queued again.",
	},
	terminate: {
		what: "New bursts stop; machines over the cap are terminated",
		more: "Their jobs are queued again and lose work since the last checkpoint.",
	},
};

/** Builds the thresholds with their dates and effects: lower ones send alerts, the cap enforces. */
export function prepareWay(input: Input, thresholdsPercent: readonly number[]): WayStep[] {
	const percents = [...new Set([...thresholdsPercent, 100])].sort((a, b) => a - b);
	return percents.map((percent) => {
		const isAlerting = thresholdsPercent.includes(percent);
		const words = percent === 100 ? AT_CAP[input.atCap] : { what: "Opens an alert", more: null };
		const more = percent === 100 && isAlerting ? `Opens an alert. ${words.more}` : words.more;
		return { percent, what: words.what, more, ...whenReached(input, (input.capMicroUsd * BigInt(percent)) / 100n) };
	});
}

/** Counts posted money, as alerts do. */
function whenReached({ days, ahead }: Input, microUsd: bigint): Pick<WayStep, "dayMs" | "passed"> {
	let posted = 0n;
	for (const day of days) {
		posted += day.postedMicroUsd;
		if (posted >= microUsd && posted > 0n) return { dayMs: day.dayStartMs, passed: true };
	}
	return { dayMs: findReachingDay(ahead, microUsd), passed: false };
}

/**
 * Probability from 0 to 1 of exceeding the cap before the period ends; null without a forecast. The forecast range is
 * the 10th to 90th percentile of a normal distribution, 1.2816 standard deviations each side (accounting/forecast.ts).
 */
export function chanceOfPassing({ capMicroUsd, forecast }: Pick<Input, "capMicroUsd" | "forecast">): number | null {
	if (!forecast) return null;
	const room = Number(capMicroUsd - forecast.expectedMicroUsd);
	const deviation = Number(forecast.highMicroUsd - forecast.expectedMicroUsd) / 1.2816;
	if (deviation <= 0) return room < 0 ? 1 : 0;
	return 1 - normalBelow(room / deviation);
}

/** Normal CDF with error below 1e-7: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17. */
function normalBelow(z: number): number {
	const t = 1 / (1 + 0.2316419 * Math.abs(z));
	const poly = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
	const upper = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * poly;
	return z >= 0 ? 1 - upper : upper;
}

/** "about a 1 in 4 chance": rounded to what the forecast supports. */
export function chanceWords(chance: number): string {
	if (chance < 0.02) return "unlikely to reach the cap";
	if (chance > 0.98) return "almost certain to reach the cap";
	if (chance <= 0.5) return `about a 1 in ${Math.round(1 / chance)} chance of reaching the cap`;
	return `about a ${Math.round(chance * 10)} in 10 chance of reaching the cap`;
}
