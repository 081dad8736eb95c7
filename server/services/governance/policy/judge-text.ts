import type { PolicyProblem } from "#server/domain/policy.ts";
import { describePolicy } from "#server/policy/describe-rule.ts";
import type { Description } from "#server/policy/description.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import type { ParsePolicyOptions } from "#server/policy/types.ts";
import { diffTexts, type PolicyDiff } from "#server/services/policy/diff.ts";

export interface TextToJudge {
	/** Name under which it would be published. */
	name: string;
	source: string;
	known: ParsePolicyOptions;
	/** The text in force; null when there is none. */
	published: string | null;
}

export interface JudgedText {
	ok: boolean;
	problems: PolicyProblem[];
	sentences: Description[] | null;
	diff: PolicyDiff | null;
}

/** The computation of a policy check, a quarter of a second for the largest text; pure, so that it runs in a thread. */
export function judgeText({ name, source, known, published }: TextToJudge): JudgedText {
	const { policy, problems } = parsePolicy(source, known);
	const wrongName = policy ? nameProblem(name, policy.name, source) : null;
	return {
		ok: policy !== null && wrongName === null,
		problems: wrongName ? [wrongName, ...problems] : problems,
		sentences: policy && describePolicy(policy),
		diff: published === null ? null : diffTexts(published, source),
	};
}

/** If a text were published under a name other than its own, neither name would find it. */
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
