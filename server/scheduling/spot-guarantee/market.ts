import { HOUR_MS } from "#server/kernel/units.ts";
import { AGES, SPOT } from "./constants.ts";
import { ageWidthMs, expectedLifeMs } from "./learner.ts";
import type { SpotZone, ZoneModel } from "./types.ts";

/**
 * Several zones combined into one. The job is on the best of those that are up. When that one ends, with chance `elsewhere` another is up
 * and the job starts there, at an age drawn from `landing`; otherwise all are down until the first returns. Zones are assumed independent
 * ("Can't Be Late", 2.2: little correlation across zones).
 */
export interface Market {
	upEndsPerHour: readonly number[];
	downEndsPerHour: readonly number[];
	elsewhere: number;
	/** Chance of each age of the zone where it starts; the length is AGES. */
	landing: readonly number[];
	/** Equal markets have equal keys. */
	key: string;
}

/**
 * The market around the zone to start in, or the best zone so far. Its rates are rounded to a tenth.
 * @param lookDelayMs average delay until returned spot is found
 */
export function marketOf(best: SpotZone, zones: readonly SpotZone[], lookDelayMs = 0): Market {
	const own = factsOf(best.model);
	if (zones.length === 1 && lookDelayMs === 0) return { ...own.up, ...own.down, elsewhere: 0, key: `${own.upKey}|${own.downKey}` };
	let othersDown = 1;
	for (const zone of zones) if (zone.id !== best.id) othersDown *= 1 - factsOf(zone.model).availability;
	const elsewhere = Math.round((1 - othersDown) / SPOT.ratioStep) * SPOT.ratioStep;
	const delayHours = lookDelayMs / HOUR_MS;
	const down = best.model.downEndsPerHour.map((_, age) => {
		const perHour = zones.reduce((sum, zone) => sum + (zone.model.downEndsPerHour[age] ?? 0), 0);
		return perHour / (1 + perHour * delayHours);
	});
	const key = `${own.upKey}|${keyOf(down)}|${elsewhere.toFixed(2)}`;
	return { ...own.up, downEndsPerHour: down.map(rounded), elsewhere, key };
}

/** Price per hour of kept work: the price plus the changeover and the work that an interruption is expected to lose. */
export function effectivePrice(zone: SpotZone, lostMs: number, horizonMs: number): number {
	const lifeMs = expectedLifeMs(zone.model.upEndsPerHour, zone.ageMs, Math.max(HOUR_MS, horizonMs));
	return zone.microUsdPerHour * (1 + lostMs / lifeMs);
}

/** Long-run share of time that the zone is up. */
function availability(model: ZoneModel): number {
	const upMs = expectedLifeMs(model.upEndsPerHour, 0, LONG_MS);
	return upMs / (upMs + expectedLifeMs(model.downEndsPerHour, 0, LONG_MS));
}

/** Ages of an up zone at a random moment, in proportion to how many runs reach them and how long they stay. */
function landingOf(endsPerHour: readonly number[]): readonly number[] {
	let alive = 1;
	const weights: number[] = [];
	for (let age = 0; age < AGES; age++) {
		const perHour = Math.max(1e-6, endsPerHour[age] ?? 0);
		const end = 1 - Math.exp((-perHour * Math.min(LONG_MS, ageWidthMs(age))) / HOUR_MS);
		weights.push((alive * end) / perHour);
		alive *= 1 - end;
	}
	const total = weights.reduce((a, b) => a + b, 0);
	return weights.map((weight) => weight / total);
}

const LONG_MS = 7 * 24 * HOUR_MS;

/** Rounds rates to steps of a tenth, so that similar models share a table. */
const grain = (rate: number): number => Math.round(10 * Math.log(Math.max(1e-6, rate)));
const rounded = (rate: number): number => Math.exp(grain(rate) / 10);
const keyOf = (rates: readonly number[]): string => rates.map(grain).join();

interface ModelFacts {
	availability: number;
	up: Pick<Market, "upEndsPerHour" | "landing">;
	down: Pick<Market, "downEndsPerHour">;
	upKey: string;
	downKey: string;
}

/** Computed once per model. */
function factsOf(model: ZoneModel): ModelFacts {
	let facts = factsByModel.get(model);
	if (!facts) {
		const upEndsPerHour = model.upEndsPerHour.map(rounded);
		facts = {
			availability: availability(model),
			up: { upEndsPerHour, landing: landingOf(upEndsPerHour) },
			down: { downEndsPerHour: model.downEndsPerHour.map(rounded) },
			upKey: keyOf(model.upEndsPerHour),
			downKey: keyOf(model.downEndsPerHour),
		};
		factsByModel.set(model, facts);
	}
	return facts;
}
const factsByModel = new WeakMap<ZoneModel, ModelFacts>();
