import type { z } from "zod";
import { checkInput } from "#server/contract/inputs/policy.ts";
import type { PolicyProblem } from "#server/domain/policy.ts";
import { describePolicy } from "#server/policy/describe-rule.ts";
import type { Description } from "#server/policy/description.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { diffTexts, type PolicyDiff } from "#server/services/policy/diff.ts";
import { fetchPointer, fetchVersion } from "#server/services/policy/fetch-version.ts";
import { knownFacts } from "./known-facts.ts";

export interface PolicyCheck {
	/** It could be published: no problem is an error. */
	ok: boolean;
	/** Errors and warnings at line and column, of the parser that publishing asks, with the sites, teams and offers of here. */
	problems: PolicyProblem[];
	/** Rules, budgets and weights as sentences; null with an error. */
	sentences: Description[] | null;
	/** The version in force, and what this text says differently; null when none was published yet. */
	published: ({ version: number } & PolicyDiff) | null;
}

/** What publishing this text would say, without publishing it. Never throws for what is wrong in the text. */
export async function checkPolicy(ctx: ServiceContext, raw: z.input<typeof checkInput>): Promise<PolicyCheck> {
	authorize(ctx, "policy:read", null);
	const { name, source } = checkInput.parse(raw);
	const { policy, problems } = parsePolicy(source, await knownFacts(ctx));
	const wrongName = policy ? nameProblem(name, policy.name, source) : null;
	const all = wrongName ? [wrongName, ...problems] : problems;
	const pointer = await fetchPointer(ctx.db, name);
	const published = pointer && (await fetchVersion(ctx.db, name, pointer.activeVersion));
	return {
		ok: policy !== null && wrongName === null,
		problems: all,
		sentences: policy && describePolicy(policy),
		published: published && { version: published.version, ...diffTexts(published.source, source) },
	};
}

/** A text of one name published under another would answer to neither. */
export function nameProblem(wanted: string, given: string, source: string): PolicyProblem | null {
	if (wanted === given) return null;
	const lines = source.split("\n");
	const index = Math.max(
		0,
		lines.findIndex((text) => /(^|[\s{,])["']?name["']?\s*:/.test(text)),
	);
	const column = Math.max(0, (lines[index] ?? "").search(/["']?name["']?\s*:/)) + 1;
	const message = `The text names itself "${given}", and must be published as "${wanted}".`;
	return { severity: "error", line: index + 1, column, message, fix: `Write metadata: { name: ${wanted} }.` };
}
