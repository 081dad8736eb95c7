interface TrialPoint {
	index: number;
	name: string;
	values: Readonly<Record<string, string | number | boolean>>;
	best: number | null;
	why: string | null;
}

export interface ScatterPoint {
	index: number;
	name: string;
	value: number;
	/** Shares of the axes, 0 to 1. */
	x: number;
	y: number;
	isStopped: boolean;
}

export interface Tick {
	share: number;
	label: string;
}

const TICKS = 4;

/** Points and axes of the metric over one parameter; a non-numeric parameter gets one position per value. */
export function prepareScatter(
	trials: readonly TrialPoint[],
	axis: string | null,
): { points: ScatterPoint[]; xTicks: Tick[]; yTicks: Tick[] } {
	const known = trials.flatMap((trial) => (trial.best === null ? [] : [{ ...trial, best: trial.best }]));
	const coordinate = (trial: TrialPoint): string | number | boolean => (axis === null ? trial.index : (trial.values[axis] ?? ""));
	const isNumeric = known.every((trial) => typeof coordinate(trial) === "number");
	const labels = [...new Set(known.map((trial) => String(coordinate(trial))))];
	const xs = known.map((trial) => (isNumeric ? Number(coordinate(trial)) : labels.indexOf(String(coordinate(trial)))));
	// Values over several powers of ten are only distinguishable on a log scale.
	const isLog = isNumeric && Math.min(...xs) > 0 && Math.max(...xs) / Math.min(...xs) > 50;
	const scaled = isLog ? xs.map(Math.log10) : xs;
	const xShare = scaleOf(scaled);
	const yShare = scaleOf(known.map(({ best }) => best));
	const points = known.map(({ index, name, best, why }, at) => ({
		...{ index, name, value: best, isStopped: why !== null },
		...{ x: xShare.of(scaled[at] ?? 0), y: yShare.of(best) },
	}));
	const xTicks = isNumeric
		? ticksOf(xShare, (value) => label(isLog ? 10 ** value : value))
		: labels.slice(0, 12).map((text, at) => ({ share: xShare.of(at), label: text }));
	return { points, xTicks, yTicks: ticksOf(yShare, label) };
}

interface Scale {
	min: number;
	max: number;
	of(value: number): number;
}

function scaleOf(values: readonly number[]): Scale {
	const [min, max] = [Math.min(...values), Math.max(...values)];
	return { min, max, of: (value) => (max > min ? (value - min) / (max - min) : 0.5) };
}

function ticksOf({ min, max, of }: Scale, labelOf: (value: number) => string): Tick[] {
	if (!Number.isFinite(min)) return [];
	if (max === min) return [{ share: 0.5, label: labelOf(min) }];
	return Array.from({ length: TICKS }, (_, at) => {
		const value = min + ((max - min) * at) / (TICKS - 1);
		return { share: of(value), label: labelOf(value) };
	});
}

function label(value: number): string {
	return String(Number(value.toPrecision(3)));
}
