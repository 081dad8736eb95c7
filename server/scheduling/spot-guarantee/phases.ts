import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { AGES } from "./constants.ts";
import { ageWidthMs } from "./learner.ts";
import type { Market } from "./market.ts";

/** Phases of a market: 0..AGES-1 up, by age; AGES..2·AGES-1 down, by age. */
export const PHASES = 2 * AGES;

export function phaseOf(up: boolean, age: number): number {
	return up ? age : AGES + age;
}

/** Rows of a sparse matrix: the chances of being in `to[k]` after the step, for k from offsets[i] to offsets[i+1]. */
export interface Steps {
	offsets: Int32Array;
	to: Int32Array;
	chance: Float64Array;
	/** The missing part of each row's sum: the chance that an up run has ended (only when runs are tracked to their end). */
	ended: Float64Array;
	/** Mean time into the step at which it ended, if it did, ms. */
	endedAfterMs: Float64Array;
}

/** Transition chances of a market's phases after `stepMs`. With `untilEnd`, only rows of up phases, and ended runs leave the matrix. */
export function stepsOf(market: Market, stepMs: number, untilEnd: boolean): Steps {
	const pieces = Math.max(1, Math.ceil(stepMs / PIECE_MS));
	const piece = pieceOf(market, stepMs / pieces, untilEnd);
	let rows = piece;
	const endTimes = piece.map((row) => (1 - total(row)) / 2);
	for (let i = 1; i < pieces; i++) {
		const next = rows.map((row) => times(row, piece));
		for (const [phase, row] of next.entries()) endTimes[phase] = (endTimes[phase] ?? 0) + (total(rows[phase]) - total(row)) * (i + 0.5);
		rows = next;
	}
	const steps = sparse(rows);
	const endedAfterMs = steps.ended.map((ended, phase) => (ended > 0 ? ((endTimes[phase] ?? 0) / ended) * (stepMs / pieces) : 0));
	return { ...steps, endedAfterMs };
}

/** As long as the shortest age is wide, so that a run's age advances by at most one within it. */
const PIECE_MS = 10 * MINUTE_MS;
/** Chances below this are spread over the others. */
const NEGLIGIBLE = 2e-3;

/** An age ends at a rate given by its width (a phase-type run length), so a table needs only the phase. */
function pieceOf(market: Market, ms: number, untilEnd: boolean): Float64Array[] {
	const rows: Float64Array[] = [];
	for (let phase = 0; phase < (untilEnd ? AGES : PHASES); phase++) {
		const row = new Float64Array(PHASES);
		const up = phase < AGES;
		const age = phase % AGES;
		const rate = (up ? market.upEndsPerHour : market.downEndsPerHour)[age] ?? 0;
		const end = 1 - Math.exp((-rate * ms) / HOUR_MS);
		const older = Math.min(1, ms / ageWidthMs(age));
		add(row, phaseOf(up, Math.min(AGES - 1, age + 1)), (1 - end) * older);
		add(row, phase, (1 - end) * (1 - older));
		if (!untilEnd) addEnd(row, market, up, end);
		rows.push(row);
	}
	return rows;
}

function addEnd(row: Float64Array, market: Market, up: boolean, end: number): void {
	if (!up) {
		add(row, 0, end);
		return;
	}
	add(row, AGES, end * (1 - market.elsewhere));
	for (let age = 0; age < AGES; age++) add(row, age, end * market.elsewhere * (market.landing[age] ?? 0));
}

function add(row: Float64Array, to: number, chance: number): void {
	row[to] = (row[to] ?? 0) + chance;
}

function times(row: Float64Array, matrix: readonly Float64Array[]): Float64Array {
	const product = new Float64Array(PHASES);
	for (const [i, next] of matrix.entries()) {
		const chance = row[i] ?? 0;
		if (chance > 0) for (let to = 0; to < PHASES; to++) add(product, to, chance * (next[to] ?? 0));
	}
	return product;
}

function total(row: Float64Array | undefined): number {
	return row ? row.reduce((a, b) => a + b, 0) : 0;
}

function sparse(rows: readonly Float64Array[]): Omit<Steps, "endedAfterMs"> {
	const offsets = new Int32Array(rows.length + 1);
	const ended = new Float64Array(rows.length);
	const to: number[] = [];
	const chance: number[] = [];
	for (const [i, row] of rows.entries()) {
		const sum = row.reduce((a, b) => a + b, 0);
		const kept = row.reduce((a, b) => a + (b > NEGLIGIBLE ? b : 0), 0);
		for (const [phase, share] of row.entries()) {
			if (share <= NEGLIGIBLE) continue;
			to.push(phase);
			chance.push((share / kept) * sum);
		}
		offsets[i + 1] = to.length;
		ended[i] = Math.max(0, 1 - sum);
	}
	return { offsets, to: Int32Array.from(to), chance: Float64Array.from(chance), ended };
}
