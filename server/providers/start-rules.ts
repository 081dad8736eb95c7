import { gpusOf } from "#server/domain/job.ts";
import type { StartAttempt } from "./driver.ts";
import { DriverError } from "./driver-errors.ts";

/** Ids become folder and object names at the sites, so nothing but these characters is let through. */
const ATTEMPT_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

export function isAttemptId(text: string): boolean {
	return ATTEMPT_ID.test(text);
}

/**
 * What a site of one node asks of every start.
 * @throws DriverError invalid_request
 */
export function checkStart(request: StartAttempt, site: { poolId: string; slots: number }): void {
	const { attemptId, spec, poolId, slots } = request;
	const refuse = (why: string) => {
		throw new DriverError("invalid_request", `attempt ${attemptId} cannot start: ${why}`);
	};
	if (!isAttemptId(attemptId)) refuse("its id may hold letters, digits, _ and - only");
	if (poolId !== site.poolId) refuse(`this site has the pool ${site.poolId}, not ${JSON.stringify(poolId)}`);
	if (spec.nodes !== 1) refuse(`it needs ${spec.nodes} nodes and this site is one node`);
	if (new Set(slots).size !== slots.length) refuse(`slots ${slots.join(", ")} name one twice`);
	if (slots.length !== gpusOf(spec)) refuse(`it needs ${gpusOf(spec)} GPUs and was given ${slots.length} slots`);
	const strange = slots.find((slot) => !Number.isInteger(slot) || slot < 0 || slot >= site.slots);
	if (strange !== undefined) refuse(`there is no slot ${strange}; this site has 0 to ${site.slots - 1}`);
}

/** @throws DriverError insufficient_capacity naming who has the slot. */
export function refuseBusySlots(request: StartAttempt, live: readonly { attemptId: string; slots: readonly number[] }[]): void {
	for (const other of live) {
		const busy = other.slots.find((slot) => request.slots.includes(slot));
		if (busy === undefined || other.attemptId === request.attemptId) continue;
		const message = `attempt ${request.attemptId} cannot start: slot ${busy} is in use by ${other.attemptId}; place it again`;
		throw new DriverError("insufficient_capacity", message);
	}
}
