import type { ReplayScenario, TraceJob } from "#server/simulation/replay/types.ts";
import { jobsThatFit } from "#server/simulation/report/jobs-that-fit.ts";
import { sizedJobs } from "#server/simulation/report/sized-jobs.ts";
import type { PlanAssessment } from "../types.ts";
import { homeOnly, type PlanPolicy, shippedPolicies } from "./policies.ts";
import { nodeGpus, ownedGpus, withOwnedGpus } from "./resize.ts";
import { type OptionRun, runOption } from "./run-option.ts";
import type { OptionKind } from "./types.ts";

/** An option before it is replayed. */
export interface OptionSpec {
	id: string;
	label: string;
	kind: OptionKind;
	policy: PlanPolicy;
	ownedGpus: number;
	hasCloud: boolean;
	/** Scalable jobs request the size that is cheapest under the policy's price of delay. */
	scales?: boolean;
}

export const BURST_ID = "burst";
export const AS_IS_ID = "as_is";
export const CLOUD_ID = "cloud_only";
export const SCALED_ID = "burst_scaled";

/** Most purchase steps. */
const STEPS_MAX = 3;

/**
 * Owned GPUs only; bursting under each policy; more GPUs of the same kind without and with bursting; half of them with bursting; and cloud
 * only. Purchase steps reach the 80, 95 and 99% lines of demand, else 1, 2 and 4 nodes.
 * @param own the caller's policy; it replaces `balanced` as the burst policy.
 * @param hasScaling some jobs scale: bursting is also replayed with them at their cheapest size.
 */
export function planOptions(
	scenario: ReplayScenario,
	assessment: PlanAssessment,
	{ own, hasScaling }: { own: PlanPolicy | null; hasScaling: boolean },
): OptionSpec[] {
	const base = ownedGpus(scenario);
	const [cautious, balanced, eager] = shippedPolicies() as [PlanPolicy, PlanPolicy, PlanPolicy];
	const burst = own ?? balanced;
	const home = homeOnly();
	const steps = stepsOf(base, nodeGpus(scenario), assessment);
	const half = Math.floor(base / 2 / nodeGpus(scenario)) * nodeGpus(scenario);
	const spec = (id: string, label: string, kind: OptionKind, policy: PlanPolicy, gpus = base): OptionSpec => {
		return { id, label, kind, policy, ownedGpus: gpus, hasCloud: policy !== home };
	};
	return [
		spec(AS_IS_ID, "Today: owned GPUs only", "as_is", home),
		spec("burst_cautious", cautious.label, "burst", cautious),
		spec(BURST_ID, burst.label, "burst", burst),
		...(hasScaling ? [{ ...spec(SCALED_ID, `${burst.label}, scaling jobs on more GPUs`, "burst", burst), scales: true }] : []),
		...(own ? [spec("burst_balanced", balanced.label, "burst", balanced)] : []),
		spec("burst_eager", eager.label, "burst", eager),
		...steps.map((more) => spec(`buy_${more}`, `Buy ${more} GPUs, no cloud`, "buy", home, base + more)),
		...(half > 0 ? [spec(`mix_${half - base}`, `Keep ${half} GPUs, burst the rest`, "mix", burst, half)] : []),
		...steps.map((more) => spec(`mix_${more}`, `Buy ${more} GPUs, burst the rest`, "mix", burst, base + more)),
		spec(CLOUD_ID, "Cloud only", "cloud", eager, 0),
	];
}

function stepsOf(base: number, node: number, { demand }: PlanAssessment): number[] {
	const above = demand.lines.map(({ gpus }) => Math.ceil((gpus - base) / node) * node).filter((more) => more > 0);
	const steps = [...new Set(above)];
	return (steps.length > 0 ? steps : [node, 2 * node, 4 * node]).slice(-STEPS_MAX);
}

/** One option's replay, with the jobs that never ran because the option cannot hold them. */
export interface RanOption extends OptionRun {
	jobsNeverRan: number;
}

/** @param jobs those that some option can hold. */
export function runSpec(
	spec: OptionSpec,
	jobs: readonly TraceJob[],
	scenario: ReplayScenario,
	onProgress?: (done: number, total: number) => void,
): RanOption {
	const resized = withOwnedGpus(scenario, spec.ownedGpus);
	const offered = spec.hasCloud ? resized : { ...resized, offers: [] };
	const scaled = spec.scales ? { ...offered, scaling: scalingPrices(offered, spec.policy) } : offered;
	const able = jobsThatFit(sizedJobs(jobs, scaled), scaled);
	return { ...runOption(able, scaled, spec.policy, onProgress), jobsNeverRan: jobs.length - able.length };
}

/** The cheapest GPU-hour for rent, and the policy's value of an hour of delay. */
function scalingPrices({ offers }: ReplayScenario, { policy }: PlanPolicy): NonNullable<ReplayScenario["scaling"]> {
	const prices = offers.flatMap(({ microUsdPerHour, gpus }) =>
		microUsdPerHour !== null && microUsdPerHour > 0n ? [Number(microUsdPerHour) / 1e6 / gpus] : [],
	);
	return { usdPerGpuHour: Math.min(...prices), usdPerHour: Number(policy.weights.delayMicroUsdPerHour) / 1e6 };
}
