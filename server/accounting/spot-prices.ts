import type { Provider } from "#server/domain/vocabulary.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { PriceStep } from "./meter-usage.ts";

/** A spot price as it was seen to begin. */
export interface PriceObservation {
	atMs: number;
	microUsdPerHour: bigint;
}

/**
 * The prices of a spot machine from its launch on, of those that were seen of its offer since then.
 *
 * Assumed, since no rule of a provider is on record here:
 * aws: the price in effect at the beginning of each instance-hour, counted from the launch, holds for that hour.
 * Others: a price holds from the moment at which it was seen.
 * All: a machine pays its offer's price, and an offer without a zone stands for all its zones.
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
