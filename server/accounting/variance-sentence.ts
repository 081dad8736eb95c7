import { HOUR_MS } from "../kernel/units.ts";
import type { Variance, VariancePart } from "./variance.ts";

/** Small effects are not worth a sentence: one part in so many of the earlier amount. */
const LEAST_SHARE = 200n;

/** "small-lm used 2.1 times the GPU-hours (412 to 871 h)." The largest single effect, in words; null where none is large. */
export function describeVariance({ parts, beforeMicroUsd }: Pick<Variance, "parts" | "beforeMicroUsd">): string | null {
	const [first] = parts;
	if (!first || (first.microUsd < 0n ? -first.microUsd : first.microUsd) * LEAST_SHARE < beforeMicroUsd) return null;
	return sentenceOf(first);
}

function sentenceOf(part: VariancePart): string {
	const what = part.project || part.team || "Owned hardware";
	const [before, after] = [hoursOf(part.beforeGpuMs), hoursOf(part.afterGpuMs)];
	const hours = before === after ? "" : ` (${before} to ${after} h)`;
	const up = part.microUsd > 0n;
	switch (part.cause) {
		case "started":
			return `${what} is new: ${hoursOf(part.afterGpuMs)} GPU-hours.`;
		case "ended":
			return `${what} ran no more jobs.`;
		case "hours":
			return `${what} ${timesWords(part)}${hours}.`;
		case "capacity":
			return `${what} ran on ${up ? "more expensive" : "cheaper"} capacity: owned, spot and on-demand changed shares.`;
		case "place":
			return `${what} ran in ${up ? "more expensive" : "cheaper"} regions or on other models.`;
		case "price":
			return `Prices of ${what} ${up ? "rose" : "fell"}.`;
		case "lost":
			return `${what} lost ${up ? "more" : "less"} work to failures and interruptions${hours}.`;
		case "idle":
			return `Owned GPUs were idle ${up ? "longer" : "less"}${hours}.`;
		case "other":
			return `Egress, storage and corrections of ${what} ${up ? "rose" : "fell"}.`;
	}
}

function timesWords({ beforeGpuMs, afterGpuMs }: VariancePart): string {
	const tenths = Number((afterGpuMs * 10n) / beforeGpuMs);
	if (tenths >= 15) return `used ${tenths / 10} times the GPU-hours`;
	return afterGpuMs > beforeGpuMs ? "used more GPU-hours" : "used fewer GPU-hours";
}

/** Whole hours, with one decimal below ten. */
function hoursOf(gpuMs: bigint): string {
	const hours = Number(gpuMs) / HOUR_MS;
	if (hours > 0 && hours < 0.05) return "under 0.1";
	return hours.toLocaleString("en-US", { maximumFractionDigits: hours < 10 ? 1 : 0 });
}
