import { suggestName } from "../../kernel/nearest-name.ts";
import type { OutputSpec } from "../output.ts";
import type { PathProblem } from "../schema/problems.ts";
import type { StepSpec } from "./pipeline.ts";

/** A step before the graph is validated. `index`: its position in the file. */
export interface DraftStep extends StepSpec {
	index: number;
	/** Outputs that its job declares, in the file's order. */
	outputs: readonly OutputSpec[];
	/** Needs as written, without those implied by its data. */
	written: readonly string[];
	/** Position of each input in the job's data. */
	inputAt: readonly number[];
}

/** Problems with references between steps: duplicate names, unknown steps and outputs, cycles, unused outputs. Linear. */
export function checkGraph(steps: readonly DraftStep[]): PathProblem[] {
	const byName = new Map<string, DraftStep>();
	const problems: PathProblem[] = [];
	for (const step of steps) {
		if (byName.has(step.name))
			problems.push(problemAt(step, ["name"], `${step.name} is the name of another step`, "Give each step its own."));
		else byName.set(step.name, step);
	}
	const names = [...byName.keys()];
	for (const step of steps) {
		for (const [i, need] of step.written.entries()) {
			if (need === step.name) problems.push(problemAt(step, ["needs", i], "is the step itself", "Remove it."));
			else if (!byName.has(need)) problems.push(problemAt(step, ["needs", i], `there is no step ${need}`, suggestName(need, names)));
		}
		for (const [i, input] of step.inputs.entries()) problems.push(...inputProblems(step, input, step.inputAt[i] ?? 0, byName));
	}
	if (problems.length === 0) problems.push(...findCycles(steps, byName));
	return problems.length > 0 ? problems : unusedOutputs(steps);
}

/** Results of steps before the last ones that no step reads, and that are neither delivered nor kept: they cost time and storage. */
function unusedOutputs(steps: readonly DraftStep[]): PathProblem[] {
	const read = new Set(steps.flatMap(({ inputs }) => inputs.map(({ step, output }) => `${step}.${output}`)));
	const conditions = new Map<string, string>();
	for (const { needs, when } of steps)
		for (const need of needs) conditions.set(need, `${conditions.get(need) ?? ""}\n${when?.includes("results") ? when : ""}`);
	return steps.flatMap((step) =>
		step.outputs.flatMap(({ name, to, keepMs }, i) => {
			const condition = conditions.get(step.name);
			if (condition === undefined || to !== undefined || keepMs !== null) return [];
			if (read.has(`${step.name}.${name}`) || condition.includes(name)) return [];
			const fix = `Read it in a later step (from: ${step.name}.${name}), set keep or to, or remove it.`;
			return [problemAt(step, ["job", "outputs", i], `no step reads output ${name}`, fix)];
		}),
	);
}

function inputProblems(
	step: DraftStep,
	input: DraftStep["inputs"][number],
	position: number,
	byName: ReadonlyMap<string, DraftStep>,
): PathProblem[] {
	const at = ["job", "data", position, "from"];
	const source = byName.get(input.step);
	if (!source) return [problemAt(step, at, `there is no step ${input.step}`, suggestName(input.step, [...byName.keys()]))];
	if (source === step) return [problemAt(step, at, "is an output of the step itself", "Name another step.")];
	const outputs = source.outputs.map(({ name }) => name);
	if (outputs.includes(input.output)) return [];
	const fix = outputs.length === 0 ? `Declare it under outputs of ${source.name}.` : suggestName(input.output, outputs);
	return [problemAt(step, at, `step ${source.name} has no output ${input.output}`, fix)];
}

/** Steps in topological order; those left over are in or behind a cycle. */
export function sortSteps<S extends Pick<StepSpec, "name" | "needs">>(steps: readonly S[]): { sorted: S[]; left: S[] } {
	const dependents = new Map<string, S[]>();
	const missing = new Map<string, number>();
	for (const step of steps) {
		missing.set(step.name, step.needs.length);
		for (const need of step.needs) {
			const list = dependents.get(need);
			if (list) list.push(step);
			else dependents.set(need, [step]);
		}
	}
	const sorted = steps.filter((step) => step.needs.length === 0);
	for (const step of sorted) {
		for (const dependent of dependents.get(step.name) ?? []) {
			const open = (missing.get(dependent.name) ?? 0) - 1;
			missing.set(dependent.name, open);
			if (open === 0) sorted.push(dependent);
		}
	}
	const done = new Set(sorted);
	return { sorted, left: steps.filter((step) => !done.has(step)) };
}

/** One problem for each step of the first cycle, with the whole cycle in the message. */
function findCycles(steps: readonly DraftStep[], byName: ReadonlyMap<string, DraftStep>): PathProblem[] {
	const { left } = sortSteps(steps);
	const stuck = new Set(left.map(({ name }) => name));
	const [first] = left;
	if (!first) return [];
	const path: DraftStep[] = [];
	const seen = new Map<string, number>();
	for (let at: DraftStep | undefined = first; at && !seen.has(at.name); ) {
		seen.set(at.name, path.length);
		path.push(at);
		const next: string | undefined = at.needs.find((need) => stuck.has(need));
		at = next === undefined ? undefined : byName.get(next);
	}
	const last = path.at(-1);
	const back = last?.needs.find((need) => stuck.has(need)) ?? "";
	const cycle = path.slice(seen.get(back) ?? 0);
	const shown = cycle.slice(0, 8).map(({ name }) => name);
	const way = [...shown, ...(cycle.length > shown.length ? ["…"] : []), cycle[0]?.name ?? ""].join(" → ");
	const [start] = cycle;
	return start ? [problemAt(start, ["needs"], `the steps need each other: ${way}`, "Remove one of these needs.")] : [];
}

export function problemAt(step: { index: number }, at: readonly PropertyKey[], message: string, fix: string | null): PathProblem {
	const path = ["spec", "steps", step.index, ...at];
	return { path: path.map(String).join("."), message, fix, at: path, isKey: false };
}
