import { gpusOf, type JobSpec } from "#server/domain/job.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { JobVerdict } from "#server/policy/types.ts";
import type { CloudRun } from "./cost.ts";
import { speedOf } from "./home-pool.ts";
import type { OfferRow } from "./offers.ts";
import type { QueuedJob } from "./order.ts";
import { likelyRests, type RunTime } from "./run-time.ts";
import type { ForecastSource, PoolView, Snapshot } from "./types.ts";

/** A deferred start. `saved`: the sum over the run of (value now − value then), in the unit of the series × hours. */
export interface Deferral {
	untilMs: number;
	saved: number;
}

/** Sums that differ by less, as a share of the sum now, are equal: their digits depend on the order of the additions. */
const ROUNDING = 1e-9;

/**
 * Finds the start, now or at a full hour up to `latestStartMs`, that minimizes an hourly series (grid intensity, price) over the run. Null
 * if no later start is better, or if the series does not cover the median run.
 * With `delayShare`, each hour of delay must save that share of the sum now. hourly[0] is the hour of nowMs. A start's sum is the integral
 * of the series over [start, start + length), in hours, averaged over the lengths. Ties: the earlier start.
 */
export function deferUntil(given: {
	nowMs: number;
	hourly: readonly number[];
	/** Median length. */
	runMs: number;
	/** Equally likely lengths. Beyond its end the series counts with its mean. Default: the median alone. */
	lengthsMs?: readonly number[];
	latestStartMs: number;
	/** Cost of an hour of delay, as a share of the sum now. */
	delayShare?: number;
}): Deferral | null {
	const { nowMs, hourly, runMs, latestStartMs, delayShare = 0, lengthsMs = [runMs] } = given;
	const firstMs = hourOf(nowMs);
	const upTo = makeIntegral(hourly);
	const sumFrom = (startMs: number): number => {
		const from = (startMs - firstMs) / HOUR_MS;
		if (from + runMs / HOUR_MS > hourly.length) return Number.NaN;
		return lengthsMs.reduce((sum, lengthMs) => sum + upTo(from + lengthMs / HOUR_MS), 0) / lengthsMs.length - upTo(from);
	};
	const now = sumFrom(nowMs);
	const rounding = ROUNDING * now;
	let [bestMs, best, least] = [nowMs, now, now];
	for (let atMs = firstMs + HOUR_MS; atMs <= latestStartMs; atMs += HOUR_MS) {
		const sum = sumFrom(atMs);
		if (Number.isNaN(sum)) break;
		const counted = sum + (delayShare * now * (atMs - nowMs)) / HOUR_MS;
		if (counted < least - rounding) [bestMs, best, least] = [atMs, sum, counted];
	}
	return bestMs > nowMs && now - best > rounding ? { untilMs: bestMs, saved: now - best } : null;
}

/** The integral of the series from its start to an hour, which may be a fraction. */
function makeIntegral(hourly: readonly number[]): (hour: number) => number {
	const sums = [0];
	for (const [i, value] of hourly.entries()) sums.push((sums[i] ?? 0) + value);
	const total = sums[hourly.length] ?? 0;
	const mean = total / Math.max(1, hourly.length);
	return (hour) => {
		if (hour >= hourly.length) return total + (hour - hourly.length) * mean;
		const whole = Math.floor(hour);
		return (sums[whole] ?? 0) + (hour - whole) * (hourly[whole] ?? 0);
	};
}

/** A place where the job could start now, and the resources its run uses there. */
export interface StartNow {
	/** Key into Snapshot.gridForecast for the grid intensity: a pool's id, or `provider:region`. */
	place: string;
	/** Power of the whole job under load with PUE, kW; null: unknown, and no grams are reported. */
	kilowatts: number | null;
	/** null at home: an hour there costs no cash. */
	offer: { id: string; instances: number } | null;
	/** PoolView.speed; 1 in a cloud. */
	speed: number;
}

/**
 * Defers a start by the first of the job's defer rules that finds a better hour: at most withinMs after the job became pending, and early
 * enough that its P90 run, started in the cloud if need be, still ends before the deadline. Without a forecast of the grid, or of the
 * offer's price, nothing is deferred.
 */
export function deferral(
	snapshot: Snapshot,
	queued: QueuedJob,
	verdict: JobVerdict,
	start: StartNow,
	runTime: RunTime,
): { untilMs: number; reason: Reason } | null {
	const { nowMs, cloudStartMs } = snapshot;
	const { job, rest } = queued;
	const byDeadline = job.spec.deadlineMs === null ? Number.POSITIVE_INFINITY : job.spec.deadlineMs - rest.p90Ms - cloudStartMs.p90Ms;
	for (const { ruleId, to, withinMs, at, percentPerHour = 0 } of verdict.defers) {
		if (at !== undefined && (at === "owned") !== (start.offer === null)) continue;
		const key = to === "greener" ? start.place : start.offer?.id;
		const hourly = key === undefined ? null : (to === "greener" ? snapshot.gridForecast : snapshot.priceForecast)?.get(key);
		if (!hourly) continue;
		const latestStartMs = Math.min(byDeadline, job.pendingSinceMs + withinMs);
		const lengthsMs = likelyRests(runTime, job, rest).map((ms) => ms / start.speed);
		const found = deferUntil({
			...{ nowMs, hourly, runMs: rest.p50Ms / start.speed, lengthsMs, latestStartMs },
			delayShare: percentPerHour / 100,
		});
		if (!found) continue;
		const { untilMs, saved } = found;
		const facts =
			to === "greener"
				? { savedGrams: start.kilowatts === null ? null : Math.round(saved * start.kilowatts) }
				: { savingMicroUsd: String(Math.round(saved * (start.offer?.instances ?? 1))) };
		const from = sourceFacts(
			key === undefined ? undefined : snapshot.foretoldBy?.get(key),
			(untilMs + rest.p50Ms / start.speed - hourOf(nowMs)) / HOUR_MS,
		);
		const code = to === "greener" ? "deferred_greener_hour" : "deferred_cheaper_hour";
		return { untilMs, reason: reason(code, { untilMs, ruleId, ...facts, ...from }) };
	}
	return null;
}

function hourOf(atMs: number): number {
	return Math.floor(atMs / HOUR_MS) * HOUR_MS;
}

/** Source of the hours up to the end of the run: the forecast itself, or the pattern of past days beyond its reach. */
function sourceFacts(by: ForecastSource | undefined, hours: number): Reason["facts"] {
	if (!by) return {};
	const { source, published, pattern } = by;
	if (published && (hours <= published.hours || !pattern)) return { foretoldBy: source, foretoldAtMs: published.atMs };
	return pattern ? { foretoldBy: source, foretoldDays: pattern.days, foretoldAtMs: pattern.untilMs } : {};
}

export function startAtHome(view: PoolView, spec: JobSpec): StartNow {
	return { place: view.id, kilowatts: (view.wattsPerGpu * gpusOf(spec) * view.pue) / 1000, offer: null, speed: speedOf(view) };
}

export function startInCloud(row: OfferRow, run: CloudRun): StartNow {
	const { id, gridGramsPerKwh: grid } = row.offer;
	// g/h of one instance ÷ g/kWh = kW, with PUE
	const each = row.gramsPerHour === null || grid === null || grid <= 0 ? null : row.gramsPerHour / grid;
	return {
		place: row.placeKey,
		kilowatts: each === null ? null : each * run.instances,
		offer: { id, instances: run.instances },
		speed: run.speeds?.on(row.machine.accelerator).speed ?? 1,
	};
}
