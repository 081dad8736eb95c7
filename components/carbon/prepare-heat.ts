import type { CarbonPage } from "#components/carbon/prepare-bars.ts";
import { formatCount } from "#components/ui/format-number.ts";

type View = CarbonPage["grid"];
type Cell = View["places"][number]["cells"][number];

export interface HeatCell {
	id: string;
	/** "302", or "–" if unknown. */
	text: string;
	/** Screen-reader text: "02:00: 302, hourly". */
	said: string;
	basis: Cell["basis"];
	/** Color strength, 0 to 1; null if unknown. */
	strength: number | null;
	now: boolean;
}

export interface HeatRow {
	id: string;
	place: string;
	detail: string;
	hadWork: boolean;
	/** All cells are yearly averages. */
	averageOnly: boolean;
	cells: HeatCell[];
	mean: string;
}

/** Upper end of the scale: a coal-only grid, so that days are comparable. */
const DARKEST_GRAMS = 900;

const BASIS = { hour: "hourly", forecast: "forecast", average: "yearly average" } as const;

/** Heat table: locations by hour. */
export function prepareHeat(view: View, nowMs: number): { hours: string[]; rows: HeatRow[]; hasHours: boolean; hasForecast: boolean } {
	const rows = view.places.map((place): HeatRow => {
		const home = place.region === "";
		return {
			id: `${place.siteId}/${place.region}`,
			place: home ? place.name : place.region,
			detail: [home ? "owned" : place.provider, place.zone ?? "zone unknown"].join(", "),
			hadWork: place.hadWork,
			averageOnly: place.cells.every((cell) => cell.basis === "average"),
			cells: place.cells.map((cell, hour) => heatCell(cell, hour, nowMs)),
			mean: place.meanGramsPerKwh === null ? "unknown" : formatCount(place.meanGramsPerKwh),
		};
	});
	const every = view.places.flatMap((place) => place.cells);
	return {
		hours: Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0")),
		rows,
		hasHours: every.some((cell) => cell.basis !== "average"),
		hasForecast: every.some((cell) => cell.basis === "forecast"),
	};
}

function heatCell(cell: Cell, hour: number, nowMs: number): HeatCell {
	const text = cell.gramsPerKwh === null ? "–" : formatCount(cell.gramsPerKwh);
	return {
		id: String(cell.hourMs),
		text,
		said: `${String(hour).padStart(2, "0")}:00 UTC: ${cell.gramsPerKwh === null ? "unknown" : `${text} g CO2e per kWh, ${BASIS[cell.basis]}`}`,
		basis: cell.basis,
		strength: cell.gramsPerKwh === null ? null : Math.min(1, cell.gramsPerKwh / DARKEST_GRAMS),
		now: nowMs >= cell.hourMs && nowMs < cell.hourMs + 3_600_000,
	};
}
