import { HOURS_PER_WEEK, LEAD_GROUPS, LEADS, leadGroup, seasonOf } from "./leads.ts";
import { PROBABILITIES, Spread } from "./spread.ts";

/** GPUs requested in one hour: at most p10, p50 and p90 with these probabilities. */
export interface DemandPoint {
	hour: number;
	p10: number;
	p50: number;
	p90: number;
}

/** Weight of the weekly pattern, half-life of the level, and decay time of a deviation from it, hours. */
interface Expert {
	season: number;
	levelHours: number;
	decayHours: number;
}

const EXPERTS: readonly Expert[] = [0, 0.5, 1].flatMap((season) =>
	[72, 720].flatMap((levelHours) => [30, 120, 480, 4_000].map((decayHours) => ({ season, levelHours, decayHours }))),
);
/** Weight of a week in the pattern after four weeks: half. */
const SEASON_DECAY = 0.5 ** (1 / 4);
/** Weight, in weeks, of the mean that an hour of the week shrinks towards. */
const SEASON_PRIOR = 0.3;
/** Half-life of the current level, hours. */
const NOW_HOURS = 2;
/** Decay factor of a model's accumulated losses per scored forecast. */
const LOSS_DECAY = 0.998;
/** A model with an eighth more error than the best one gets 1/e of its weight. */
const SHARPNESS = 8;
const SCORE_EVERY_HOURS = 6;

interface Waiting {
	lead: number;
	points: number[];
	/** Their mix. */
	point: number;
	/** Published values, for each of PROBABILITIES. */
	published: number[] | null;
}

/**
 * Learns hourly demand as it arrives, and forecasts it: the level, decaying to a longer-term one, and the pattern of the week. It is a mix
 * of 24 such models, weighted by their recent absolute error for each group of leads. Ranges follow its past errors. It uses no future
 * data: its output at an hour follows from the hours before.
 */
export class DemandForecaster {
	readonly #holidays: ReadonlySet<string>;
	#hour: number;
	#learned = 0;
	readonly #seasonSum = new Float64Array(HOURS_PER_WEEK);
	readonly #seasonWeight = new Float64Array(HOURS_PER_WEEK);
	#totalSum = 0;
	#totalWeight = 0;
	readonly #now = EXPERTS.map(() => 0);
	readonly #level = EXPERTS.map(() => 0);
	readonly #losses = Array.from({ length: LEAD_GROUPS }, () => new Float64Array(EXPERTS.length));
	readonly #spreads = Array.from({ length: LEAD_GROUPS }, (_, group) => new Spread(delayOf(group)));
	readonly #waiting = new Map<number, Waiting[]>();

	/** @param fromHour hours since 1970, UTC, of the first value. @param holidays ISO dates treated as Sundays. */
	constructor(fromHour: number, holidays: ReadonlySet<string> = new Set()) {
		this.#hour = fromHour;
		this.#holidays = holidays;
	}

	/** Number of hours learned from. */
	get learned(): number {
		return this.#learned;
	}

