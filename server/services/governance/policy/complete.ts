import { z } from "zod";
import { policyText } from "#server/contract/inputs/policy.ts";
import { completePolicy } from "#server/policy/complete.ts";
import type { Completions } from "#server/policy/completion.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { offLoop } from "#server/services/core/threads/off-loop.ts";
import { knownFacts } from "./known-facts.ts";

export const completeInput = z.strictObject({
	source: policyText,
	/** Characters before the cursor. */
	offset: z
		.number()
		.int()
		.min(0)
		.max(256 * 1024),
});

/** Completions at a position of a policy's text, with the existing sites, teams and offers. */
export async function completePolicyText(ctx: ServiceContext, raw: z.input<typeof completeInput>): Promise<Completions> {
	authorize(ctx, "policy:read", null);
	const { source, offset } = completeInput.parse(raw);
	const { siteIds = [], teams = [], places = [], instanceTypes = [] } = await knownFacts(ctx);
	const known = { siteIds, teams, places, instanceTypes };
	return offLoop(ctx, "policy.complete", completeAt, { source, offset, known });
}

/** Pure, so that it runs in a thread. */
export function completeAt({
	source,
	offset,
	known,
}: {
	source: string;
	offset: number;
	known: Parameters<typeof completePolicy>[2];
}): Completions {
	return completePolicy(source, offset, known);
}
