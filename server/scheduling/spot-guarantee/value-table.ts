import { AGES, SPOT } from "./constants.ts";
import type { Market } from "./market.ts";
import { PHASES, type Steps, stepsOf } from "./phases.ts";

/** Key of a table. Times in ms; prices as shares of the firm price. */
export interface TableTerms {
	market: Market;
	/** Spot's price ÷ the firm price, below 1. */
	priceRatio: number;
	changeoverMs: number;
	checkpointEveryMs: number;
	/**
	 * Price of more expensive spot that is up ÷ the firm price, at most 1 (none). It counts as firm capacity while the slack allows a start
	 * on spot; below that, firm capacity itself is used.
	 */
	anchorRatio: number;
	/** Value of time ÷ the firm price; 0: none, as long as the deadline holds. */
	delayRatio: number;
	/** Whether work on firm capacity may move to spot later. */
	leavesFirm: boolean;
	/** Largest work left and slack that the table covers. */
	workMs: number;
	slackMs: number;
}

/**
 * Expected cost to finish, in ms of firm capacity's price, of each option, minus the value of the slack left then; infinite if the option
 * is not available.
 */
export interface NextStepCosts {
	startSpot: number;
	startFirm: number;
	stayFirm: number;
	wait: number;
}

/**
 * Expected cost of finishing by the deadline under the best choices, over work left × slack × the market's phase, for a job on spot, on
 * firm capacity, or nowhere. Backward induction: running reduces the work and waiting reduces the slack, so every step reads cells computed
 * before. Slack = time left − work left; without slack only firm capacity is available.
 *
 * The value is an estimate: it chooses among options that are all safe (safety.ts), and never decides whether one is safe.
 */
export class ValueTable {
	readonly #workStepMs: number;
	readonly #slackStepMs: number;
	readonly #works: number;
	readonly #slacks: number;
	readonly #terms: TableTerms;
	readonly #bySpot: Float32Array;
	readonly #byFirm: Float32Array;
	readonly #byStayingFirm: Float32Array;
	readonly #byNone: Float32Array;
	readonly #byWaiting: Float32Array;
	readonly #boot: Steps;
	/** Minimum slack, in steps, for a start on spot. */
	readonly #needed: number;

	constructor(terms: TableTerms) {
		this.#terms = terms;
		this.#workStepMs = Math.max(8 * terms.changeoverMs, terms.workMs / SPOT.workCells);
		this.#slackStepMs = Math.max(2 * terms.changeoverMs, terms.slackMs / SPOT.slackCells);
		this.#works = Math.ceil(terms.workMs / this.#workStepMs) + 1;
		this.#slacks = Math.ceil(terms.slackMs / this.#slackStepMs) + 2;
		const cells = this.#works * this.#slacks;
		this.#bySpot = new Float32Array(cells * AGES);
		this.#byFirm = new Float32Array(cells * PHASES);
		this.#byStayingFirm = new Float32Array(cells * PHASES);
		this.#byNone = new Float32Array(cells * PHASES);
		this.#byWaiting = new Float32Array(cells * PHASES);
		this.#boot = stepsOf(terms.market, terms.changeoverMs, true);
		this.#needed = Math.ceil((2 * terms.changeoverMs + terms.checkpointEveryMs) / this.#slackStepMs - 1e-9);
		this.#fill();
	}

