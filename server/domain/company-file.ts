import { type Document, isMap, isNode, type LineCounter, stringify } from "yaml";
import { type FieldProblem, SpillwayError } from "../kernel/errors.ts";
import { COMPANY_LIMITS, type CompanySpec, companyDocumentSchema } from "./company-schema.ts";
import { readYaml } from "./read-yaml.ts";
import { locateProblem, MAX_PROBLEMS, type PathProblem, problemsOf, protoKeys, withFix } from "./schema/problems.ts";

/** The policy of a company file as a separate document, and where its lines are in the file. */
export interface EmbeddedPolicy {
	source: string;
	/** Line and column in the company file for a position in `source`. */
	locate(at: { line: number; column: number }): { line: number; column: number };
}

export interface CompanyText {
	spec: CompanySpec;
	policy: EmbeddedPolicy | null;
	/** Problems that only the installation can find, at their line and column. */
	locate(problem: { at: readonly PropertyKey[]; message: string }): FieldProblem;
}

/**
 * Parses a company file.
 * @throws SpillwayError `invalid_input` with line and column of each problem; `payload_too_large`
 */
export function parseCompanyText(source: string): CompanyText {
	if (source.length > COMPANY_LIMITS.documentBytes) {
		const message = `The company file has ${source.length} characters; the limit is ${COMPANY_LIMITS.documentBytes}.`;
		throw new SpillwayError("payload_too_large", message);
	}
	const { doc, lines, problems: unreadable } = readYaml(source);
	if (!doc) {
		throw invalidCompany(
			unreadable.map(({ offset, message }) => {
				const { line, col } = lines.linePos(offset);
				return { path: "", message: `Invalid YAML: ${message}`, line: Math.max(1, line), column: Math.max(1, col) };
			}),
		);
	}
	const written = plainOf(doc);
	const result = companyDocumentSchema.safeParse(written);
	const problems: PathProblem[] = [...problemsOf(result.error, written, companyDocumentSchema), ...protoKeys(written)];
	if (!result.success || problems.length > 0) {
		throw invalidCompany(
			problems.slice(0, MAX_PROBLEMS).map((problem) => ({ ...locateProblem(problem, doc, lines), message: withFix(problem) })),
		);
	}
	return {
		spec: result.data.spec,
		policy: result.data.spec.policy === undefined ? null : embeddedPolicy(source, doc, lines),
		locate: ({ at, message }) => locateProblem({ at, message, path: at.map(String).join("."), isKey: false, fix: null }, doc, lines),
	};
}

function plainOf(doc: Document): unknown {
	let written: unknown;
	try {
		written = doc.toJS({ maxAliasCount: 50 });
	} catch (cause) {
		throw invalidCompany([{ path: "", message: `Invalid YAML: ${cause instanceof Error ? cause.message : String(cause)}` }]);
	}
	// PostgreSQL cannot store NUL anywhere in a text.
	if (JSON.stringify(written)?.includes("\\u0000")) throw invalidCompany([{ path: "", message: "must not contain NUL characters" }]);
	return written;
}

export function invalidCompany(problems: readonly FieldProblem[]): SpillwayError {
	const fields = problems.map(({ path, message, line, column }) => ({
		...{ path, message },
		...(line === undefined || column === undefined ? {} : { line, column }),
	}));
	const [first] = fields;
	const where =
		first?.line === undefined ? (first?.path ?? "document") : `Line ${first.line}, column ${first.column}, ${first.path || "document"}`;
	return new SpillwayError("invalid_input", `The company file is invalid. ${where}: ${first?.message ?? "unreadable"}`, {
		fields,
		fix: "Correct these fields; docs/company-file.md lists every field.",
	});
}

const HEADER = "apiVersion: spillway/v1\nkind: Policy\nmetadata: { name: default }\nspec:\n";
const HEADER_LINES = 4;
const INDENT = 2;

/** The lines below `policy:` as written, with their comments; a policy in braces is re-rendered. */
function embeddedPolicy(source: string, doc: Document, lines: LineCounter): EmbeddedPolicy {
	const node = doc.getIn(["spec", "policy"], true);
	if (!isMap(node) || node.flow || !isNode(node) || !node.range) {
		const at = isNode(node) && node.range ? lines.linePos(node.range[0]) : { line: 1, col: 1 };
		const policy = isNode(node) ? node.toJS(doc) : {};
		const source = stringify({ apiVersion: "spillway/v1", kind: "Policy", metadata: { name: "default" }, spec: policy });
		return { source, locate: () => ({ line: at.line, column: at.col }) };
	}
	const start = lines.linePos(node.range[0]);
	const end = lines.linePos(Math.max(node.range[0], node.range[1] - 1));
	const indent = start.col - 1;
	const written = source
		.split("\n")
		.slice(start.line - 1, end.line)
		.map((text) => (text.trim() === "" ? "" : `${" ".repeat(INDENT)}${text.slice(Math.min(indent, text.search(/\S/)))}`.trimEnd()));
	return {
		source: `${HEADER}${written.join("\n")}\n`,
		locate: ({ line, column }) => ({
			line: Math.max(start.line, start.line + line - HEADER_LINES - 1),
			column: Math.max(1, column - INDENT + indent),
		}),
	};
}
