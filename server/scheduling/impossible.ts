import type { RemovalCode } from "#server/domain/decision.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { type Reason, reason } from "#server/domain/reasons.ts";
import { nearestName } from "#server/kernel/nearest-name.ts";
import { canEverBurst } from "./burst.ts";
import { compareNames, type Removal, stageOf } from "./removal.ts";
import type { Shape } from "./shape.ts";
import type { Snapshot } from "./types.ts";

/**
 * Why nothing can ever run the job, empty or at any price. Null when something can, or when it is unknown: pools that were not read, or
 * offers that were not read while a rule lets the job leave home.
 */
export function impossibleReason(spec: JobSpec, shape: Shape, snapshot: Snapshot): Reason | null {
	if (shape.homeEver || snapshot.pools.length === 0) return null;
	const mayLeave = canEverBurst(shape.verdict.burst, spec.deadlineMs !== null);
	if (mayLeave && (snapshot.offers.length === 0 || shape.offers().possible)) return null;
	const home = furthest(shape.pools.flatMap((p) => (p.removal ? [p.removal] : [])));
	const cloud: Pick<Removal, "why" | "ruleId"> | null = mayLeave || !shape.offers().possible ? shape.mainRemoval() : NOT_DUE;
	const main = cloud && (home === null || stageOf(cloud.why) > stageOf(home.why)) ? cloud : home;
	return reason("no_placement_possible", {
		cause: main?.why ?? null,
		ruleId: main?.ruleId ?? null,
		homeCause: home?.why ?? null,
		homeRuleId: home?.ruleId ?? null,
		cloudCause: cloud?.why ?? null,
		cloudRuleId: cloud?.ruleId ?? null,
		...askedAndLargest(spec, snapshot),
	});
}

const NOT_DUE: { why: RemovalCode; ruleId: string | null } = { why: "burst_not_due", ruleId: null };

const KNOWN_SHOWN = 8;

/** The place that passed the most checks explains the most (removal.ts, stageOf). Ties: by code, then by rule. */
function furthest(removals: readonly Removal[]): Removal | null {
	let best: Removal | null = null;
	for (const r of removals) {
		if (best === null || compareRemovals(r, best) < 0) best = r;
	}
	return best;
}

function compareRemovals(a: Removal, b: Removal): number {
	return stageOf(b.why) - stageOf(a.why) || compareNames(a, b);
}

/** The requested amount, and the largest known among machines with an accelerator that the job accepts. */
function askedAndLargest(spec: JobSpec, snapshot: Snapshot): Reason["facts"] {
	const { accelerators, gpus, cpus, memoryGiB } = spec.resources;
	const wanted = (name: string): boolean => accelerators.length === 0 || accelerators.includes(name);
	const pools = snapshot.pools.filter((p) => wanted(p.accelerator));
	const offers = snapshot.offers.filter((o) => wanted(o.accelerator));
	return {
		askedNodes: spec.nodes,
		askedGpus: gpus,
		largestHomeGpus: largest(pools.map((p) => p.gpusPerNode)),
		largestCloudGpus: largest(offers.map((o) => o.gpus)),
		askedAccelerators: accelerators.length === 0 ? null : accelerators.join(", "),
		askedCpus: cpus,
		largestCloudCpus: largest(offers.map((o) => o.vcpus)),
		askedMemoryGiB: memoryGiB,
		...(spec.resources.gpuMemoryGiB !== undefined && { askedGiB: spec.resources.gpuMemoryGiB }),
		largestCloudMemoryGiB: largest(offers.map((o) => o.memoryGiB)),
		...(spec.mounts && { askedMounts: spec.mounts.join(", "), knownMounts: knownMounts(snapshot) }),
		...(pools.length + offers.length === 0 && nameFacts(accelerators, snapshot)),
	};
}

function knownMounts({ mounts }: Snapshot): string | null {
	const names = [...new Set([...(mounts?.values() ?? [])].flat())].sort();
	const more = names.length - KNOWN_SHOWN;
	return names.length === 0 ? null : `${names.slice(0, KNOWN_SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** Suggestion for an unknown name: the nearest name, and the existing ones. */
function nameFacts([asked = ""]: readonly string[], { pools, offers }: Snapshot): Reason["facts"] {
	const known = [...new Set([...pools, ...offers].map(({ accelerator }) => accelerator))].sort();
	const more = known.length - KNOWN_SHOWN;
	return {
		nearestAccelerator: nearestName(asked, known),
		knownAccelerators: `${known.slice(0, KNOWN_SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`,
	};
}

function largest(values: readonly number[]): number | null {
	return values.reduce<number | null>((max, value) => (max === null || value > max ? value : max), null);
}
