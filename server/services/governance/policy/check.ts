import type { z } from "zod";
import { checkInput } from "#server/contract/inputs/policy.ts";
import type { PolicyProblem } from "#server/domain/policy.ts";
import type { Description } from "#server/policy/description.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { offLoop } from "#server/services/core/threads/off-loop.ts";
import type { PolicyDiff } from "#server/services/policy/diff.ts";
import { fetchPointer, fetchVersion } from "#server/services/policy/fetch-version.ts";
import { judgeText } from "./judge-text.ts";
import { knownFacts } from "./known-facts.ts";

export interface PolicyCheck {
	/** Whether it could be published: no problem is an error. */
	ok: boolean;
	/** Errors and warnings with line and column, from the parser that publishing uses, with this installation's sites, teams and offers. */
	problems: PolicyProblem[];
	/** Rules, budgets and weights as sentences; null with an error. */
	sentences: Description[] | null;
	/** The published version, and this text's differences from it; null when none was published yet. */
	published: ({ version: number } & PolicyDiff) | null;
}

/** Findings for this text as if it were published, without publishing it. Never throws for errors in the text. */
export async function checkPolicy(ctx: ServiceContext, raw: z.input<typeof checkInput>): Promise<PolicyCheck> {
	authorize(ctx, "policy:read", null);
	const { name, source } = checkInput.parse(raw);
	const pointer = await fetchPointer(ctx.db, name);
	const published = pointer && (await fetchVersion(ctx.db, name, pointer.activeVersion));
	const text = { name, source, known: await knownFacts(ctx), published: published?.source ?? null };
	const { diff, ...judged } = await offLoop(ctx, "policy.check", judgeText, text);
	return { ...judged, published: published && diff && { version: published.version, ...diff } };
}
