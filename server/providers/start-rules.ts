import { gpusOf, type JobSpec } from "#server/domain/job.ts";
import { requestedMounts, type SiteMount } from "#server/domain/site-mount.ts";
import type { StartAttempt } from "./driver.ts";
import { DriverError } from "./driver-errors.ts";
import type { PoolNodes } from "./pool-slots.ts";

/** Ids become folder and object names at the sites, so only these characters are allowed. */
const ATTEMPT_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

export function isAttemptId(text: string): boolean {
	return ATTEMPT_ID.test(text);
}

/**
 * Validates a start for a site with one node.
 * @throws DriverError invalid_request
 */
export function checkStart(request: StartAttempt, site: { poolId: string; slots: number }): void {
	const { attemptId, spec, poolId, slots } = request;
	const refuse = (why: string) => {
		throw new DriverError("invalid_request", `attempt ${attemptId} cannot start: ${why}`);
	};
	if (!isAttemptId(attemptId)) refuse("its id may contain only letters, digits, _ and -");
	if (poolId !== site.poolId) refuse(`this site has the pool ${site.poolId}, not ${JSON.stringify(poolId)}`);
	if (spec.nodes !== 1) refuse(`it needs ${spec.nodes} nodes, and this site has one`);
	if (new Set(slots).size !== slots.length) refuse(`slots ${slots.join(", ")} contain a duplicate`);
	if (slots.length !== gpusOf(spec)) refuse(`it needs ${gpusOf(spec)} GPUs and has ${slots.length} slots`);
	const strange = slots.find((slot) => !Number.isInteger(slot) || slot < 0 || slot >= site.slots);
	if (strange !== undefined) refuse(`there is no slot ${strange}; this site has 0 to ${site.slots - 1}`);
}

/**
 * Validates a start for a pool of many nodes. The cluster decides on which nodes the slots are, so this is not checked.
 * @throws DriverError invalid_request
 */
export function checkStartInPool({ attemptId, spec, slots }: StartAttempt, pool: PoolNodes): void {
	const total = pool.nodes.length * pool.gpusPerNode;
	const refuse = (why: string) => {
		throw new DriverError("invalid_request", `attempt ${attemptId} cannot start: ${why}`);
	};
	if (spec.nodes > pool.nodes.length) refuse(`it needs ${spec.nodes} nodes and the pool ${pool.id} has ${pool.nodes.length}`);
	if (spec.resources.gpus > pool.gpusPerNode)
		refuse(`it needs ${spec.resources.gpus} GPUs per node, and those of ${pool.id} have ${pool.gpusPerNode}`);
	if (new Set(slots).size !== slots.length) refuse(`slots ${slots.join(", ")} contain a duplicate`);
	if (slots.length !== gpusOf(spec)) refuse(`it needs ${gpusOf(spec)} GPUs and has ${slots.length} slots`);
	const strange = slots.find((slot) => !Number.isInteger(slot) || slot < 0 || slot >= total);
	if (strange !== undefined) refuse(`there is no slot ${strange}; the pool ${pool.id} has 0 to ${total - 1}`);
}

/**
 * The mounts of the site that a job requests.
 * @throws DriverError invalid_request if the site no longer has one of them
 */
export function mountsOfJob({ mounts: names }: Pick<JobSpec, "mounts">, mounts: readonly SiteMount[], place: string): SiteMount[] {
	try {
		return requestedMounts(names, mounts, place);
	} catch (error) {
		throw new DriverError("invalid_request", error instanceof Error ? error.message : String(error));
	}
}

/** @throws DriverError insufficient_capacity naming the attempt that holds the slot */
export function rejectBusySlots(request: StartAttempt, live: readonly { attemptId: string; slots: readonly number[] }[]): void {
	for (const other of live) {
		const busy = other.slots.find((slot) => request.slots.includes(slot));
		if (busy === undefined || other.attemptId === request.attemptId) continue;
		const message = `attempt ${request.attemptId} cannot start: slot ${busy} is in use by ${other.attemptId}; place it again`;
		throw new DriverError("insufficient_capacity", message);
	}
}
