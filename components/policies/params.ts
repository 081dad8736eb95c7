import { createSerializer, parseAsInteger, parseAsStringLiteral } from "nuqs/server";
import type { Outputs } from "#components/trpc/outputs.ts";

export type PolicyCheck = Outputs["policy"]["check"];
export type PolicyProblem = PolicyCheck["problems"][number];
export type PolicyChange = NonNullable<Outputs["policy"]["diff"]["changes"]>[number];
export type LineRun = Outputs["policy"]["diff"]["lines"][number];
export type Sentence = PolicyChange extends infer C
	? NonNullable<(C & { after: { sentence: unknown } | null })["after"]>["sentence"]
	: never;
export type VersionView = Outputs["policy"]["versions"]["items"][number];

/** The installation's active policy; currently there is exactly one. */
export const ACTIVE_POLICY = { name: "default" };

export const VERSIONS_QUERY = { ...ACTIVE_POLICY, limit: 50 };

const MODES = ["read", "edit"] as const;
export const policyParams = {
	mode: parseAsStringLiteral(MODES).withDefault("read"),
	/** The version opened in a dialog. */
	version: parseAsInteger,
};
const serialize = createSerializer(policyParams);
export const policiesHref = (view: { mode?: "read" | "edit"; version?: number | null }): string => serialize("/policies", view);

/** Element ID of a rule's card. */
export const ruleAnchor = (id: string): string => `rule-${id}`;

/** Element ID of a YAML line. */
export const lineAnchor = (line: number): string => `policy-line-${line}`;
