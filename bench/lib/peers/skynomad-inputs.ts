import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { Availability } from "#server/simulation/replay/types.ts";
import { parseAvailability } from "#server/simulation/scenario-file/availability-file.ts";
import { eachCsvRow } from "#server/simulation/scenario-file/csv-table.ts";

/** One zone of the recording with its prices, $/h for the whole machine. */
export interface PeerZone {
	zone: string;
	instanceType: string;
	gpus: number;
	spotUsdPerHour: string;
	onDemandUsdPerHour: string;
	availability: Availability;
}

/** One job of the comparison, with the cost under each system in dollars; null: not in the results. */
export interface PeerWindow {
	zones: readonly string[];
	startH: number;
	workH: number;
	deadlineH: number;
	checkpointGb: number;
	restartH: number;
	skynomadUsd: number | null;
	optimumUsd: number | null;
}

export interface PeerInputs {
	zones: ReadonlyMap<string, PeerZone>;
	windows: readonly PeerWindow[];
}

const SKYNOMAD = "unified_cost_model_risk";
const OPTIMUM = "multi_region_oracle_dp";
const OFFER_COLUMNS = ["zone", "instance_type", "gpus", "spot_usd_per_hour", "on_demand_usd_per_hour"];
const RESULT_COLUMNS = ["zones", "strategy", "start_h", "work_h", "deadline_h", "checkpoint_gb", "restart_h", "cost_usd"];

/**
 * The recording, the prices and every result file of a folder in the layout of the SkyNomad artifact's export:
 * `*runs*.csv` (spot probes), `*offers*.csv` (prices by zone) and `results*.csv`.
 * @throws SpillwayError when a file is missing or a row cannot be read.
 */
export function readPeerInputs(dir: string): PeerInputs {
	const names = readdirSync(dir).sort();
	const all = (pattern: RegExp): { text: string; name: string }[] =>
		names.filter((name) => pattern.test(name)).map((name) => ({ name, text: readFileSync(path.join(dir, name), "utf8") }));
	const runs = all(/^(?!results).*runs.*\.csv$/);
	const offers = all(/^(?!results).*offers.*\.csv$/);
	const results = all(/^results.*\.csv$/);
	if (runs.length === 0 || offers.length === 0 || results.length === 0)
		throw new SpillwayError("invalid_input", `${dir} needs *runs*.csv, *offers*.csv and results*.csv.`, {
			fix: "See bench/samples/skynomad for the columns.",
		});
	const availability = new Map(runs.flatMap(({ text, name }) => [...parseAvailability(text, name)]));
	return { zones: readZones(offers, availability), windows: readWindows(results) };
}

function readZones(
	files: readonly { text: string; name: string }[],
	availability: ReadonlyMap<string, Availability>,
): Map<string, PeerZone> {
	const zones = new Map<string, PeerZone>();
	for (const file of files)
		eachCsvRow(file, OFFER_COLUMNS, ([zone = "", instanceType = "", gpus = "", spotUsdPerHour = "", onDemandUsdPerHour = ""]) => {
			const trace = availability.get(zone);
			if (trace) zones.set(zone, { zone, instanceType, gpus: Number(gpus), spotUsdPerHour, onDemandUsdPerHour, availability: trace });
		});
	return zones;
}

/** Rows of one job differ only in their strategy. */
function readWindows(files: readonly { text: string; name: string }[]): PeerWindow[] {
	const windows = new Map<string, PeerWindow>();
	for (const file of files)
		eachCsvRow(file, RESULT_COLUMNS, ([zones = "", strategy = "", ...figures]) => {
			const [startH = 0, workH = 0, deadlineH = 0, checkpointGb = 0, restartH = 0] = figures.map(Number);
			const key = [zones, startH, workH, deadlineH, checkpointGb, restartH].join();
			const known = windows.get(key) ?? {
				...{ zones: zones.split(" "), startH, workH, deadlineH, checkpointGb, restartH },
				...{ skynomadUsd: null, optimumUsd: null },
			};
			const usd = figures[5] ? Number(figures[5]) : null;
			if (strategy === SKYNOMAD) known.skynomadUsd = usd;
			if (strategy === OPTIMUM) known.optimumUsd = usd;
			windows.set(key, known);
		});
	return [...windows.values()];
}
