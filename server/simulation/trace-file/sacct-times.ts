import { BadRow, numberIn, shorten, TRACE_LIMITS } from "./trace-rows.ts";

const MOMENT = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)\s?(Z|[+-]\d{2}:?\d{2})?$/;
const ELAPSED = /^(?:(\d{1,6})-)?(?:(\d{1,4}):)?(\d{1,4}):(\d{2})(?:\.\d+)?$/;

/** UTC ms of sacct's ISO time, with or without a zone, or of epoch seconds (SLURM_TIME_FORMAT=%s). null: unknown. */
export function momentMs(column: string, text: string): number | null {
	if (text === "" || /^(unknown|none|n\/a)$/i.test(text)) return null;
	if (/^\d{9,11}$/.test(text)) return Number(text) * 1000;
	const match = MOMENT.exec(text);
	const zone = (match?.[3] ?? "Z").replace(/^([+-]\d{2})(\d{2})$/, "$1:$2");
	const ms = match ? Date.parse(`${match[1]}T${match[2]}${zone}`) : Number.NaN;
	if (Number.isFinite(ms)) return ms;
	throw new BadRow(
		column,
		`${column} is "${shorten(text)}", which is no time.`,
		"sacct writes 2026-11-21T07:30:00; leave SLURM_TIME_FORMAT unset.",
	);
}

/** Ms of `[DD-[HH:]]MM:SS`. */
export function elapsedMs(column: string, text: string): number {
	const match = ELAPSED.exec(text);
	if (!match)
		throw new BadRow(column, `${column} is "${shorten(text)}", which is no length of time.`, "sacct writes 1-02:03:04 or 02:03:04.");
	const [, days = "0", hours = "0", minutes = "0", seconds = "0"] = match;
	return (((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

/** TimelimitRaw (minutes) or Timelimit; null: none was set. */
export function limitMs(raw: string, formatted: string): number | null {
	if (/^\d/.test(raw)) return numberIn("TimelimitRaw", raw, "minutes", TRACE_LIMITS.seconds / 60) * 60_000;
	if (formatted === "" || /^[a-z]/i.test(formatted)) return null;
	return elapsedMs("Timelimit", formatted);
}
