import { z } from "zod";
import type { ThroughputPrior } from "#server/scheduling/throughput/types.ts";
import raw from "./data/throughput.json" with { type: "json" };
import { isoDate } from "./source.ts";

/** Every measured speed is compared with this accelerator, because both sources have it. */
const BASE = "V100-16GB";
/**
 * Error of a ratio derived from data sheets (natural logarithm). Over the 21 pairs of the seven accelerators that
 * Lambda measured, the rule below is off by 0.21 (root mean square); rounded up, because kinds of work differ too.
 */
const DERIVED_SD = 0.3;
/**
 * Beyond the differences between measured models, two jobs of one kind differ in their input pipelines and batch
 * sizes. An assumption.
 */
const RESIDUAL_SD = 0.1;

const pair = z.tuple([z.number().positive(), z.number().positive()]);
const fileSchema = z.strictObject({
	asOf: isoDate,
	sources: z.record(z.string(), z.strictObject({ title: z.string().min(1), url: z.url(), licence: z.string().min(1) })),
	/** Training speed of one kind of work on one GPU each, in any unit. */
	measured: z
		.array(z.strictObject({ workload: z.string(), source: z.string(), speeds: z.record(z.string(), z.number().positive()) }))
		.min(1),
	/** Figures of the accelerator, then of the measured one it is compared with. */
	derived: z.array(z.strictObject({ accelerator: z.string(), from: z.string(), tflops: pair, bandwidthGBps: pair, source: z.string() })),
});
type ThroughputFile = z.infer<typeof fileSchema>;

let prior: ThroughputPrior | undefined;

/** Speeds from public measurements (data/throughput.json), as used by scheduling/throughput. */
export function throughputPrior(): ThroughputPrior {
	prior ??= priorOf(fileSchema.parse(raw));
	return prior;
}

/**
 * Means and covariances of ln(speed ÷ base speed) over the measured kinds of work. An accelerator without measurements is a measured
 * one times the geometric mean of the ratios of tensor TFLOPS and memory bandwidth, with an independent error: training lies between
 * compute-bound and memory-bound (Williams, Waterman and Patterson, "Roofline", CACM 52(4), 2009).
 */
export function priorOf({ measured, derived }: Pick<ThroughputFile, "measured" | "derived">): ThroughputPrior {
	const names = [...new Set([BASE, ...measured.flatMap(({ speeds }) => Object.keys(speeds))])];
	const ratios = measured.map(({ speeds }) => {
		const base = speeds[BASE] ?? Number.NaN;
		return names.map((name) => Math.log((speeds[name] ?? Number.NaN) / base));
	});
	const column = (i: number): number[] => ratios.map((row) => row[i] ?? Number.NaN);
	const means = names.map((_, i) => mean(column(i).filter(Number.isFinite)));
	const covariance = names.map((a, i) =>
		names.map((b, j) => sampleCovariance(column(i), column(j)) + (i === j && a !== BASE && b !== BASE ? RESIDUAL_SD ** 2 : 0)),
	);
	for (const { accelerator, from, tflops, bandwidthGBps } of derived) {
		const near = names.indexOf(from);
		const own = names.push(accelerator) - 1;
		means.push((means[near] ?? 0) + (Math.log(tflops[0] / tflops[1]) + Math.log(bandwidthGBps[0] / bandwidthGBps[1])) / 2);
		// The same chip with different memory is equal as far as the rule can see.
		const isSame = tflops[0] === tflops[1] && bandwidthGBps[0] === bandwidthGBps[1];
		const error = isSame ? RESIDUAL_SD ** 2 : DERIVED_SD ** 2;
		const row = names.map((_, j) => (j === own ? (covariance[near]?.[near] ?? 0) + error : (covariance[near]?.[j] ?? 0)));
		for (const [j, other] of covariance.entries()) other.push(row[j] ?? 0);
		covariance.push(row);
	}
	return { accelerators: names, logMean: means, covariance };
}

function mean(values: readonly number[]): number {
	return values.length === 0 ? 0 : values.reduce((sum, v) => sum + v, 0) / values.length;
}

/** Over the kinds of work that both were measured with; 0 if there are fewer than two. */
function sampleCovariance(a: readonly number[], b: readonly number[]): number {
	const both = a.flatMap((x, i) => {
		const y = b[i] ?? Number.NaN;
		return Number.isFinite(x) && Number.isFinite(y) ? [[x, y] as const] : [];
	});
	if (both.length < 2) return 0;
	const [meanA, meanB] = [mean(both.map(([x]) => x)), mean(both.map(([, y]) => y))];
	return both.reduce((sum, [x, y]) => sum + (x - meanA) * (y - meanB), 0) / (both.length - 1);
}
