import type { SparkPoint } from "#components/charts/sparkline.tsx";
import type { AttemptView, Outputs } from "#components/trpc/outputs.ts";
import { csvText } from "#server/kernel/csv.ts";

export type GpuUse = Outputs["job"]["gpuUse"];
type Stretch = GpuUse["attempts"][number]["stretches"][number];

export interface GpuUseRow {
	attempt: Pick<AttemptView, "id" | "number" | "placement">;
	/** Percent and watts; a step without data is a gap. */
	utilisation: SparkPoint[];
	power: SparkPoint[];
	meanPercent: number;
	/** Average of reported steps; null if there are none. */
	meanWatts: number | null;
	measuredMinutes: number;
	/** End of its last step. */
	toMs: number;
}

/** Attempts with measurements, in order. */
export function prepareGpuUse(use: GpuUse, attempts: readonly AttemptView[]): GpuUseRow[] {
	return use.attempts.flatMap(({ attemptId, stretches, measuredMinutes }) => {
		const attempt = attempts.find((a) => a.id === attemptId);
		const last = stretches.at(-1);
		if (!attempt || !last) return [];
		const reported = stretches.flatMap((s) => s.powerWatts ?? []);
		return {
			attempt,
			utilisation: withGaps(stretches, use.stepMs, (s) => s.utilisationPercent),
			power: withGaps(stretches, use.stepMs, (s) => s.powerWatts),
			meanPercent: mean(stretches.map((s) => s.utilisationPercent)),
			meanWatts: reported.length === 0 ? null : mean(reported),
			measuredMinutes,
			toMs: last.atMs + use.stepMs,
		};
	});
}

/** Measurements as CSV, one line per step of an attempt. */
export function gpuUseCsv(use: GpuUse, rows: readonly GpuUseRow[]): string {
	const instant = (ms: number) => new Date(ms).toISOString();
	const lines = use.attempts.flatMap(({ attemptId, stretches }) => {
		const number = rows.find((r) => r.attempt.id === attemptId)?.attempt.number;
		return stretches.map((s) => [
			...[number === undefined ? "" : String(number), attemptId, instant(s.atMs), instant(s.atMs + use.stepMs)],
			...[s.utilisationPercent.toFixed(1), s.powerWatts === null ? "" : s.powerWatts.toFixed(1)],
		]);
	});
	return csvText([["Attempt", "ID", "From (UTC)", "To (UTC)", "GPU utilization percent", "GPU power watts"], ...lines]);
}

function withGaps(stretches: readonly Stretch[], stepMs: number, pick: (s: Stretch) => number | null): SparkPoint[] {
	return stretches.flatMap((s, i) => {
		const next = stretches[i + 1];
		const gap = next !== undefined && next.atMs > s.atMs + stepMs;
		return [{ atMs: s.atMs, value: pick(s) }, ...(gap ? [{ atMs: s.atMs + stepMs, value: null }] : [])];
	});
}

const mean = (values: readonly number[]): number => values.reduce((sum, v) => sum + v, 0) / values.length;
