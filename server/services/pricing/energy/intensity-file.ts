import { z } from "zod";
import { SpillwayError } from "#server/kernel/errors.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { readCsvTable } from "#server/services/core/csv-table.ts";

/** The grid's intensity of one UTC hour. */
export interface IntensityRow {
	zone: string;
	hourMs: number;
	milligramsPerKwh: number;
}

/** Enough for a year of 100 zones. */
export const INTENSITY_ROWS_MAX = 900_000;
/** Burning lignite alone is about 1,200 g/kWh. */
const GRAMS_MAX = 2_000;
const ZONE = /^[A-Z]{2,3}(-[A-Z0-9]{1,12}){0,3}$/;

/** Column names: our own, those of tables derived from Electricity Maps, and those of its data portal's CSV files. */
const COLUMNS = {
	zone: ["zone", "zone id", "zone_id", "zoneid"],
	hour: ["ts", "hour", "datetime", "datetime (utc)", "timestamp"],
	grams: [
		...["g_per_kwh", "gco2e/kwh", "carbonintensity", "carbon_intensity"],
		...["carbon intensity gco₂eq/kwh (life cycle)", "carbon intensity gco₂eq/kwh (lca)", "carbon intensity gco2eq/kwh (life cycle)"],
	],
} as const;

const entrySchema = z.looseObject({ zone: z.string().optional(), datetime: z.string(), carbonIntensity: z.number().nullable() });
/** Responses of Electricity Maps' history and past-range endpoints, or only the entries. */
const historySchema = z.union([
	z.looseObject({ zone: z.string().optional(), history: z.array(entrySchema) }),
	z.looseObject({ zone: z.string().optional(), data: z.array(entrySchema) }),
	z.array(entrySchema),
]);

interface RawRow {
	/** CSV line or entry number, for errors. */
	at: string;
	zone: string | undefined;
	hour: string;
	grams: string | number;
}

/**
 * Reads hourly intensities, g CO2e per kWh, from CSV or JSON. `zone` is the zone to store them under. It is required when the
 * text contains none, and may differ from the one in the text (a file for `DE-LU` stored as `DE`).
 * Entries without a value are skipped and stay gaps.
 * @throws SpillwayError `invalid_input` with the line, the error and how to fix it.
 */
