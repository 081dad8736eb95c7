import type { JobSpec } from "./job.ts";
import { type Scaling, speedup } from "./scaling.ts";

/** GPUs of the usual cloud machine with a fast interconnect. */
const MACHINE_GPUS = 8;

/** The smallest number of machines that fits this many GPUs in equal shares; never smaller machines than the job requested. */
function shapeOfSize(spec: Pick<JobSpec, "resources">, gpus: number): { nodes: number; gpus: number } {
	const nodes = Math.ceil(gpus / Math.max(MACHINE_GPUS, spec.resources.gpus));
	return { nodes, gpus: Math.ceil(gpus / nodes) };
}

/** The job with another number of GPUs: CPUs and memory per node scale with its GPUs, declared times with the speed. */
export function withGpus(spec: JobSpec, scaling: Scaling, gpus: number): JobSpec {
	const { nodes, resources, duration } = spec;
	const shape = shapeOfSize(spec, gpus);
	const times = (value: number | null): number | null => (value === null ? null : Math.ceil((value * shape.gpus) / resources.gpus));
	const faster = speedup(scaling, nodes * resources.gpus, shape.nodes * shape.gpus);
	const shorter = (ms: number | null): number | null => (ms === null ? null : Math.max(1, Math.ceil(ms / faster)));
	return {
		...spec,
		nodes: shape.nodes,
		resources: { ...resources, gpus: shape.gpus, cpus: times(resources.cpus), memoryGiB: times(resources.memoryGiB) },
		duration: { estimateMs: shorter(duration.estimateMs), maxMs: shorter(duration.maxMs) },
	};
}