	/** Costs of the options in a phase of the market, with this much work and slack left. About 2 µs. */
	at(phase: number, workMs: number, slackMs: number): NextStepCosts {
		const { changeoverMs, priceRatio } = this.#terms;
		const booted = this.#cell(workMs, slackMs - changeoverMs);
		let startSpot = Number.POSITIVE_INFINITY;
		if (phase < AGES) {
			const { offsets, to, chance, ended } = this.#boot;
			startSpot = priceRatio * changeoverMs + (ended[phase] ?? 0) * this.#read(this.#byNone, PHASES, AGES, booted);
			for (let k = offsets[phase] ?? 0; k < (offsets[phase + 1] ?? 0); k++)
				startSpot += (chance[k] ?? 0) * this.#read(this.#bySpot, AGES, to[k] ?? 0, booted);
		}
		const here = this.#cell(workMs, slackMs);
		return {
			startSpot,
			startFirm: changeoverMs * this.#firmRatio(slackMs / this.#slackStepMs) + this.#read(this.#byFirm, PHASES, phase, booted),
			stayFirm: this.#read(this.#byStayingFirm, PHASES, phase, here),
			wait: slackMs < 2 * this.#slackStepMs ? Number.POSITIVE_INFINITY : this.#read(this.#byWaiting, PHASES, phase, here),
		};
	}

