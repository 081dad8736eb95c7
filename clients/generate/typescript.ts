import type { ContractModel, Field, NamedType, OperationModel, Type } from "./model.ts";

const NOTICE = "// Generated from the API contract by clients/generate/main.ts. Do not edit: change the contract and run npm run clients.";

/** Columns of a line. Longer unions, arguments and operations have one option or field per line. */
const LINE_LENGTH = 140;

/** The module with the types of all inputs and responses. */
export function typescriptTypes({ types }: ContractModel): string {
	return [NOTICE, ...types.flatMap(printType), ""].join("\n");
}

function printType(type: NamedType): string[] {
	if (type.kind === "alias") return ["", ...printAlias(type.name, type.type)];
	return ["", `export interface ${type.name} {`, ...type.fields.flatMap((field) => printField(field, "")), "}"];
}

function printAlias(name: string, type: Type): string[] {
	const line = `export type ${name} = ${print(type, "")};`;
	if (width(line) <= LINE_LENGTH || (type.kind !== "union" && type.kind !== "literal")) return [line];
	return [
		`export type ${name} =`,
		`${printOptions(type, "")
			.map((option) => `\t| ${option}`)
			.join("\n")};`,
	];
}

function printField({ name, type, isRequired, description }: Field, prefix: string): string[] {
	const doc = description === null ? [] : [`\t/** ${description.replaceAll("*/", "* /")} */`];
	return [...doc, `\t${name}${isRequired ? "" : "?"}: ${print(type, prefix)};`];
}

function print(type: Type, prefix: string): string {
	switch (type.kind) {
		case "named":
			return `${prefix}${type.name}`;
		case "literal":
		case "union":
			return printOptions(type, prefix).join(" | ");
		case "list":
			return `readonly ${grouped(type.of, prefix)}[]`;
		case "map":
			return `Readonly<Record<string, ${print(type.of, prefix)}>>`;
		default:
			return { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null", any: "unknown" }[type.kind];
	}
}

/** Each option of a union as text. */
function printOptions(type: Extract<Type, { kind: "union" | "literal" }>, prefix: string): string[] {
	return type.kind === "union" ? type.of.map((option) => print(option, prefix)) : type.values.map((value) => JSON.stringify(value));
}

/** The type as the element of a list: unions and lists need parentheses. */
function grouped(type: Type, prefix: string): string {
	const text = print(type, prefix);
	const isUnion = type.kind === "union" || (type.kind === "literal" && type.values.length > 1);
	return isUnion || type.kind === "list" ? `(${text})` : text;
}

/** The module with every operation: its types and its request. */
export function typescriptOperations({ operations }: ContractModel): string {
	return [
		...[NOTICE, 'import type * as t from "./types.ts";', ""],
		...["/** Arguments and answers by operation. */", "export interface Operations {", ...operations.flatMap(printTypes), "}", ""],
		...["/** The request of each operation. */", "export const OPERATIONS = {", ...operations.map(printSent), "} as const;", ""],
	].join("\n");
}

function printTypes(operation: OperationModel): string[] {
	const { id, summary, pathParameters, query, body, answer, line, hasFile } = operation;
	const parameters = [...pathParameters.map((name) => `${name}: string`), ...query.map(queryType)];
	const fields = [...parameters, ...(body === null ? [] : [`body${body.isRequired ? "" : "?"}: ${bodyType(body)}`])];
	return [
		`\t/** ${summary}. */`,
		`\t"${id}": {`,
		...printArguments(fields),
		`\t\tanswer: ${answer === null ? "never" : print(answer, "t.")};`,
		...(line === null ? [] : [`\t\tline: ${print(line, "t.")};`]),
		...(hasFile ? ["\t\tfile: true;"] : []),
		"\t};",
	];
}

function printArguments(fields: string[]): string[] {
	if (fields.length === 0) return ["\t\targuments: Record<never, never>;"];
	const line = `\t\targuments: { ${fields.join("; ")} };`;
	if (width(line) <= LINE_LENGTH) return [line];
	return ["\t\targuments: {", ...fields.map((field) => `\t\t\t${field};`), "\t\t};"];
}

function queryType({ name, type, isRequired }: Field): string {
	const printed = type.kind === "list" ? `${print(type.of, "t.")} | ${print(type, "t.")}` : print(type, "t.");
	return `${name}${isRequired ? "" : "?"}: ${printed}`;
}

function bodyType({ type, textType, isUpload }: NonNullable<OperationModel["body"]>): string {
	if (isUpload) return "string | Blob | Uint8Array<ArrayBuffer>";
	return [print(type ?? { kind: "any" }, "t."), ...(textType === null ? [] : ["string"])].join(" | ");
}

function printSent({ id, method, path, query, body, isRepeatable }: OperationModel): string {
	const fields = [
		`method: "${method}"`,
		`path: "${path}"`,
		`query: [${query.map(({ name }) => `"${name}"`).join(", ")}]`,
		`textType: ${body?.textType ? `"${body.textType}"` : "null"}`,
		`isRepeatable: ${isRepeatable}`,
	];
	const line = `\t"${id}": { ${fields.join(", ")} },`;
	if (width(line) <= LINE_LENGTH) return line;
	return [`\t"${id}": {`, ...fields.map(printSentField), "\t},"].join("\n");
}

function printSentField(field: string): string {
	const line = `\t\t${field},`;
	return width(line) <= LINE_LENGTH ? line : line.replace("[", "[\n\t\t\t").replaceAll(", ", ",\n\t\t\t").replace("],", ",\n\t\t],");
}

/** Columns of a line; a tab is two. */
function width(line: string): number {
	return line.replaceAll("\t", "  ").length;
}
