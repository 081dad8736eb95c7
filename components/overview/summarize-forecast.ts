interface Point {
	at: string;
	p10: number;
	p50: number;
	p90: number;
}

export interface ForecastPeak {
	atMs: number;
	p10: number;
	p50: number;
	p90: number;
	/** Hours with a P50 above the owned GPUs. */
	hoursOver: number;
}

/** The hour of the highest P50 in the next day, and in all hours. */
export function summarizeForecast(points: readonly Point[], ownedGpus: number): { day: ForecastPeak; week: ForecastPeak } {
	return { day: peakOf(points.slice(0, 24), ownedGpus), week: peakOf(points, ownedGpus) };
}

function peakOf(points: readonly Point[], ownedGpus: number): ForecastPeak {
	const [first] = points;
	const peak = points.reduce((best, point) => (point.p50 > best.p50 ? point : best), first ?? { at: "", p10: 0, p50: 0, p90: 0 });
	const { p10, p50, p90 } = peak;
	return { ...{ p10, p50, p90 }, atMs: Date.parse(peak.at), hoursOver: points.filter((point) => point.p50 > ownedGpus).length };
}
