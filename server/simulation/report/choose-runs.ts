import { createHash } from "node:crypto";
import path from "node:path";
import type { PolicyProblem } from "#server/domain/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { suggestName } from "#server/kernel/nearest-name.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { RULES_OF_THUMB_NAMES, SPILLWAY } from "#server/simulation/replay/replay.ts";
import type { StrategyChoice } from "#server/simulation/replay/types.ts";
import type { SimulationRun } from "./build-report.ts";

export interface PlannedRun {
	choice: StrategyChoice;
	policy: SimulationRun["policy"];
	/** Policy warnings for the reader, one per line. */
	warnings: string[];
}

/**
 * Lists the runs to replay: the named rules of thumb (all if none is named), then Spillway's core under each policy.
 * @param read returns a policy's text.
 * @throws SpillwayError for an unknown strategy name, or for an invalid policy with its line and column.
 */
export function chooseRuns(
	asked: { strategies: readonly string[]; policies: readonly string[] },
	read: (file: string) => string,
): PlannedRun[] {
	const known = [...RULES_OF_THUMB_NAMES, SPILLWAY];
	for (const name of asked.strategies) {
		if (known.includes(name)) continue;
		throw new SpillwayError("invalid_input", `--strategy: there is no strategy ${JSON.stringify(name.slice(0, 60))}.`, {
			fix: suggestName(name, known),
		});
	}
	const [file] = asked.policies;
	if (file === undefined && asked.strategies.includes(SPILLWAY))
		throw new SpillwayError("invalid_input", "--strategy spillway decides by a policy, and none was given.", {
			fix: "Give --policy FILE.",
		});
	const named = asked.strategies.length > 0 ? known.filter((name) => asked.strategies.includes(name)) : RULES_OF_THUMB_NAMES;
	const thumb = named
		.filter((name) => name !== SPILLWAY)
		.map((name): PlannedRun => ({ choice: { name, policy: null }, policy: null, warnings: [] }));
	return [...thumb, ...policyRuns([...new Set(asked.policies)], read)];
}

/** A single policy is called spillway; several are distinguished by their file names. */
function policyRuns(files: readonly string[], read: (file: string) => string): PlannedRun[] {
	const bases = files.map((file) => path.basename(file).replace(/\.ya?ml$/, ""));
	return files.map((file, i) => {
		const base = bases[i] ?? "";
		const distinct = bases.filter((other) => other === base).length === 1 ? base : file;
		const source = read(file);
		const { policy, problems } = parsePolicy(source, { measures: ["stopped_machines", "stopped_spot"] });
		if (!policy) throw unparsable(file, problems);
		const name = files.length === 1 ? SPILLWAY : `${SPILLWAY}:${distinct}`;
		const sha256 = createHash("sha256").update(source).digest("hex");
		return {
			choice: { name, policy },
			policy: { file, name: policy.name, sha256 },
			warnings: problems.map((problem) => warning(file, problem)),
		};
	});
}

function unparsable(file: string, problems: readonly PolicyProblem[]): SpillwayError {
	const errors = problems.filter((problem) => problem.severity === "error");
	const [first] = errors;
	const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
	return new SpillwayError(
		"invalid_input",
		`The policy ${file}, line ${first?.line ?? 1}, column ${first?.column ?? 1}: ${first?.message ?? "it cannot be read"}${more}`,
		{
			fix: first?.fix ?? "docs/policy.md lists every rule.",
			fields: errors.map(({ line, column, message, fix }) => ({ path: "", line, column, message: fix ? `${message} ${fix}` : message })),
		},
	);
}

function warning(file: string, { line, column, message, fix }: PolicyProblem): string {
	return `${file}, line ${line}, column ${column}: ${message}${fix ? ` ${fix}` : ""}`;
}
