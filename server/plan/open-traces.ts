import { readFileSync } from "node:fs";
import path from "node:path";
import { OPEN_TRACE_NAMES, type OpenTraceName } from "#server/domain/open-traces.ts";

const FOLDER = path.join(import.meta.dirname, "open-traces");

/** Hourly demand of another cluster, which was not used to tune the forecast. */
export const HELD_OUT_DEMAND = path.join(FOLDER, "helios-earth-demand.csv");

/** Path of a trace that ships with Spillway; other names are already paths. */
export function tracePathOf(nameOrPath: string): string {
	const open = OPEN_TRACE_NAMES.find((name) => name === nameOrPath);
	return open ? path.join(FOLDER, `${open}.csv.gz`) : nameOrPath;
}

/** Gzipped CSV. */
export function readOpenTrace(name: OpenTraceName): Buffer {
	return readFileSync(tracePathOf(name));
}
