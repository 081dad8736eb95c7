export interface RanStep {
	name: string;
	startedAt: string | null;
	finishedAt: string | null;
}

export interface ForecastStep {
	name: string;
	start: { p50: string; p90: string };
	finish: { p50: string; p90: string };
	isCritical: boolean;
}

/** Shares of the axis, 0 to 1. */
export interface GanttRow {
	name: string;
	actual: { left: number; width: number } | null;
	/** Median start to median end, and the P90 of the end. */
	forecast: { left: number; width: number; late: number } | null;
	isCritical: boolean;
}

/** Actual times of each step next to its forecast at submission. A running step ends at `nowMs`. */
export function ganttOf(
	steps: readonly RanStep[],
	forecasts: readonly ForecastStep[],
	{ submittedAtMs, nowMs }: { submittedAtMs: number; nowMs: number },
): { rows: GanttRow[]; fromMs: number; untilMs: number } {
	const byName = new Map(forecasts.map((step) => [step.name, step]));
	const ends = [
		...steps.map(({ startedAt, finishedAt }) => (startedAt === null ? 0 : (parse(finishedAt) ?? nowMs))),
		...forecasts.map(({ finish }) => Date.parse(finish.p90)),
	];
	const fromMs = submittedAtMs;
	const untilMs = Math.max(fromMs + 60_000, ...ends);
	const share = (ms: number): number => Math.min(1, Math.max(0, (ms - fromMs) / (untilMs - fromMs)));
	const rows = steps.map(({ name, startedAt, finishedAt }): GanttRow => {
		const [start, end] = [parse(startedAt), parse(finishedAt)];
		const forecast = byName.get(name);
		const left = forecast ? share(Date.parse(forecast.start.p50)) : 0;
		return {
			name,
			actual: start === null ? null : { left: share(start), width: share(end ?? nowMs) - share(start) },
			forecast: forecast
				? { left, width: share(Date.parse(forecast.finish.p50)) - left, late: share(Date.parse(forecast.finish.p90)) }
				: null,
			isCritical: forecast?.isCritical ?? false,
		};
	});
	return { rows, fromMs, untilMs };
}

function parse(time: string | null): number | null {
	return time === null ? null : Date.parse(time);
}
