import type { Document, LineCounter } from "yaml";
import { readYaml } from "#server/domain/read-yaml.ts";
import { locateProblem, type PathProblem, problemsOf, protoKeys, withFix } from "#server/domain/schema/problems.ts";
import { type FieldProblem, SpillwayError } from "#server/kernel/errors.ts";
import { SCENARIO_LIMITS, type ScenarioSpec, scenarioSchema } from "./schema.ts";

/** Problems reported individually; the rest are counted. */
const MOST_PROBLEMS = 20;
const SEE = "docs/simulator.md lists every field.";

/** A parsed scenario that can locate each of its fields in the text. */
export class ScenarioDocument {
	readonly name: string;
	readonly title: string;
	readonly spec: ScenarioSpec;
	readonly #doc: Document;
	readonly #lines: LineCounter;

	/** @throws SpillwayError `invalid_input` with line and column of every wrong field. */
	constructor(source: string, name: string) {
		this.name = name;
		if (source.length > SCENARIO_LIMITS.documentCharacters)
			throw new SpillwayError("invalid_input", `${name} is longer than ${SCENARIO_LIMITS.documentCharacters} characters.`, {
				fix: "Is this the scenario, or the trace? Offers of the shipped catalog need not be written out.",
			});
		const { doc, lines, problems } = readYaml(source);
		if (!doc) {
			const [first] = problems;
			const { line, col } = lines.linePos(first?.offset ?? 0);
			throw invalid(name, [{ path: "", message: `The YAML cannot be read: ${first?.message ?? "unknown"}`, line, column: col }]);
		}
		this.#doc = doc;
		this.#lines = lines;
		if (doc.contents === null)
			throw new SpillwayError("invalid_input", `${name}: the scenario is empty.`, {
				fix: "Begin with apiVersion: spillway/v1 and kind: Scenario; examples/simulate has two.",
			});
		const document = plainOf(doc, name);
		const read = scenarioSchema.safeParse(document);
		const wrong = [...problemsOf(read.error, document, scenarioSchema), ...protoKeys(document)];
		if (!read.success || wrong.length > 0) throw this.#problems(wrong);
		this.title = read.data.metadata.name;
		this.spec = read.data.spec;
	}

	/** An error at a field of `spec`. */
	error(at: readonly (string | number)[], message: string, fix: string): SpillwayError {
		const path = ["spec", ...at];
		const place = locateProblem({ path: path.join("."), message, fix: null, at: path, isKey: false }, this.#doc, this.#lines);
		return invalid(this.name, [place], fix);
	}

	#problems(problems: readonly PathProblem[]): SpillwayError {
		const placed = problems.map((problem) => ({ ...locateProblem(problem, this.#doc, this.#lines), message: withFix(problem) }));
		placed.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
		return invalid(this.name, placed);
	}
}

function plainOf(doc: Document, name: string): unknown {
	try {
		return doc.toJS({ maxAliasCount: 50 });
	} catch (cause) {
		const why = cause instanceof Error ? cause.message : String(cause);
		throw invalid(name, [{ path: "", message: `The YAML cannot be expanded: ${why}`, line: 1, column: 1 }]);
	}
}

function invalid(name: string, problems: readonly FieldProblem[], fix: string = SEE): SpillwayError {
	const [first] = problems;
	const place = first?.line === undefined ? "" : `, line ${first.line}, column ${first.column}`;
	const field = first && first.path !== "" ? `${first.path}: ` : "";
	const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
	const fields = problems.slice(0, MOST_PROBLEMS).map(({ path, message, line, column }) => ({
		...{ path, message },
		...(line === undefined || column === undefined ? {} : { line, column }),
	}));
	return new SpillwayError("invalid_input", `${name}${place}: ${field}${first?.message ?? "unreadable"}${more}`, { fix, fields });
}