export function readIntensityFile(text: string, zone?: string | undefined): IntensityRow[] {
	if (zone !== undefined && !ZONE.test(zone))
		throw unusable(`"${zone.slice(0, 40)}" is no grid zone`, 'Give one such as "DE" or "US-MIDA-PJM".');
	const raw = /^\s*[[{]/.test(text) ? rowsOfJson(text) : rowsOfCsv(text);
	if (raw.length === 0)
		throw unusable("it has no hours", "Give a csv file with the columns zone, ts and g_per_kwh, or Electricity Maps' history as JSON.");
	if (raw.length > INTENSITY_ROWS_MAX)
		throw unusable(`it has ${raw.length} hours, and ${INTENSITY_ROWS_MAX} is the most`, "Split it by zone or year.");
	const named = new Set(raw.flatMap((row) => row.zone ?? []));
	if (zone !== undefined && named.size > 1) {
		throw unusable(
			`it holds ${named.size} zones (${[...named].slice(0, 5).join(", ")}), which cannot all be kept as ${zone}`,
			"Leave the zone out, or give a file of one zone.",
		);
	}
	const byHour = new Map<string, { row: IntensityRow; at: string }>();
	for (const entry of raw) {
		const row = toRow(entry, zone);
		if (!row) continue;
		const key = `${row.zone} ${row.hourMs}`;
		const before = byHour.get(key);
		if (before && before.row.milligramsPerKwh !== row.milligramsPerKwh) {
			throw unusable(`${entry.at} and ${before.at} give different figures for one hour of ${row.zone}`, "Keep the right one.");
		}
		byHour.set(key, { row, at: entry.at });
	}
	return [...byHour.values()].map(({ row }) => row);
}

function toRow({ at, zone: named, hour, grams }: RawRow, given: string | undefined): IntensityRow | null {
	if (grams === "") return null;
	const zone = given ?? named;
	if (zone === undefined) throw unusable("it names no zone", "Say which one, with --zone or the field zone.");
	if (!ZONE.test(zone)) throw unusable(`${at}: "${zone.slice(0, 40)}" is no grid zone`, 'Write one such as "DE" or "US-MIDA-PJM".');
	const hourMs = utcHourOf(hour);
	if (hourMs === null) {
		throw unusable(
			`${at}: "${hour.slice(0, 40)}" is not the start of a UTC hour`,
			"Write it as 2026-11-01T08:00:00Z. Finer steps have to be averaged to hours first.",
		);
	}
	const value = Number(grams);
	if (!Number.isFinite(value) || value < 0 || value > GRAMS_MAX) {
		throw unusable(
			`${at}: "${String(grams).slice(0, 40)}" is not between 0 and ${GRAMS_MAX} g CO2e per kWh`,
			"Intensities are grams of CO2e per kilowatt-hour.",
		);
	}
	return { zone, hourMs, milligramsPerKwh: Math.round(value * 1_000) };
}

/** The start of a UTC hour. Times without a zone are UTC, as in the sources' CSV files. null for anything else. */
export function utcHourOf(text: string): number | null {
	const utc = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.0+)?)?$/.test(text) ? `${text.replace(" ", "T")}Z` : text;
	const hourMs = Date.parse(utc);
	return Number.isNaN(hourMs) || hourMs % HOUR_MS !== 0 ? null : hourMs;
}

function rowsOfCsv(text: string): RawRow[] {
	const { names: columns, lines } = readCsvTable(text, unusable);
	const names = columns.map((name) => name.toLowerCase());
	const indexOf = (column: keyof typeof COLUMNS): number =>
		names.findIndex((name) => (COLUMNS[column] as readonly string[]).includes(name));
	const [zone, hour, grams] = [indexOf("zone"), indexOf("hour"), indexOf("grams")];
	if (hour < 0 || grams < 0) {
		const missing = hour < 0 ? "the hour (ts)" : "the intensity (g_per_kwh)";
		throw unusable(`its header has no column for ${missing}`, `The first line names the columns; it is: ${names.join(", ").slice(0, 200)}`);
	}
	return lines.map(({ at, cells }) => ({ at, zone: cells[zone] || undefined, hour: cells[hour] ?? "", grams: cells[grams] ?? "" }));
}

function rowsOfJson(text: string): RawRow[] {
	let json: unknown;
	try {
		json = JSON.parse(text);
	} catch (cause) {
		throw unusable(
			`it is not JSON: ${cause instanceof Error ? cause.message : "unreadable"}`,
			"Give the answer as Electricity Maps sent it.",
		);
	}
	const parsed = historySchema.safeParse(json);
	if (!parsed.success) {
		const issue = parsed.error.issues[0];
		throw unusable(
			`it is not of Electricity Maps' history form (${issue?.path.join(".") || "top"}: ${issue?.message ?? "unknown"})`,
			'It is {"zone": "DE", "history": [{"datetime": "…", "carbonIntensity": 302}, …]}.',
		);
	}
	const file = parsed.data;
	const [zone, entries] = Array.isArray(file) ? [undefined, file] : [file.zone, "history" in file ? file.history : file.data];
	return (entries as z.infer<typeof entrySchema>[]).map((entry, i) => ({
		at: `entry ${i + 1}`,
		zone: entry.zone ?? (zone as string | undefined),
		hour: entry.datetime,
		grams: entry.carbonIntensity ?? "",
	}));
}

function unusable(what: string, fix: string): SpillwayError {
	return new SpillwayError("invalid_input", `Could not read the intensities: ${what}.`, { fields: [{ path: "text", message: what }], fix });
}
