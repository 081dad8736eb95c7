import { type CronSchedule, nextCronTime } from "./cron.ts";
import type { MissedRule } from "./trigger.ts";

/** A time counts as missed when it passed longer ago than this. */
const GRACE_MS = 5 * 60_000;
/** Maximum number of missed times made up for at once; earlier ones are dropped. */
const CATCH_UP_MAX = 100;

export interface DueTime {
	atMs: number;
	/** Earlier times that are not fired. */
	missed: number;
}

/** Which times of a schedule fire now, and the next one. `nextMs`: the first unprocessed time. */
export function dueTimes(input: { schedule: CronSchedule; zone: string; missed: MissedRule; nextMs: number; nowMs: number }): {
	fire: DueTime[];
	nextMs: number | null;
} {
	const { schedule, zone, missed, nowMs } = input;
	const passed: number[] = [];
	let dropped = 0;
	let nextMs: number | null = input.nextMs;
	while (nextMs !== null && nextMs <= nowMs) {
		passed.push(nextMs);
		if (passed.length > CATCH_UP_MAX) {
			passed.shift();
			dropped++;
		}
		nextMs = nextCronTime(schedule, zone, nextMs);
	}
	const last = passed.at(-1);
	if (last === undefined) return { fire: [], nextMs };
	if (missed === "all") return { fire: passed.map((atMs, at) => ({ atMs, missed: at === 0 ? dropped : 0 })), nextMs };
	const isMissed = nowMs - last > GRACE_MS;
	return { fire: missed === "skip" && isMissed ? [] : [{ atMs: last, missed: dropped + passed.length - 1 }], nextMs };
}
