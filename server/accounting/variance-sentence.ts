import type { CarbonCause, VarianceCause } from "../domain/variance-cause.ts";
import { HOUR_MS } from "../kernel/units.ts";
import type { Variance, VariancePart } from "./variance.ts";

type Cause = VarianceCause | CarbonCause;
type Part = VariancePart<Cause>;
type Explained = Pick<Variance<Cause>, "beforeAmount"> & { parts: readonly Part[] };

/** Minimum effect for a sentence: one part in this many of the earlier amount. */
const LEAST_SHARE = 200n;

/** "small-lm used 2.1 times the GPU-hours (412 to 871 h)." The largest single effect on cost, in words; null where none is large. */
export function describeVariance(variance: Explained): string | null {
	const part = largest(variance);
	return part && sentenceOf(part, { more: "more expensive", less: "cheaper", other: "Egress, storage and corrections" });
}

/** The largest single effect on emissions, in words; null where none is large. */
export function describeCarbonVariance(variance: Explained): string | null {
	const part = largest(variance);
	return part && sentenceOf(part, { more: "more carbon-intensive", less: "cleaner", other: "Corrections" });
}

function largest({ parts, beforeAmount }: Explained): Part | null {
	const [first] = parts;
	return first && (first.amount < 0n ? -first.amount : first.amount) * LEAST_SHARE >= beforeAmount ? first : null;
}

function sentenceOf(part: Part, words: { more: string; less: string; other: string }): string {
	const what = part.project || part.team || "Owned hardware";
	const [before, after] = [hoursOf(part.beforeGpuMs), hoursOf(part.afterGpuMs)];
	const hours = before === after ? "" : ` (${before} to ${after} h)`;
	const up = part.amount > 0n;
	switch (part.cause) {
		case "started":
			return `${what} is new: ${hoursOf(part.afterGpuMs)} GPU-hours.`;
		case "ended":
			return `${what} ran no more jobs.`;
		case "hours":
			return `${what} ${timesWords(part)}${hours}.`;
		case "capacity":
			return `${what} shifted to ${up ? words.more : words.less} capacity (owned, spot, on demand).`;
		case "place":
			return `${what} ran in ${up ? words.more : words.less} regions or on other models.`;
		case "price":
			return `Prices of ${what} ${up ? "rose" : "fell"}.`;
		case "power":
			return `GPUs of ${what} drew ${up ? "more" : "less"} power per hour.`;
		case "grid":
			return `The electricity of ${what} was ${up ? "more carbon-intensive" : "cleaner"}.`;
		case "embodied":
			return `Embodied emissions per GPU-hour of ${what} ${up ? "rose" : "fell"}.`;
		case "lost":
			return `${what} lost ${up ? "more" : "less"} work to failures and interruptions${hours}.`;
		case "idle":
			return `Owned GPUs were idle ${up ? "longer" : "less"}${hours}.`;
		case "other":
			return `${words.other} of ${what} ${up ? "rose" : "fell"}.`;
	}
}

function timesWords({ beforeGpuMs, afterGpuMs }: Part): string {
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
