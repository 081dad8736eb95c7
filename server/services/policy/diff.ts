import type { z } from "zod";
import { diffInput } from "#server/contract/inputs/policy.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { diffLines, type LineRun } from "#server/policy/diff-lines.ts";
import { diffPolicies, type PolicyChange } from "#server/policy/diff-policies.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { fetchVersion, knownPointer, readStored } from "./fetch-version.ts";

export interface PolicyDiff {
	/** Differences by rule; null when one of the texts cannot be parsed as a policy. */
	changes: PolicyChange[] | null;
	/** Text differences, by line. */
	lines: LineRun[];
}

export function diffTexts(before: string, after: string): PolicyDiff {
	const [old, now] = [readStored(before), readStored(after)];
	return { changes: old && now ? diffPolicies(old, now) : null, lines: diffLines(before, after) };
}

/** From one version to another, or to a text; default: the published version. `to` is null for a text. */
export async function diffVersions(
	ctx: ServiceContext,
	raw: z.input<typeof diffInput>,
): Promise<PolicyDiff & { from: number; to: number | null }> {
	authorize(ctx, "policy:read", null);
	const { name, from, to } = diffInput.parse(raw);
	const active = (await knownPointer(ctx.db, name)).activeVersion;
	const first = from ?? active;
	const before = await sourceOf(ctx.db, name, first);
	if (typeof to === "object") return { from: first, to: null, ...diffTexts(before, to.source) };
	const second = to ?? active;
	return { from: first, to: second, ...diffTexts(before, await sourceOf(ctx.db, name, second)) };
}

async function sourceOf(db: DbOrTx, name: string, version: number): Promise<string> {
	return (await fetchVersion(db, name, version)).source;
}
