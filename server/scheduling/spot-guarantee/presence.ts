import { HOUR_MS } from "#server/kernel/units.ts";
import { AGES } from "./constants.ts";
import { ageIndex } from "./learner.ts";
import { marketOf } from "./market.ts";
import { PHASES, phaseOf, type Steps, stepsOf } from "./phases.ts";
import type { ZoneModel } from "./types.ts";

/** Expected state of a zone some time after its last observation. */
export interface Presence {
	/** Chance that an instance is available now. */
	chance: number;
	/** Expected uptime since the last observation, ms. */
	upMs: number;
}

const STEP_MS = HOUR_MS / 6;
/** Beyond this, only the zone's long-run averages are known. */
const STEPS_MAX = 24 * 6;

/** Follows the zone's model from its last observed state. Cost: some microseconds for each ten minutes since then. */
export function presenceAfter(model: ZoneModel, up: boolean, ageMs: number, sinceMs: number): Presence {
	const steps = stepsFor(model);
	let chances = new Float64Array(PHASES);
	chances[phaseOf(up, ageIndex(ageMs))] = 1;
	let upMs = 0;
	const count = Math.min(STEPS_MAX, sinceMs / STEP_MS);
	for (let i = 0; i < count; i++) {
		const before = chanceUp(chances);
		const next = stepOf(steps, chances);
		const share = Math.min(1, count - i);
		for (let phase = 0; phase < PHASES; phase++) next[phase] = share * (next[phase] ?? 0) + (1 - share) * (chances[phase] ?? 0);
		chances = next;
		upMs += (share * STEP_MS * (before + chanceUp(chances))) / 2;
	}
	return { chance: chanceUp(chances), upMs };
}

/** For a zone without observations: up as often as down (the prior is the same for both). */
export const UNSEEN: Presence = { chance: 0.5, upMs: Number.POSITIVE_INFINITY };

function stepOf({ offsets, to, chance }: Steps, from: Float64Array): Float64Array<ArrayBuffer> {
	const next = new Float64Array(PHASES);
	for (let phase = 0; phase < PHASES; phase++)
		for (let k = offsets[phase] ?? 0; k < (offsets[phase + 1] ?? 0); k++) {
			const at = to[k] ?? 0;
			next[at] = (next[at] ?? 0) + (from[phase] ?? 0) * (chance[k] ?? 0);
		}
	return next;
}

function chanceUp(chances: Float64Array): number {
	let sum = 0;
	for (let phase = 0; phase < AGES; phase++) sum += chances[phase] ?? 0;
	return sum;
}

function stepsFor(model: ZoneModel): Steps {
	let steps = stepsByModel.get(model);
	if (!steps) {
		const zone = { id: "", microUsdPerHour: 1, up: true, ageMs: 0, model };
		steps = stepsOf(marketOf(zone, [zone]), STEP_MS, false);
		stepsByModel.set(model, steps);
	}
	return steps;
}
const stepsByModel = new WeakMap<ZoneModel, Steps>([]);
