import type { Provider } from "#server/domain/vocabulary.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { PriceStep } from "./meter-usage.ts";

/** A spot price from when it was first observed. */
export interface PriceObservation {
	atMs: number;
	microUsdPerHour: bigint;
}

/**
 * The prices of a spot machine from its launch, based on the prices observed for its offer since then.
 *
 * Assumptions, since no provider rule is on record here: aws: the price at the beginning of each instance-hour,
 * counted from the launch, applies for that hour. Others: a price applies from when it was observed. All: a machine
 * pays its offer's price, and an offer without a zone covers all zones.
 */
export function spotSteps(input: {
	provider: Provider;
	startMs: number;
	launch: Omit<PriceStep, "fromMs">;
	/** In order of time. */
	observed: readonly PriceObservation[];
}): PriceStep[] {
	const { startMs, launch } = input;
	const steps: PriceStep[] = [{ fromMs: startMs, ...launch }];
	for (const { atMs, microUsdPerHour } of input.observed) {
		if (atMs <= startMs) continue;
		const fromMs = input.provider === "aws" ? startMs + Math.ceil((atMs - startMs) / HOUR_MS) * HOUR_MS : atMs;
		if (steps.at(-1)?.fromMs === fromMs) steps.pop();
		steps.push({ fromMs, microUsdPerHour, listMicroUsdPerHour: launch.listMicroUsdPerHour });
	}
	return steps.filter((step, i) => i === 0 || step.microUsdPerHour !== steps[i - 1]?.microUsdPerHour);
}
