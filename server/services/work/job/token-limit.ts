import type { JobSpec } from "#server/domain/job.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { Actor } from "#server/services/core/context.ts";

/** The spec with the spending limit of the caller's token; the lower of the two limits applies. */
export function withTokenLimit(actor: Actor, spec: JobSpec): JobSpec {
	const limit = limitOf(actor);
	if (limit === undefined) return spec;
	return { ...spec, approvalAboveUsd: Math.min(limit, spec.approvalAboveUsd ?? limit) };
}

/**
 * Triggers submit jobs later, without the token.
 * @throws SpillwayError `forbidden` for a token with a spending limit
 */
export function rejectLimitedToken(actor: Actor): void {
	if (limitOf(actor) === undefined) return;
	throw new SpillwayError("forbidden", "A token with a spending limit cannot create or enable triggers.", {
		fix: "Sign in, or use a token without approvalAboveUsd.",
	});
}

/**
 * Re-run work keeps the limits that it was submitted with.
 * @throws SpillwayError `forbidden` when one of them is above the limit of the caller's token
 */
export function requireWithinTokenLimit(actor: Actor, specs: readonly Pick<JobSpec, "approvalAboveUsd">[]): void {
	const limit = limitOf(actor);
	if (limit === undefined || specs.every((spec) => spec.approvalAboveUsd !== undefined && spec.approvalAboveUsd <= limit)) return;
	throw new SpillwayError("forbidden", `Your token's jobs need approval above $${limit}, and this work has a higher limit or none.`, {
		fix: "Sign in, or submit it again with your token.",
	});
}

const limitOf = (actor: Actor): number | undefined => (actor.kind === "person" ? actor.approvalAboveUsd : undefined);
