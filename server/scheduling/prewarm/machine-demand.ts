import { HOUR_MS } from "#server/kernel/units.ts";
import { DemandForecaster } from "../demand/forecaster.ts";
import { HourlyPeak } from "./hourly-peak.ts";
import type { MachinesNeeded, PrewarmEffect } from "./types.ts";

/** Hours before the forecast counts. */
const LEARN_HOURS = 24;
/** Machines are kept for the hour that needs most of these: a running machine is expensive to keep, a stopped one is not. */
const HORIZON_HOURS: Readonly<Record<PrewarmEffect["state"], number>> = { running: 1, stopped: 24 };

/** How many machines of a kind jobs use at once: now, and in the hours to come as forecast from each hour's peak. */
export class MachineDemand {
	readonly #forecaster: DemandForecaster;
	readonly #inUse: HourlyPeak;
	#needed: MachinesNeeded | null = null;

	/** @param fromMs its first hour, UTC ms. */
	constructor(fromMs: number, state: PrewarmEffect["state"]) {
		const fromHour = Math.floor(fromMs / HOUR_MS);
		this.#forecaster = new DemandForecaster(fromHour);
		this.#inUse = new HourlyPeak(fromHour * HOUR_MS, (peak) => this.#learn(peak, HORIZON_HOURS[state]));
	}

	/** null until a day is learned. */
	get needed(): MachinesNeeded | null {
		return this.#needed;
	}

	get inUse(): number {
		return this.#inUse.level;
	}

	add(by: number, nowMs: number): void {
		this.#inUse.add(by, nowMs);
	}

	advance(nowMs: number): void {
		this.#inUse.advance(nowMs);
	}

	#learn(peak: number, horizonHours: number): void {
		this.#forecaster.push(peak);
		if (this.#forecaster.learned < LEARN_HOURS) return;
		const needed = { p10: 0, p50: 0, p90: 0 };
		for (const { p10, p50, p90 } of this.#forecaster.forecast(horizonHours)) {
			needed.p10 = Math.max(needed.p10, p10);
			needed.p50 = Math.max(needed.p50, p50);
			needed.p90 = Math.max(needed.p90, p90);
		}
		this.#needed = needed;
	}
}
