import type { Sums } from "#components/performance/use-performance.ts";
import { formatSpan } from "#components/time/format-time.ts";
import { formatChange, formatCount, formatPercent } from "#components/ui/format-number.ts";

export const NONE = "–";

export function span(seconds: number | undefined): string {
	return seconds === undefined ? NONE : formatSpan(seconds * 1000);
}

export function use(share: number | null): string {
	return share === null ? NONE : formatPercent(share);
}

/** GPU-hours without a result. Canceled jobs are listed but not summed: people may have had what they needed. */
export function lostHours({ lostGpuHours: { failed, interrupted, evicted, lost } }: Pick<Sums, "lostGpuHours">): number {
	return failed + interrupted + evicted + lost;
}

export function gpuHours(hours: number): string {
	return hours > 0 && hours < 10 ? hours.toFixed(1) : formatCount(hours);
}

/** Jobs that failed, of those that succeeded or failed; null without any. */
export function failureShare({ models, failed }: Pick<Sums, "models" | "failed">): number | null {
	return models + failed === 0 ? null : failed / (models + failed);
}

/** "−12% from before", or a note that there is nothing to compare with. */
export function changeFrom(now: number | undefined, before: number | undefined): string {
	if (now === undefined) return "none in this range";
	if (!before) return "no data before this range";
	return `${formatChange(now / before - 1)} vs the previous period`;
}
