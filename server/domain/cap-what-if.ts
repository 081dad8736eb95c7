import type { MicroUsd } from "../kernel/money.ts";

export interface SpendRange {
	lowMicroUsd: MicroUsd;
	expectedMicroUsd: MicroUsd;
	highMicroUsd: MicroUsd;
}

export interface CapFacts {
	postedMicroUsd: MicroUsd;
	/** Worst case of running instances. */
	heldMicroUsd: MicroUsd;
	/** Forecast at the end of the period. */
	forecast: SpendRange;
}

export interface CapWhatIf {
	/** Posted at the end of the period under the cap. */
	end: SpendRange;
	/** Forecast cost from now to the end of the period. */
	toComeMicroUsd: MicroUsd;
	/** The part of it that does not fit the cap: this work waits. */
	waitingMicroUsd: MicroUsd;
	/** `waitingMicroUsd` of `toComeMicroUsd`, 0 to 1. */
	waitingShare: number;
	/** Posted and held reach the cap: no new instance fits now. */
	reachedNow: boolean;
}

/**
 * The end of a period under another cap. Spend stops at the cap; running instances are never stopped by the estimate, so it can
 * reach what is posted and held.
 */
export function estimateCap({ postedMicroUsd, heldMicroUsd, forecast }: CapFacts, capMicroUsd: MicroUsd): CapWhatIf {
	const committed = postedMicroUsd + heldMicroUsd;
	const most = capMicroUsd > committed ? capMicroUsd : committed;
	const limit = (forecastMicroUsd: MicroUsd) => (forecastMicroUsd < most ? forecastMicroUsd : most);
	const end = {
		lowMicroUsd: limit(forecast.lowMicroUsd),
		expectedMicroUsd: limit(forecast.expectedMicroUsd),
		highMicroUsd: limit(forecast.highMicroUsd),
	};
	const toComeMicroUsd = forecast.expectedMicroUsd - postedMicroUsd;
	const waitingMicroUsd = forecast.expectedMicroUsd - end.expectedMicroUsd;
	const waitingShare = toComeMicroUsd > 0n ? Number(waitingMicroUsd) / Number(toComeMicroUsd) : 0;
	return { end, toComeMicroUsd, waitingMicroUsd, waitingShare, reachedNow: committed >= capMicroUsd };
}

/** The day on which a forecast reaches an amount, as a moment within it; null if it does not. `ahead` has the end of each remaining day. */
export function findReachingDay(ahead: readonly { atMs: number; expectedMicroUsd: MicroUsd }[], microUsd: MicroUsd): number | null {
	const day = ahead.find(({ expectedMicroUsd }) => expectedMicroUsd >= microUsd);
	return day ? day.atMs - 1 : null;
}
