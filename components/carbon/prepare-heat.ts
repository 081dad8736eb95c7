import type { CarbonPage } from "#components/carbon/prepare-bars.ts";
import { formatCount } from "#components/ui/format-number.ts";

type View = CarbonPage["grid"];
type Cell = View["places"][number]["cells"][number];

export interface HeatCell {
	id: string;
	/** "302", or "–" where nothing is known. */
	text: string;
	/** For who listens: "02:00: 302, of that hour". */
	said: string;
	basis: Cell["basis"];
	/** How strong its colour is, 0 to 1; null where nothing is known. */
	strength: number | null;
	now: boolean;
}

export interface HeatRow {
	id: string;
	place: string;
	detail: string;
	hadWork: boolean;
	/** Every cell is the average of a year. */
	averageOnly: boolean;
	cells: HeatCell[];
	mean: string;
}

/** The scale's end: a grid of coal alone; places are then comparable from day to day. */
const DARKEST_GRAMS = 900;

const BASIS = { hour: "of that hour", forecast: "forecast", average: "average of a year" } as const;

/** Places as rows, hours as columns. */
export function prepareHeat(view: View, nowMs: number): { hours: string[]; rows: HeatRow[]; hasHours: boolean; hasForecast: boolean } {
	const rows = view.places.map((place): HeatRow => {
		const home = place.region === "";
		return {
			id: `${place.siteId}/${place.region}`,
			place: home ? place.name : place.region,
			detail: [home ? "at home" : place.provider, place.zone ?? "zone not known"].join(", "),
			hadWork: place.hadWork,
			averageOnly: place.cells.every((cell) => cell.basis === "average"),
			cells: place.cells.map((cell, hour) => heatCell(cell, hour, nowMs)),
			mean: place.meanGramsPerKwh === null ? "not known" : formatCount(place.meanGramsPerKwh),
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
		said: `${String(hour).padStart(2, "0")}:00 UTC: ${cell.gramsPerKwh === null ? "not known" : `${text} g CO2e per kWh, ${BASIS[cell.basis]}`}`,
		basis: cell.basis,
		strength: cell.gramsPerKwh === null ? null : Math.min(1, cell.gramsPerKwh / DARKEST_GRAMS),
		now: nowMs >= cell.hourMs && nowMs < cell.hourMs + 3_600_000,
	};
}
