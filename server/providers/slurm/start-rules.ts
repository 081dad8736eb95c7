import { gpusOf } from "#server/domain/job.ts";
import type { StartAttempt } from "../driver.ts";
import { DriverError } from "../driver-errors.ts";
import type { SlurmPool } from "./pools.ts";

/**
 * What a pool of many nodes asks of every start. On which nodes the slots lie is Slurm's to say, not theirs.
 * @throws DriverError invalid_request
 */
export function checkStartInPool({ attemptId, spec, slots }: StartAttempt, pool: SlurmPool): void {
	const total = pool.nodes.length * pool.gpusPerNode;
	const refuse = (why: string) => {
		throw new DriverError("invalid_request", `attempt ${attemptId} cannot start: ${why}`);
	};
	if (spec.nodes > pool.nodes.length) refuse(`it needs ${spec.nodes} nodes and the pool ${pool.id} has ${pool.nodes.length}`);
	if (spec.resources.gpus > pool.gpusPerNode)
		refuse(`it needs ${spec.resources.gpus} GPUs a node and those of ${pool.id} have ${pool.gpusPerNode}`);
	if (new Set(slots).size !== slots.length) refuse(`slots ${slots.join(", ")} name one twice`);
	if (slots.length !== gpusOf(spec)) refuse(`it needs ${gpusOf(spec)} GPUs and was given ${slots.length} slots`);
	const strange = slots.find((slot) => !Number.isInteger(slot) || slot < 0 || slot >= total);
	if (strange !== undefined) refuse(`there is no slot ${strange}; the pool ${pool.id} has 0 to ${total - 1}`);
}
