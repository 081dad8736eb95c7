import { gpuMemoryGiBOf, hasBf16 } from "#server/domain/accelerator-capabilities.ts";
import type { RemovalCode } from "#server/domain/decision.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { isOtherThanGpu } from "#server/domain/other-accelerators.ts";
import type { Reason } from "#server/domain/reasons.ts";

/** Why a place is excluded for a job. ruleId is null when a fact and no rule excluded it. */
export interface Removal {
	ruleId: string | null;
	why: RemovalCode;
	facts: Reason["facts"];
}

/** The machine behind a place, for the hardware checks. null: unknown, not checked. */
export interface Machine {
	accelerator: string;
	gpus: number;
	cpus: number | null;
	memoryGiB: number | null;
}

/** The first requirement of the job that one node of this kind does not meet. */
export function hardwareRemoval(spec: JobSpec, machine: Machine): RemovalCode | null {
	const { gpus, accelerators, cpus, memoryGiB } = spec.resources;
	if (accelerators.length > 0 && !accelerators.includes(machine.accelerator)) return "hardware_accelerator";
	if (gpus > machine.gpus) return "hardware_gpus";
	if (cpus !== null && machine.cpus !== null && cpus > machine.cpus) return "hardware_cpus";
	if (memoryGiB !== null && machine.memoryGiB !== null && memoryGiB > machine.memoryGiB) return "hardware_memory";
	const { gpuMemoryGiB, bf16 } = spec.resources;
	if (gpuMemoryGiB !== undefined && (gpuMemoryGiBOf(machine.accelerator) ?? gpuMemoryGiB) < gpuMemoryGiB) return "hardware_gpu_memory";
	if (bf16 === true && !hasBf16(machine.accelerator)) return "hardware_bf16";
	return null;
}

/** The same for a cloud machine. An accelerator that is not a GPU (a TPU) must be named, because it does not run the same programs. */
export function offeredHardwareRemoval(spec: JobSpec, machine: Machine): RemovalCode | null {
	if (spec.resources.accelerators.length === 0 && isOtherThanGpu(machine.accelerator)) return "hardware_accelerator";
	return hardwareRemoval(spec, machine);
}

/** The job's request and the machine's value, for the sentence. */
export function hardwareFacts(spec: JobSpec, machine: Machine, why: RemovalCode): Reason["facts"] {
	switch (why) {
		case "hardware_accelerator":
			return { asked: spec.resources.accelerators.join(", ") || "a GPU", has: machine.accelerator };
		case "hardware_gpus":
			return { asked: spec.resources.gpus, has: machine.gpus };
		case "hardware_cpus":
			return { asked: spec.resources.cpus, has: machine.cpus };
		case "hardware_memory":
			return { askedGiB: spec.resources.memoryGiB, hasGiB: machine.memoryGiB };
		case "hardware_gpu_memory":
			return { askedGiB: spec.resources.gpuMemoryGiB ?? null, hasGiB: gpuMemoryGiBOf(machine.accelerator) };
		case "hardware_bf16":
			return { has: machine.accelerator };
		case "multi_node_unsupported":
			return { askedNodes: spec.nodes };
		default:
			return {};
	}
}

/**
 * How many checks a place passed before it was excluded. The place that passed the most explains best why a job has none: "no
 * H100 with 16 GPUs" is more informative than "that one is a T4".
 */
export function stageOf(why: RemovalCode): number {
	const order: readonly RemovalCode[] = [
		"multi_node_unsupported",
		"hardware_accelerator",
		"hardware_gpus",
		"hardware_cpus",
		"hardware_memory",
		"hardware_gpu_memory",
		"hardware_bf16",
	];
	const at = order.indexOf(why);
	return at < 0 ? order.length : at;
}

/** Orders removals by name alone, so that a plan does not depend on the order of its lists. */
export function compareNames(a: Pick<Removal, "why" | "ruleId">, b: Pick<Removal, "why" | "ruleId">): number {
	const [x, y] = [`${a.why} ${a.ruleId ?? ""}`, `${b.why} ${b.ruleId ?? ""}`];
	return x < y ? -1 : x > y ? 1 : 0;
}
