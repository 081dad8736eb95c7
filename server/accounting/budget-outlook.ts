import { type DailySpend, forecastSpend } from "./forecast.ts";
import { type Calendar, UTC } from "./zone.ts";

/** A team's demand for GPUs in what is left of the period ÷ its mean over the days of `history`: at most this with 10, 50 and 90%. */
export interface DemandChange {
	p10: number;
	p50: number;
	p90: number;
}

export interface TeamFacts {
	team: string;
	/** Charges of the whole days before today, zeros included. */
	history: readonly DailySpend[];
	/** null: no forecast, or no demand in these days. */
	demand: DemandChange | null;
}

/** Cost of the rest of the period if it follows the team's demand. */
export interface TeamOutlook {
	team: string;
	/** At the spending of the last days. */
	unchangedMicroUsd: bigint;
	demand: DemandChange | null;
	lowMicroUsd: bigint;
	expectedMicroUsd: bigint;
	highMicroUsd: bigint;
}

export interface BudgetOutlook {
	/** Posted, and the rest of the period of all teams together: each at its P10, P50 and P90. */
	lowMicroUsd: bigint;
	expectedMicroUsd: bigint;
	highMicroUsd: bigint;
	/** The team that the end depends on most comes first. */
	teams: TeamOutlook[];
}

const MILLION = 1_000_000;

/**
 * The end of a budget's period if each team's cloud cost follows its demand in proportion (an assumption): the mean of each weekday, as in
 * the forecast, times the change of the team's demand. null with too few days for that forecast.
 */
export function budgetOutlook(input: {
	postedMicroUsd: bigint;
	teams: readonly TeamFacts[];
	nowMs: number;
	periodEndMs: number;
	calendar?: Calendar;
}): BudgetOutlook | null {
	const { nowMs, periodEndMs, calendar = UTC } = input;
	const teams: TeamOutlook[] = [];
	for (const { team, history, demand } of input.teams) {
		const rest = forecastSpend({ spentSoFarMicroUsd: 0n, history, nowMs, periodEndMs, calendar });
		if (!rest) return null;
		const unchangedMicroUsd = rest.expectedMicroUsd;
		teams.push({
			...{ team, unchangedMicroUsd, demand },
			lowMicroUsd: times(unchangedMicroUsd, demand?.p10),
			expectedMicroUsd: times(unchangedMicroUsd, demand?.p50),
			highMicroUsd: times(unchangedMicroUsd, demand?.p90),
		});
	}
	const end = (of: (outlook: TeamOutlook) => bigint) => teams.reduce((sum, outlook) => sum + of(outlook), input.postedMicroUsd);
	return {
		lowMicroUsd: end((t) => t.lowMicroUsd),
		expectedMicroUsd: end((t) => t.expectedMicroUsd),
		highMicroUsd: end((t) => t.highMicroUsd),
		teams: teams.toSorted((a, b) => Number(widthOf(b) - widthOf(a)) || (a.team < b.team ? -1 : 1)),
	};
}

function widthOf({ lowMicroUsd, highMicroUsd }: TeamOutlook): bigint {
	return highMicroUsd - lowMicroUsd;
}

function times(microUsd: bigint, change = 1): bigint {
	return (microUsd * BigInt(Math.round(change * MILLION))) / BigInt(MILLION);
}
