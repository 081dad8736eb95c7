import { HOUR_MS } from "#server/kernel/units.ts";

/** GPUs by hour: every stretch costs two additions and two differences, however long it is. Times are ms from hour 0. */
export class HourSeries {
	#parts = new Float64Array(256);
	/** Changes of the number of GPUs held for full hours. */
	#steps = new Float64Array(256);
	#hours = 0;

	add(fromMs: number, toMs: number, gpus: number): void {
		if (toMs <= fromMs) return;
		const first = Math.floor(fromMs / HOUR_MS);
		const last = Math.floor((toMs - 1) / HOUR_MS);
		this.#reach(last + 2);
		if (last + 1 > this.#hours) this.#hours = last + 1;
		if (first === last) {
			this.#part(first, (toMs - fromMs) * gpus);
			return;
		}
		this.#part(first, ((first + 1) * HOUR_MS - fromMs) * gpus);
		this.#part(last, (toMs - last * HOUR_MS) * gpus);
		this.#steps[first + 1] = (this.#steps[first + 1] ?? 0) + gpus;
		this.#steps[last] = (this.#steps[last] ?? 0) - gpus;
	}

	/** Mean GPUs in each hour, for `hours` hours or as many as were added. */
	finish(hours = this.#hours): Float64Array {
		const series = new Float64Array(hours);
		let held = 0;
		for (let h = 0; h < hours; h++) {
			held += this.#steps[h] ?? 0;
			// Floating-point differences may fall slightly below zero.
			series[h] = Math.max(0, held + (this.#parts[h] ?? 0) / HOUR_MS);
		}
		return series;
	}

	#part(hour: number, gpuMs: number): void {
		this.#parts[hour] = (this.#parts[hour] ?? 0) + gpuMs;
	}

	#reach(length: number): void {
		if (length <= this.#parts.length) return;
		const room = Math.max(length, this.#parts.length * 2);
		const [parts, steps] = [new Float64Array(room), new Float64Array(room)];
		parts.set(this.#parts);
		steps.set(this.#steps);
		this.#parts = parts;
		this.#steps = steps;
	}
}

export function sumOf(values: ArrayLike<number>): number {
	let sum = 0;
	for (let i = 0; i < values.length; i++) sum += values[i] ?? 0;
	return sum;
}
