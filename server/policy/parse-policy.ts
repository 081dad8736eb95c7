import type { Policy, PolicyProblem } from "#server/domain/policy.ts";
import { type PolicyFile, policyDocumentSchema } from "#server/domain/policy-schema.ts";
import { offsetOf, type PathProblem, problemsOf, protoKeys } from "#server/domain/schema/problems.ts";
import { buildWeights } from "./build-rule.ts";
import { type CheckedParts, checkTogether } from "./check-together.ts";
import { POLICY_LIMITS } from "./limits.ts";
import { type ParseContext, parseBudgets, parseRules, parseShares } from "./parse-entries.ts";
import { PolicyText } from "./policy-text.ts";
import { MEASURES, type ParsePolicy, type ParsePolicyOptions } from "./types.ts";

/**
 * Parses a policy text (docs/policy.md) into plain data. Every problem has its line and column; `policy` is null when
 * one of them is an error. Names are checked against the given facts of the installation (sites, teams, places). Pure:
 * any text gives a result, in time that grows with its length.
 */
export const parsePolicy: ParsePolicy = (source, options = {}) => {
	const isTooLong = source.length > POLICY_LIMITS.documentCharacters;
	const text = new PolicyText(isTooLong ? "" : source);
	if (isTooLong) {
		text.report("error", 0, `The policy has ${source.length} characters; the limit is ${POLICY_LIMITS.documentCharacters}.`, null);
		return { policy: null, problems: text.problems() };
	}
	const context = { text, siteIds: options.siteIds ?? null, measures: options.measures ?? [], known: knownNames(options) };
	const policy = parseDocument(context, options);
	return { policy: text.hasErrors ? null : policy, problems: text.problems() };
};

/**
 * Parses a published text. An accepted text stays in force, even where a later check would reject it (contradictions,
 * unreachable rules, deleted names). Null only when something cannot be parsed at all: a rule must never be skipped silently.
 */
export function parseStoredPolicy(source: string): { policy: Policy | null; problems: PolicyProblem[] } {
	const text = new PolicyText(source);
	const policy = parseDocument({ text, siteIds: null, measures: MEASURES, known: {} }, null);
	return { policy: text.hasErrors ? null : policy, problems: text.problems() };
}

function knownNames({ teams, instanceTypes = [] }: ParsePolicyOptions): ParseContext["known"] {
	const types = [...new Set(instanceTypes.flatMap(({ instanceType }) => instanceType ?? []))];
	return { teams, instanceTypes: types.length > 0 ? types : undefined };
}

/** `options` null: the checks across parts are skipped. */
function parseDocument(context: ParseContext, options: ParsePolicyOptions | null): Policy | null {
	const { text } = context;
	const written = parseYaml(text);
	if (written === null) return null;
	const result = policyDocumentSchema.safeParse(written);
	const problems = [...problemsOf(result.error, written, policyDocumentSchema), ...protoKeys(written)];
	for (const problem of problems) reportProblem(text, problem);
	const spec = specOf(written);
	const rules = parseRules(context, spec["rules"]);
	const budgets = parseBudgets(context, spec["budgets"]);
	const file: PolicyFile | undefined = result.data;
	const shares = parseShares(context, file?.spec.shares ?? {});
	if (options) checkTogether({ text, options, rules, budgets, shares } satisfies CheckedParts);
	if (!file) return null;
	return {
		name: file.metadata.name,
		rules: rules.map(({ rule }) => rule),
		budgets: budgets.flatMap(({ budget }) => budget ?? []),
		caps: budgets.flatMap(({ cap }) => cap ?? []),
		shares: shares.map(({ team, weight }) => ({ team, weight })),
		weights: buildWeights(file.spec.weights),
	};
}

/** The document as plain values; null when it is unreadable, which is reported. */
function parseYaml(text: PolicyText): object | null {
	if (!text.document) {
		for (const { offset, code, message } of text.unreadable) text.report("error", offset, `Invalid YAML: ${message}.`, hintFor(code));
		return null;
	}
	for (const offset of text.aliases())
		text.report("error", offset, "Policies cannot contain aliases (*name): every rule must show what it does.", "Write out the value.");
	if (text.hasErrors) return null;
	const written = text.plain();
	if (written === null)
		return text.report(
			"error",
			0,
			"The policy is empty.",
			"Start with apiVersion: spillway/v1 and kind: Policy; docs/policy.md has an example.",
		);
	if (typeof written !== "object" || written === undefined || Array.isArray(written))
		return text.report("error", 0, "The policy must have fields.", "Start with apiVersion: spillway/v1 and kind: Policy.");
	return written;
}

function hintFor(code: string): string | null {
	if (code === "TAB_AS_INDENT") return "Indent with spaces.";
	if (code === "DUPLICATE_KEY") return "Remove one of them.";
	if (code === "BAD_SCALAR_START" || code === "UNEXPECTED_TOKEN" || code === "BAD_ALIAS") return 'Quote the value, for example "aws:eu-*".';
	return null;
}

/** Messages that start in lower case describe the field and follow its path. */
function reportProblem(text: PolicyText, problem: PathProblem): void {
	const offset = (text.document && offsetOf(problem, text.document)) ?? 0;
	const { message, fix } = problem;
	const path = problem.at
		.map((key) => (typeof key === "number" ? `[${key}]` : `.${shorten(String(key))}`))
		.join("")
		.slice(1);
	const isPredicate = /^(must|is|has|names|does|needs|requires|limits|cannot) /.test(message);
	const sentence = isPredicate ? `${path || "The policy"} ${message}` : message;
	text.report("error", offset, /[.?!]$/.test(sentence) ? sentence : `${sentence}.`, fix);
}

const shorten = (text: string): string => (text.length <= 60 ? text : `${text.slice(0, 57)}…`);

function specOf(written: object): Record<string, unknown> {
	const spec: unknown = "spec" in written ? written.spec : null;
	return typeof spec === "object" && spec !== null ? { ...spec } : {};
}
