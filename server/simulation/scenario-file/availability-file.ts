import { SpillwayError } from "#server/kernel/errors.ts";
import { SECOND_MS } from "#server/kernel/units.ts";
import type { Availability } from "#server/simulation/replay/types.ts";
import { BadRow, numberIn, shorten, TRACE_LIMITS } from "#server/simulation/trace-file/trace-rows.ts";
import { eachCsvRow } from "./csv-table.ts";

const COLUMNS = ["trace_id", "t_start_s", "t_end_s", "available_nodes"];

/**
 * Recorded spot probes by trace id, from run lengths: `trace_id,t_start_s,t_end_s,available_nodes`, a trace's runs in order. Capacity is
 * available if at least one node was; between two runs none is. The offset is 0.
 * @throws SpillwayError with the line of an invalid row.
 */
export function parseAvailability(text: string, name: string): Map<string, Availability> {
	const traces = new Map<string, { startsMs: number[]; available: boolean[]; endMs: number }>();
	eachCsvRow({ text, name }, COLUMNS, ([id = "", start = "", end = "", nodes = ""]) => {
		if (id === "") throw new BadRow("trace_id", "trace_id is empty.", "Name the trace that the row belongs to.");
		const fromMs = Math.round(numberIn("t_start_s", start, "seconds", TRACE_LIMITS.seconds) * SECOND_MS);
		const toMs = Math.round(numberIn("t_end_s", end, "seconds", TRACE_LIMITS.seconds) * SECOND_MS);
		const there = numberIn("available_nodes", nodes, "nodes", TRACE_LIMITS.gpus) >= 1;
		if (toMs <= fromMs) throw new BadRow("t_end_s", `The run ends at ${end} and starts at ${start}.`, "A run ends after its start.");
		const trace = traces.get(id) ?? { startsMs: [], available: [], endMs: 0 };
		traces.set(id, trace);
		if (fromMs < trace.endMs)
			throw new BadRow(
				"t_start_s",
				`The run of ${shorten(id)} starts before the one above it ends.`,
				"Sort each trace's runs by their start.",
			);
		if (fromMs > trace.endMs) add(trace, trace.endMs, false);
		add(trace, fromMs, there);
		trace.endMs = toMs;
	});
	if (traces.size === 0)
		throw new SpillwayError("invalid_input", `${name} holds no availability trace.`, { fix: `Give rows of ${COLUMNS.join(",")}.` });
	return new Map(
		[...traces].map(([traceId, { startsMs, available, endMs }]) => [
			traceId,
			{ traceId, startsMs, available, lengthMs: endMs, offsetMs: 0 },
		]),
	);
}

/** Merges adjacent runs with the same value. */
function add(trace: { startsMs: number[]; available: boolean[] }, fromMs: number, there: boolean): void {
	if (trace.available.at(-1) === there) return;
	trace.startsMs.push(fromMs);
	trace.available.push(there);
}
