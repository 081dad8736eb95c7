import type { BudgetDetail } from "#components/budgets/params.ts";

type Input = Pick<BudgetDetail, "days" | "ahead" | "capMicroUsd" | "postedMicroUsd" | "heldMicroUsd" | "forecast" | "atCap">;

export interface WayStep {
	percent: number;
	what: string;
	more: string | null;
	/** The day on which it was passed, or is expected to be; null: not within this period. */
	dayMs: number | null;
	passed: boolean;
}

const AT_CAP: Record<BudgetDetail["atCap"], { what: string; more: string }> = {
	hold: {
		what: "No new bursts: jobs wait for room at home",
		more: "Running machines go on: their worst case is held already, so the cap is not passed.",
	},
	"checkpoint-and-return": {
		what: "No new bursts, and what runs in the cloud comes home",
		more: "Running jobs that no longer fit save a checkpoint and wait again.",
	},
	terminate: {
		what: "No new bursts, and machines that no longer fit are ended",
		more: "Their jobs wait again; work since the last checkpoint is lost.",
	},
};

/** What happens on the way to the cap, and when: thresholds tell people, the cap itself holds. */
export function prepareWay(input: Input, thresholdsPercent: readonly number[]): WayStep[] {
	const percents = [...new Set([...thresholdsPercent, 100])].sort((a, b) => a - b);
	return percents.map((percent) => {
		const told = thresholdsPercent.includes(percent);
		const words = percent === 100 ? AT_CAP[input.atCap] : { what: "People are told", more: null };
		const more = percent === 100 && told ? `People are told. ${words.more}` : words.more;
		return { percent, what: words.what, more, ...whenReached(input, (input.capMicroUsd * BigInt(percent)) / 100n) };
	});
}

/** Posted money counts, as for the alerts. */
function whenReached({ days, ahead }: Input, microUsd: bigint): Pick<WayStep, "dayMs" | "passed"> {
	let posted = 0n;
	for (const day of days) {
		posted += day.postedMicroUsd;
		if (posted >= microUsd && posted > 0n) return { dayMs: day.dayStartMs, passed: true };
	}
	const next = ahead.find((a) => a.expectedMicroUsd >= microUsd);
	// A day is told by a moment within it: the forecast is of its end.
	return { dayMs: next ? next.atMs - 1 : null, passed: false };
}

/**
 * How likely the cap is passed before the period ends, from the forecast's range: the likely range is the 10th to the
 * 90th percentile of a normal distribution, 1.2816 standard deviations to each side (accounting/forecast.ts). From 0 to 1;
 * null without a forecast.
 */
export function chanceOfPassing({ capMicroUsd, forecast }: Pick<Input, "capMicroUsd" | "forecast">): number | null {
	if (!forecast) return null;
	const room = Number(capMicroUsd - forecast.expectedMicroUsd);
	const deviation = Number(forecast.highMicroUsd - forecast.expectedMicroUsd) / 1.2816;
	if (deviation <= 0) return room < 0 ? 1 : 0;
	return 1 - normalBelow(room / deviation);
}

/** Φ, to 1e-7: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.17. */
function normalBelow(z: number): number {
	const t = 1 / (1 + 0.2316419 * Math.abs(z));
	const poly = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
	const upper = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * poly;
	return z >= 0 ? 1 - upper : upper;
}

/** "about 1 chance in 4", in words that promise no more than is known. */
export function chanceWords(chance: number): string {
	if (chance < 0.02) return "it is not expected to be reached";
	if (chance > 0.98) return "it is all but certain to be reached";
	if (chance <= 0.5) return `there is about 1 chance in ${Math.round(1 / chance)} that it is reached`;
	return `there are about ${Math.round(chance * 10)} chances in 10 that it is reached`;
}
