import { MINUTE_MS } from "#server/kernel/units.ts";
import type { GpuMinute } from "./protocol.ts";

/** One reading of one GPU, e.g. `0, 97, 412.50` from nvidia-smi --query-gpu=index,utilization.gpu,power.draw. */
export interface GpuReading {
	index: number;
	utilisationPercent: number;
	/** null if the driver does not report it ("[N/A]"). */
	watts: number | null;
}

/** Parses a line of nvidia-smi's CSV without header and units. Returns null for anything else. */
export function parseReading(line: string): GpuReading | null {
	const [index, utilisation, watts] = line.split(",").map((part) => part.trim());
	const at = Number(index);
	const percent = Number(utilisation);
	if (!/^\d+$/.test(index ?? "") || !/^\d+(\.\d+)?$/.test(utilisation ?? "") || percent > 100) return null;
	return { index: at, utilisationPercent: percent, watts: /^\d+(\.\d+)?$/.test(watts ?? "") ? Number(watts) : null };
}

interface Sums {
	readings: number;
	percent: number;
	watts: number;
	/** Readings that include watts. */
	powered: number;
	gpus: Set<number>;
}

/** Collects readings by UTC minute. A minute is complete once a reading of a later one arrives. */
export class GpuMinutes {
	readonly #minutes = new Map<number, Sums>();
	readonly #most: number;
	#newest = Number.NEGATIVE_INFINITY;

	/** @param complete minutes kept at most while the control plane is unreachable; the oldest are dropped first. */
	constructor(most: number) {
		this.#most = most;
	}

	add(reading: GpuReading, atMs: number): void {
		const minuteMs = Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
		const sums = this.#minutes.get(minuteMs) ?? { readings: 0, percent: 0, watts: 0, powered: 0, gpus: new Set() };
		sums.readings++;
		sums.percent += reading.utilisationPercent;
		if (reading.watts !== null) {
			sums.watts += reading.watts;
			sums.powered++;
		}
		sums.gpus.add(reading.index);
		this.#minutes.set(minuteMs, sums);
		this.#newest = Math.max(this.#newest, minuteMs);
		const [oldest] = this.#minutes.keys();
		if (this.#minutes.size > this.#most + 1 && oldest !== undefined) this.#minutes.delete(oldest);
	}

	/** Complete minutes that have not been reported, oldest first, up to a limit. */
	complete(most: number): GpuMinute[] {
		return [...this.#minutes]
			.filter(([minuteMs]) => minuteMs < this.#newest)
			.sort(([a], [b]) => a - b)
			.slice(0, most)
			.map(([minuteMs, s]) => ({
				minuteMs,
				gpus: s.gpus.size,
				utilisationPermille: Math.round((s.percent / s.readings) * 10),
				// Value for all GPUs together: the mean reading times the number of GPUs.
				milliwatts: s.powered === s.readings ? Math.round((s.watts / s.readings) * s.gpus.size * 1_000) : null,
			}));
	}

	/** Removes minutes that the control plane has stored. */
	forget(told: readonly GpuMinute[]): void {
		for (const { minuteMs } of told) this.#minutes.delete(minuteMs);
	}
}
