import type { TimeRange } from "#server/domain/decision.ts";
import type { ForecastScale } from "../types.ts";
import { HORIZONS_MS, LEARNED_FROM, LEARNED_PER_CYCLE, learnScale, type ScoredForecast } from "./calibrate.ts";
import { type GivenForecast, givenForecast } from "./record.ts";

/** A forecast for one job with its outcome. */
export interface KeptForecast extends GivenForecast {
	jobId: string;
	atMs: number;
	/** Whether it is the job's first forecast. */
	first: boolean;
}

/**
 * Forecasts of one queue and the corrections learned from them, in memory: a replay's counterpart of what services/forecast
 * stores in the database. Each job is recorded once per horizon: with its first forecast, and whenever its horizon becomes
 * nearer.
 */
export class ScoreBook {
	readonly #learned: KeptForecast[][] = HORIZONS_MS.map(() => []);
	readonly #nearest = new Map<string, number>();
	readonly #newest = new Map<string, TimeRange>();
	readonly #startedMs = new Map<string, number>();

	/** @returns the forecasts recorded in this cycle */
	give(replayed: ReadonlyMap<string, TimeRange>, told: (range: TimeRange) => TimeRange, nowMs: number): KeptForecast[] {
		const fresh: KeptForecast[][] = HORIZONS_MS.map(() => []);
		for (const [jobId, replay] of replayed) {
			const range = told(replay);
			const given = givenForecast(replay, range, nowMs);
			if (!given) continue;
			this.#newest.set(jobId, range);
			const nearest = this.#nearest.get(jobId);
			if (nearest !== undefined && given.horizon >= nearest) continue;
			this.#nearest.set(jobId, given.horizon);
			fresh[given.horizon]?.push({ ...given, jobId, atMs: nowMs, first: nearest === undefined });
		}
		for (const [horizon, list] of fresh.entries()) this.#learnFrom(horizon, list);
		return fresh.flat();
	}

	started(jobId: string, nowMs: number): void {
		this.#startedMs.set(jobId, nowMs);
		this.#newest.delete(jobId);
		this.#nearest.delete(jobId);
	}

	scale(nowMs: number): ForecastScale {
		return learnScale(this.#learned.map((list) => list.map((kept) => this.#fateOf(kept, nowMs))));
	}

	#learnFrom(horizon: number, fresh: readonly KeptForecast[]): void {
		const list = this.#learned[horizon];
		if (!list) return;
		const step = Math.max(1, fresh.length / LEARNED_PER_CYCLE);
		for (let i = 0; i < fresh.length; i += step) {
			const kept = fresh[Math.floor(i)];
			if (kept) list.push(kept);
		}
		if (list.length > LEARNED_FROM) list.splice(0, list.length - LEARNED_FROM);
	}

	#fateOf(kept: KeptForecast, nowMs: number): ScoredForecast {
		const startedMs = this.#startedMs.get(kept.jobId);
		if (startedMs !== undefined) return { ...kept, waitMs: startedMs - kept.atMs, known: true, leftMs: null };
		const newest = this.#newest.get(kept.jobId);
		return { ...kept, waitMs: nowMs - kept.atMs, known: false, leftMs: newest ? Math.max(0, newest.p50Ms - nowMs) : null };
	}
}