	/** Learns the demand of the next hour. */
	push(gpus: number): void {
		this.#score(gpus);
		const season = seasonOf(this.#hour, this.#holidays);
		const deviation = this.#deviation(season);
		const warm = Math.min(1, 1 / (this.#learned + 1));
		for (const [i, { season: share, levelHours }] of EXPERTS.entries()) {
			const rest = gpus - share * deviation;
			this.#now[i] = mix(this.#now[i] ?? 0, rest, Math.max(warm, 1 - 0.5 ** (1 / NOW_HOURS)));
			this.#level[i] = mix(this.#level[i] ?? 0, rest, Math.max(warm, 1 - 0.5 ** (1 / levelHours)));
		}
		this.#seasonSum[season] = (this.#seasonSum[season] ?? 0) * SEASON_DECAY + gpus;
		this.#seasonWeight[season] = (this.#seasonWeight[season] ?? 0) * SEASON_DECAY + 1;
		const hourDecay = SEASON_DECAY ** (1 / HOURS_PER_WEEK);
		this.#totalSum = this.#totalSum * hourDecay + gpus;
		this.#totalWeight = this.#totalWeight * hourDecay + 1;
		this.#hour++;
		this.#learned++;
		if (this.#hour % SCORE_EVERY_HOURS === 0) this.#publish();
	}

	/** The next hours, from the one after the last learned. Ranges are null until there are errors to derive them from. */
	forecast(hours: number): (DemandPoint & { hasRange: boolean })[] {
		const offsets = this.#spreads.map((spread) => spread.offsets());
		return Array.from({ length: hours }, (_, i) => {
			const group = leadGroup(i + 1);
			const point = this.#mixed(group, this.#points(i + 1));
			const [low = 0, mid = 0, high = 0] = offsets[group] ?? [];
			const p50 = Math.max(0, point + mid);
			return {
				...{ hour: this.#hour + i, p50, hasRange: offsets[group] !== null },
				...{ p10: Math.min(p50, Math.max(0, point + low)), p90: Math.max(p50, point + high) },
			};
		});
	}

	#deviation(season: number): number {
		const mean = this.#totalWeight > 0 ? this.#totalSum / this.#totalWeight : 0;
		const weight = this.#seasonWeight[season] ?? 0;
		return weight === 0 ? 0 : ((this.#seasonSum[season] ?? 0) - mean * weight) / (weight + SEASON_PRIOR);
	}

	/** Each model's forecast for the hour this far ahead. */
	#points(lead: number): number[] {
		const deviation = this.#deviation(seasonOf(this.#hour + lead - 1, this.#holidays));
		return EXPERTS.map(({ season, decayHours }, i) => {
			const [now, level] = [this.#now[i] ?? 0, this.#level[i] ?? 0];
			return Math.max(0, level + 0.5 ** (lead / decayHours) * (now - level) + season * deviation);
		});
	}

	/** Weighted mean of all models, by how close each is to the lowest recent absolute error. */
	#mixed(group: number, points: readonly number[]): number {
		const losses = this.#losses[group] ?? [];
		let least = Number.POSITIVE_INFINITY;
		for (const loss of losses) least = Math.min(least, loss);
		let [sum, weights] = [0, 0];
		for (const [i, point] of points.entries()) {
			const weight = least > 0 ? Math.exp(-SHARPNESS * ((losses[i] ?? 0) / least - 1)) : 1;
			sum += weight * point;
			weights += weight;
		}
		return sum / weights;
	}

	/** Stores all models' forecasts for some future hours, to be scored once they are known. */
	#publish(): void {
		for (const lead of LEADS) {
			const group = leadGroup(lead);
			const points = this.#points(lead);
			const point = this.#mixed(group, points);
			const published = this.#spreads[group]?.offsets()?.map((offset) => point + offset) ?? null;
			const hour = this.#hour + lead - 1;
			const list = this.#waiting.get(hour);
			if (list) list.push({ lead, points, point, published });
			else this.#waiting.set(hour, [{ lead, points, point, published }]);
		}
	}

	#score(gpus: number): void {
		for (const { lead, points, point: mixedPoint, published } of this.#waiting.get(this.#hour) ?? []) {
			const group = leadGroup(lead);
			const losses = this.#losses[group];
			const error = gpus - mixedPoint;
			if (losses) for (const [i, point] of points.entries()) losses[i] = (losses[i] ?? 0) * LOSS_DECAY + Math.abs(gpus - point);
			this.#spreads[group]?.add(error, published && PROBABILITIES.map((_, i) => gpus <= (published[i] ?? 0)));
		}
		this.#waiting.delete(this.#hour);
	}
}

/** Forecasts of a group of leads with a pending outcome at any time. */
function delayOf(group: number): number {
	return LEADS.filter((lead) => leadGroup(lead) === group).reduce((sum, lead) => sum + Math.max(1, lead / SCORE_EVERY_HOURS), 0);
}

function mix(old: number, value: number, share: number): number {
	return old + share * (value - old);
}