	/** Cost of capacity that is not reclaimed, with this much slack. */
	#firmRatio(slack: number): number {
		return slack >= this.#needed ? this.#terms.anchorRatio : 1;
	}

	#cell(workMs: number, slackMs: number): { index: number; work: number; slack: number } {
		const work = Math.min(this.#works - 1.001, Math.max(0, workMs / this.#workStepMs));
		const slack = Math.min(this.#slacks - 1.001, Math.max(0, slackMs / this.#slackStepMs));
		const [i, j] = [Math.floor(work), Math.floor(slack)];
		return { index: i * this.#slacks + j, work: work - i, slack: slack - j };
	}

	/** Bilinear interpolation between the four surrounding cells. */
	#read(values: Float32Array, width: number, column: number, cell: { index: number; work: number; slack: number }): number {
		const at = cell.index * width + column;
		const up = at + this.#slacks * width;
		const low = (1 - cell.slack) * (values[at] ?? 0) + cell.slack * (values[at + width] ?? 0);
		const high = (1 - cell.slack) * (values[up] ?? 0) + cell.slack * (values[up + width] ?? 0);
		return (1 - cell.work) * low + cell.work * high;
	}

	#fill(): void {
		const { market, delayRatio } = this.#terms;
		if (delayRatio > 0) this.#fillDone(delayRatio);
		const run = stepsOf(market, this.#workStepMs, true);
		const watch = stepsOf(market, this.#workStepMs, false);
		const rest = stepsOf(market, this.#slackStepMs, false);
		const join = new Float64Array(AGES);
		for (let work = 1; work < this.#works; work++) {
			for (let slack = 0; slack < this.#slacks; slack++) {
				const cell = work * this.#slacks + slack;
				this.#fillSpot(cell, slack, run);
				join.fill(Number.POSITIVE_INFINITY);
				if (slack >= this.#needed) this.#fillJoin(cell, join);
				this.#fillFirm(cell, slack, join, watch);
				this.#fillNone(cell, work, slack, join, rest);
			}
		}
	}

	/** Value of finishing: slack not used for waiting and changeovers finishes the job sooner. */
	#fillDone(delayRatio: number): void {
		for (let slack = 0; slack < this.#slacks; slack++) {
			const worth = -delayRatio * slack * this.#slackStepMs;
			this.#bySpot.fill(worth, slack * AGES, (slack + 1) * AGES);
			for (const values of [this.#byFirm, this.#byStayingFirm, this.#byNone, this.#byWaiting])
				values.fill(worth, slack * PHASES, (slack + 1) * PHASES);
		}
	}

	/** A step of work on spot. If the run ends in it, half a checkpoint interval of work is lost on average. */
	#fillSpot(cell: number, slack: number, run: Steps): void {
		const { priceRatio, checkpointEveryMs, market } = this.#terms;
		const stepMs = this.#workStepMs;
		const below = cell - this.#slacks;
		for (let age = 0; age < AGES; age++) {
			const ended = run.ended[age] ?? 0;
			const endedAfterMs = run.endedAfterMs[age] ?? 0;
			const lostMs = Math.min(endedAfterMs, checkpointEveryMs / 2);
			const kept = (endedAfterMs - lostMs) / stepMs;
			const lessSlack = Math.min(1, lostMs / this.#slackStepMs);
			const after = (phase: number): number => {
				const same = (this.#byNone[below * PHASES + phase] ?? 0) + (1 - kept) * stepMs;
				if (slack === 0) return same;
				const less =
					(1 - kept) * (this.#byNone[(cell - 1) * PHASES + phase] ?? 0) + kept * (this.#byNone[(below - 1) * PHASES + phase] ?? 0);
				return lessSlack * less + (1 - lessSlack) * Math.min(less, same);
			};
			let value = priceRatio * stepMs * (1 - ended) + dot(run, age, this.#bySpot, below * AGES);
			if (ended > 0) value += ended * (priceRatio * endedAfterMs + this.#afterEnd(market, after));
			this.#bySpot[cell * AGES + age] = value;
		}
	}

	/** Mean over the states after a run ends: nowhere, or in another zone's run. */
	#afterEnd(market: Market, after: (phase: number) => number): number {
		let value = (1 - market.elsewhere) * after(AGES);
		if (market.elsewhere > 0) for (let age = 0; age < AGES; age++) value += market.elsewhere * (market.landing[age] ?? 0) * after(age);
		return value;
	}

	/** Starting on spot: the changeover is paid at its price and subtracted from the slack. */
	#fillJoin(cell: number, join: Float64Array): void {
		const { priceRatio, changeoverMs } = this.#terms;
		const share = changeoverMs / this.#slackStepMs;
		const boot = this.#boot;
		for (let age = 0; age < AGES; age++)
			join[age] =
				priceRatio * changeoverMs +
				share * dot(boot, age, this.#bySpot, (cell - 1) * AGES) +
				(1 - share) * dot(boot, age, this.#bySpot, cell * AGES) +
				(boot.ended[age] ?? 0) * (this.#byNone[(cell - 1) * PHASES + AGES] ?? 0);
	}

	#fillFirm(cell: number, slack: number, join: Float64Array, watch: Steps): void {
		const { leavesFirm } = this.#terms;
		const below = (cell - this.#slacks) * PHASES;
		for (let phase = 0; phase < PHASES; phase++) {
			const stay = this.#firmRatio(slack) * this.#workStepMs + dot(watch, phase, this.#byFirm, below);
			this.#byStayingFirm[cell * PHASES + phase] = stay;
			const leave = leavesFirm && phase < AGES ? (join[phase] ?? stay) : stay;
			this.#byFirm[cell * PHASES + phase] = Math.min(stay, leave);
		}
	}

	#fillNone(cell: number, work: number, slack: number, join: Float64Array, rest: Steps): void {
		const { changeoverMs } = this.#terms;
		const share = changeoverMs / this.#slackStepMs;
		for (let phase = 0; phase < PHASES; phase++) {
			const at = cell * PHASES + phase;
			const firm = this.#byFirm[at] ?? 0;
			let best = changeoverMs + work * this.#workStepMs;
			if (slack > 0) best = this.#firmRatio(slack) * changeoverMs + share * (this.#byFirm[at - PHASES] ?? 0) + (1 - share) * firm;
			const wait = slack < 2 ? Number.POSITIVE_INFINITY : dot(rest, phase, this.#byNone, (cell - 1) * PHASES);
			this.#byWaiting[at] = Math.min(wait, ENDLESS);
			this.#byNone[at] = Math.min(best, wait, phase < AGES ? (join[phase] ?? best) : best);
		}
	}
}

/** Marks "not available" between cells, where infinity would corrupt the mean. */
const ENDLESS = 1e15;

function dot(steps: Steps, row: number, values: Float32Array, from: number): number {
	let sum = 0;
	for (let k = steps.offsets[row] ?? 0; k < (steps.offsets[row + 1] ?? 0); k++)
		sum += (steps.chance[k] ?? 0) * (values[from + (steps.to[k] ?? 0)] ?? 0);
	return sum;
}
