import type { Tx } from "#server/db/client.ts";
import { compileMetricPattern, type MetricReader } from "#server/domain/metric/read-metrics.ts";
import { insertRecords } from "#server/services/core/insert-records.ts";

export interface MetricPoint {
	runId: string;
	key: string;
	step: number;
	atMs: number;
	value: number;
}

/** Writes points; points already stored stay unchanged. Returns the number of points passed in. */
export async function recordPoints(tx: Tx, points: readonly MetricPoint[]): Promise<number> {
	const byKey = new Map(points.map((point) => [`${point.runId}\n${point.key}\n${point.step}\n${point.atMs}`, point]));
	// JSON has no NaN or infinities; the database reads them as text.
	const rows = [...byKey.values()].map((point) => ({ ...point, value: Number.isFinite(point.value) ? point.value : String(point.value) }));
	if (rows.length > 0) await insertRecords(tx, "metric_point", rows, "on conflict do nothing");
	return byKey.size;
}

const readers = new Map<string, MetricReader>();
const READERS_MAX = 1_000;

/** Records metrics found in a job's output lines. A line without a step is numbered consecutively. */
export function pointsIn(
	jobId: string,
	patterns: readonly string[],
	lines: readonly { number: number; atMs: number; text: string }[],
): MetricPoint[] {
	const own = patterns.map(readerOf);
	return lines.flatMap(({ number, atMs, text }) =>
		own.flatMap((read) => {
			const found = read(text);
			if (!found) return [];
			return Object.entries(found.values).map(([key, value]) => ({ runId: jobId, key, step: found.step ?? number, atMs, value }));
		}),
	);
}

function readerOf(pattern: string): MetricReader {
	const known = readers.get(pattern);
	if (known) return known;
	if (readers.size >= READERS_MAX) readers.clear();
	const made = compileMetricPattern(pattern);
	readers.set(pattern, made);
	return made;
}
