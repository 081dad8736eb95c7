import { fieldsOf, fieldsOutsideBody, hasBody, isRequired, queryParameters } from "../fields.ts";
import { type ListedOperation, OPERATIONS } from "../operations.ts";

const BEGIN = "<!-- operations: filled by server/contract/api-page.test.ts -->";
const END = "<!-- end of operations -->";

/**
 * A page with one table for each group of operations between its two marks.
 * @throws Error without both marks
 */
export function renderOperations(page: string): string {
	const [before, rest] = page.split(BEGIN);
	const after = rest?.split(END)[1];
	if (before === undefined || after === undefined) throw new Error(`the page needs ${BEGIN} and ${END}`);
	const groups = Map.groupBy(OPERATIONS, ({ id }) => id.split(".", 1)[0] ?? id);
	return `${before}${BEGIN}\n\n${[...groups].map(([group, operations]) => table(group, operations)).join("\n\n")}\n\n${END}${after}`;
}

function table(group: string, operations: readonly ListedOperation[]): string {
	const rows = operations.map((o) => `| ${requestOf(o)} | ${sentencesOf(o)} | \`${o.permission}\` |`);
	return [`### ${group}`, "", "| request | | permission |", "|---|---|---|", ...rows].join("\n");
}

function requestOf(operation: ListedOperation): string {
	const query = queryParameters(operation).map(({ name }) => name);
	const path = `\`${operation.method} ${operation.path}${query.length === 0 ? "" : `?${query.join("&")}`}\``;
	const body = bodyOf(operation);
	return body === null ? path : `${path}<br>\`${body}\``;
}

function bodyOf(operation: ListedOperation): string | null {
	if (!hasBody(operation)) return null;
	if (operation.body || operation.upload) return (operation.accepts ?? []).join(", ");
	const outside = fieldsOutsideBody(operation);
	const fields = Object.entries(fieldsOf(operation.input)).filter(([name]) => !outside.has(name));
	return `{${fields.map(([name, schema]) => `${name}${isRequired(schema) ? "" : "?"}`).join(", ")}}`;
}

function sentencesOf({ summary, description }: ListedOperation): string {
	return `${summary}.${description === undefined ? "" : ` ${description}`}`;
}
