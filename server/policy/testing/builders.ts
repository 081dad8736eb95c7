import type { JobSpec } from "#server/domain/job.ts";
import type { Policy, PolicyProblem } from "#server/domain/policy.ts";
import { defined } from "#server/kernel/assert.ts";
import { parsePolicy } from "../parse-policy.ts";
import type { Place } from "../types.ts";

export function aJob(over: Partial<JobSpec> = {}): JobSpec {
	return {
		name: "fraud-v7",
		team: "risk",
		project: null,
		labels: {},
		class: "burst",
		image: null,
		command: ["python", "train.py"],
		env: {},
		nodes: 1,
		resources: { gpus: 1, accelerators: [], cpus: null, memoryGiB: null },
		duration: { estimateMs: null, maxMs: null },
		deadlineMs: null,
		priority: 50,
		critical: false,
		checkpoint: null,
		data: [],
		...over,
	};
}

export function data(residency: string[], sizeGiB: number | null = 1): JobSpec["data"][number] {
	return { uri: "s3://acme/claims", sizeGiB, mount: "/data", residency };
}

export const HOME: Place = { siteId: "home", provider: "local", region: null, instanceType: null, capacityType: "owned" };

export function anOffer(over: Partial<Place> = {}): Place {
	return { siteId: "aws-main", provider: "aws", region: "us-east-1", instanceType: "p4d.24xlarge", capacityType: "on_demand", ...over };
}

const HEAD = `apiVersion: spillway/v1
kind: Policy
metadata: { name: default }
spec:
`;

/** The line of the policy text where the lines passed to `rules` start. */
export const FIRST_RULE_LINE = 6;

/** A policy text around rule lines, each indented as an entry of `rules`. */
export function rulesText(...rules: string[]): string {
	return `${HEAD}  rules:\n${rules.map((rule) => `    - ${rule}\n`).join("")}`;
}

export function budgetsText(...budgets: string[]): string {
	return `${HEAD}  budgets:\n${budgets.map((budget) => `    - ${budget}\n`).join("")}`;
}

/** @throws AssertionError with the problems when the text has an error. */
export function policyOf(text: string): Policy {
	const { policy, problems } = parsePolicy(text);
	return defined(policy, `policy: ${shown(problems).join(" / ")}`);
}

/** `line:column severity message | fix` */
export function shown(problems: readonly PolicyProblem[]): string[] {
	return problems.map((p) => `${p.line}:${p.column} ${p.severity} ${p.message}${p.fix === null ? "" : ` | ${p.fix}`}`);
}

export function problemsIn(text: string): string[] {
	return shown(parsePolicy(text).problems);
}
