import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../kernel/units.ts";

/**
 * Parses a Slurm duration: `minutes`, `minutes:seconds`, `hours:minutes:seconds`, `days-hours`, `days-hours:minutes`,
 * `days-hours:minutes:seconds`. `none` for UNLIMITED, INFINITE and 0, which set no limit; null for any other text.
 */
export function parseSlurmDurationMs(text: string): number | "none" | null {
	if (/^(unlimited|infinite|-1|0)$/i.test(text)) return "none";
	const match = /^(?:(\d{1,5})-)?(\d{1,7})(?::(\d{1,5}))?(?::(\d{1,5}))?$/.exec(text);
	if (!match) return null;
	const [a, b, c] = [match[2], match[3], match[4]].map((part) => (part === undefined ? null : Number(part)));
	if (match[1] !== undefined) return Number(match[1]) * DAY_MS + (a ?? 0) * HOUR_MS + (b ?? 0) * MINUTE_MS + (c ?? 0) * SECOND_MS;
	if (c !== null && c !== undefined) return (a ?? 0) * HOUR_MS + (b ?? 0) * MINUTE_MS + c * SECOND_MS;
	return (a ?? 0) * MINUTE_MS + (b ?? 0) * SECOND_MS;
}

/**
 * Parses a Slurm time: `YYYY-MM-DD[THH:MM[:SS]]`, `HH:MM[:SS]` (the next one), or
 * `now+count[seconds|minutes|hours|days|weeks]`. Dates have no zone, so `zoneOffsetMinutes` east of UTC applies. null
 * for any other text.
 */
export function parseSlurmTimeMs(text: string, at: { nowMs: number; zoneOffsetMinutes: number }): number | null {
	const zoneMs = at.zoneOffsetMinutes * MINUTE_MS;
	const relative = /^now(?:\+(\d{1,7})(seconds?|minutes?|hours?|days?|weeks?)?)?$/i.exec(text);
	if (relative) {
		const unit = (relative[2] ?? "seconds").toLowerCase().replace(/s$/, "");
		const length = { second: SECOND_MS, minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS }[unit] ?? SECOND_MS;
		return at.nowMs + Number(relative[1] ?? 0) * length;
	}
	const date = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d))?)?$/i.exec(text);
	if (date) {
		const [year, month, day, hour, minute, second] = date.slice(1).map((part) => Number(part ?? 0));
		const ms = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
		const back = new Date(ms);
		if (back.getUTCMonth() + 1 !== month || back.getUTCDate() !== day || (hour ?? 0) > 23 || (minute ?? 0) > 59) return null;
		return ms - zoneMs;
	}
	const time = /^(\d{1,2}):(\d\d)(?::(\d\d))?$/.exec(text);
	if (!time || Number(time[1]) > 23 || Number(time[2]) > 59) return null;
	const local = at.nowMs + zoneMs;
	const ofDay = Number(time[1]) * HOUR_MS + Number(time[2]) * MINUTE_MS + Number(time[3] ?? 0) * SECOND_MS;
	const today = Math.floor(local / DAY_MS) * DAY_MS + ofDay;
	return (today > local ? today : today + DAY_MS) - zoneMs;
}

/** Parses a Slurm memory size, MiB unless it ends in K, M, G or T; null for any other text. 0 requests all memory of a node. */
export function parseSlurmMemoryGiB(text: string): number | null {
	const match = /^(\d{1,12}(?:\.\d+)?)([KMGT]?)B?$/i.exec(text);
	if (!match) return null;
	const perGiB = { K: 1024 * 1024, M: 1024, G: 1, T: 1 / 1024 }[(match[2] || "M").toUpperCase()] ?? 1024;
	return Number(match[1]) / perGiB;
}

/** Parses `1-5,8,10-20:2%4` into indices; null if it is not such a list. `atOnce`: how many run at a time. */
export function arrayIndices(text: string, most: number): { indices: number[]; atOnce: number | null } | "too_many" | null {
	const [list = "", limit] = text.split("%");
	if (limit !== undefined && !/^\d{1,7}$/.test(limit)) return null;
	const indices = new Set<number>();
	for (const part of list.split(",")) {
		const match = /^(\d{1,9})(?:-(\d{1,9})(?::(\d{1,9}))?)?$/.exec(part.trim());
		if (!match) return null;
		const [from, to, step] = [Number(match[1]), Number(match[2] ?? match[1]), Number(match[3] ?? 1)];
		if (to < from || step < 1) return null;
		if ((to - from) / step + indices.size > most) return "too_many";
		for (let i = from; i <= to; i += step) indices.add(i);
	}
	return indices.size > most
		? "too_many"
		: { indices: [...indices].sort((a, b) => a - b), atOnce: limit === undefined ? null : Number(limit) };
}
