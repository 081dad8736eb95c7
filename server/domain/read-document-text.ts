import type { Document, LineCounter } from "yaml";
import { SpillwayError } from "../kernel/errors.ts";
import { type DocumentKind, invalidDocument } from "./job-file-problems.ts";
import { JOB_LIMITS } from "./job-schema.ts";
import { readYaml } from "./read-yaml.ts";

/**
 * Parses YAML (JSON is YAML too) into nodes and plain values.
 * @throws SpillwayError `invalid_input` with line and column of each problem; `payload_too_large`
 */
export function readDocumentText(source: string, kind: DocumentKind): { doc: Document; lines: LineCounter; plain: unknown } {
	if (source.length > JOB_LIMITS.documentBytes) {
		throw new SpillwayError(
			"payload_too_large",
			`The ${kind.name} has ${source.length} characters; the limit is ${JOB_LIMITS.documentBytes}.`,
		);
	}
	const { doc, lines, problems } = readYaml(source);
	if (doc) return { doc, lines, plain: plainOf(doc, kind) };
	throw invalidDocument(
		kind,
		problems.map(({ offset, message }) => {
			const at = lines.linePos(offset);
			return { path: "", message: `Invalid YAML: ${message}`, line: Math.max(1, at.line), column: Math.max(1, at.col) };
		}),
	);
}

function plainOf(doc: Document, kind: DocumentKind): unknown {
	try {
		return doc.toJS({ maxAliasCount: 50 });
	} catch (cause) {
		throw invalidDocument(kind, [{ path: "", message: `Invalid YAML: ${cause instanceof Error ? cause.message : String(cause)}` }]);
	}
}
