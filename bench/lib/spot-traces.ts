import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { z } from "zod";

/** Spot availability of a zone, probe by probe. */
export interface SpotTrace {
	id: string;
	/** Traces of one group were recorded at the same time for the same machine, so their zones can be used together. */
	group: string;
	gapMs: number;
	/** 1: all requested nodes were available from that probe to the next. */
	up: Uint8Array;
}

const metaRow = z.object({
	trace_id: z.string().min(1),
	source: z.string(),
	kind: z.string(),
	start_date: z.string(),
	gpu: z.string(),
	gpus_per_node: z.string(),
	nodes_requested: z.coerce.number().int().min(1),
	gap_s: z.coerce.number().positive(),
});
const runRow = z.object({
	trace_id: z.string().min(1),
	t_start_s: z.coerce.number().min(0),
	t_end_s: z.coerce.number().min(0),
	available_nodes: z.coerce.number().min(0),
});

/** Reads the runs and the table of traces that names their probe interval and zone; either may be gzipped. */
export function readSpotTraces(runsFile: string, tracesFile: string): SpotTrace[] {
	const runs = Map.groupBy(rows(runsFile, runRow), (run) => run.trace_id);
	return rows(tracesFile, metaRow).flatMap((meta) => {
		const own = runs.get(meta.trace_id);
		if (!own) return [];
		const length = Math.floor(Math.max(...own.map((run) => run.t_end_s)) / meta.gap_s);
		const up = new Uint8Array(length);
		for (const run of own) {
			if (run.available_nodes < meta.nodes_requested) continue;
			up.fill(1, Math.round(run.t_start_s / meta.gap_s), Math.round(run.t_end_s / meta.gap_s));
		}
		const group = [meta.source, meta.kind, meta.start_date, meta.gpu, meta.gpus_per_node, meta.nodes_requested, meta.gap_s].join(" ");
		return [{ id: meta.trace_id, group, gapMs: meta.gap_s * 1000, up }];
	});
}

function rows<T>(file: string, schema: z.ZodType<T>): T[] {
	const bytes = readFileSync(file);
	const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString("utf8");
	const [head = "", ...lines] = text.split(/\r?\n/);
	const names = head.split(",");
	return lines.flatMap((line, index) => {
		if (line === "") return [];
		const cells = line.split(",");
		const parsed = schema.safeParse(Object.fromEntries(names.map((name, i) => [name, cells[i]])));
		if (!parsed.success) throw new Error(`${file} line ${index + 2}: ${z.prettifyError(parsed.error)}. Give a file with these columns.`);
		return [parsed.data];
	});
}
