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

/** Chances of all phases, and uptime so far, after each whole step from one observed state. */
interface Path {
	chances: Float64Array[];
	upMs: number[];
}

/**
 * Follows the zone's model from its last observed state. Cost: some microseconds for one step of ten minutes; earlier steps are kept for
 * the next call with the same model and state.
 */
export function presenceAfter(model: ZoneModel, up: boolean, ageMs: number, sinceMs: number): Presence {
	const steps = stepsFor(model);
	const path = pathFrom(model, phaseOf(up, ageIndex(ageMs)));
	const count = Math.min(STEPS_MAX, sinceMs / STEP_MS);
	const whole = Math.floor(count);
	for (let i = path.chances.length - 1; i < whole; i++) {
		const before = path.chances[i] ?? new Float64Array(PHASES);
		const next = stepOf(steps, before);
		path.chances.push(next);
		path.upMs.push((path.upMs[i] ?? 0) + (STEP_MS * (chanceUp(before) + chanceUp(next))) / 2);
	}
	const chances = path.chances[whole] ?? new Float64Array(PHASES);
	const before = chanceUp(chances);
	const upMs = path.upMs[whole] ?? 0;
	const share = count - whole;
	if (share === 0) return { chance: before, upMs };
	const next = stepOf(steps, chances);
	for (let phase = 0; phase < PHASES; phase++) next[phase] = share * (next[phase] ?? 0) + (1 - share) * (chances[phase] ?? 0);
	const after = chanceUp(next);
	return { chance: after, upMs: upMs + (share * STEP_MS * (before + after)) / 2 };
}

const pathsByModel = new WeakMap<ZoneModel, Map<number, Path>>();

function pathFrom(model: ZoneModel, phase: number): Path {
	let paths = pathsByModel.get(model);
	if (!paths) {
		paths = new Map();
		pathsByModel.set(model, paths);
	}
	let path = paths.get(phase);
	if (!path) {
		const chances = new Float64Array(PHASES);
		chances[phase] = 1;
		path = { chances: [chances], upMs: [0] };
		paths.set(phase, path);
	}
	return path;
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
