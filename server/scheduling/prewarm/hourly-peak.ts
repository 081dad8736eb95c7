import { HOUR_MS } from "#server/kernel/units.ts";

/** A level over time, as its highest value in each whole UTC hour. */
export class HourlyPeak {
	readonly #onHour: (peak: number) => void;
	#endMs: number;
	#level = 0;
	#peak = 0;

	/** @param fromMs start of an hour, UTC. @param onHour receives each hour's peak, in order, when the hour is over. */
	constructor(fromMs: number, onHour: (peak: number) => void) {
		this.#endMs = fromMs + HOUR_MS;
		this.#onHour = onHour;
	}

	get level(): number {
		return this.#level;
	}

	/** Changes the level from now on. */
	add(by: number, nowMs: number): void {
		this.advance(nowMs);
		this.#level += by;
		this.#peak = Math.max(this.#peak, this.#level);
	}

	advance(nowMs: number): void {
		for (; this.#endMs <= nowMs; this.#endMs += HOUR_MS) {
			this.#onHour(this.#peak);
			this.#peak = this.#level;
		}
	}
}
