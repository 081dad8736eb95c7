import type { z } from "zod";
import { mergeInput } from "#server/contract/inputs/policy.ts";
import { type MergedPolicy, mergePolicies } from "#server/policy/merge-policies.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { offLoop } from "#server/services/core/threads/off-loop.ts";
import { fetchVersion, knownPointer } from "./fetch-version.ts";

/** The caller's text merged with the version in force; publish the merged text from `baseVersion`. */
export async function mergeWithActive(
	ctx: ServiceContext,
	raw: z.input<typeof mergeInput>,
): Promise<MergedPolicy & { baseVersion: number }> {
	authorize(ctx, "policy:read", null);
	const { name, baseVersion, source, choices } = mergeInput.parse(raw);
	const { activeVersion } = await knownPointer(ctx.db, name);
	const base = (await fetchVersion(ctx.db, name, baseVersion)).source;
	const theirs = (await fetchVersion(ctx.db, name, activeVersion)).source;
	return {
		...(await offLoop(ctx, "policy.merge", mergeTexts, { texts: { base, mine: source, theirs }, choices })),
		baseVersion: activeVersion,
	};
}

/** Pure, so that it runs in a thread. */
export function mergeTexts({
	texts,
	choices,
}: {
	texts: Parameters<typeof mergePolicies>[0];
	choices: Parameters<typeof mergePolicies>[1];
}): MergedPolicy {
	return mergePolicies(texts, choices);
}
