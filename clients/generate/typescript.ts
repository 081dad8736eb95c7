import type { ContractModel, Field, NamedType, OperationModel, Type } from "./model.ts";

const NOTICE = "// Generated from the API contract by clients/generate/main.ts. Do not edit: change the contract and run npm run clients.";

/** The module with the types of all inputs and answers. */
export function typescriptTypes({ types }: ContractModel): string {
	return [NOTICE, ...types.flatMap(printType), ""].join("\n");
}

function printType(type: NamedType): string[] {
	if (type.kind === "alias") return ["", `export type ${type.name} = ${print(type.type, "")};`];
	return ["", `export interface ${type.name} {`, ...type.fields.flatMap((field) => printField(field, "")), "}"];
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
			return type.values.map((value) => JSON.stringify(value)).join(" | ");
		case "list":
			return `readonly ${grouped(type.of, prefix)}[]`;
		case "map":
			return `Readonly<Record<string, ${print(type.of, prefix)}>>`;
		case "union":
			return type.of.map((option) => grouped(option, prefix)).join(" | ");
		default:
			return { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null", any: "unknown" }[type.kind];
	}
}

/** In brackets where it is more than one word. */
function grouped(type: Type, prefix: string): string {
	const text = print(type, prefix);
	return type.kind === "union" || type.kind === "literal" || type.kind === "list" ? `(${text})` : text;
}

/** The module with every operation: its types, and what is sent. */
export function typescriptOperations({ operations }: ContractModel): string {
	return [
		...[NOTICE, 'import type * as t from "./types.ts";', ""],
		...["/** Arguments and answers by operation. */", "export interface Operations {", ...operations.flatMap(printTypes), "}", ""],
		...["/** What is sent for each operation. */", "export const OPERATIONS = {", ...operations.map(printSent), "} as const;", ""],
	].join("\n");
}

function printTypes(operation: OperationModel): string[] {
	const { id, summary, pathParameters, query, body, answer, line, hasFile } = operation;
	const parameters = [...pathParameters.map((name) => `${name}: string`), ...query.map(queryType)];
	const fields = [...parameters, ...(body === null ? [] : [`body${body.isRequired ? "" : "?"}: ${bodyType(body)}`])];
	return [
		`\t/** ${summary}. */`,
		`\t"${id}": {`,
		`\t\targuments: ${fields.length === 0 ? "Record<never, never>" : `{ ${fields.join("; ")} }`};`,
		`\t\tanswer: ${answer === null ? "never" : print(answer, "t.")};`,
		...(line === null ? [] : [`\t\tline: ${print(line, "t.")};`]),
		...(hasFile ? ["\t\tfile: true;"] : []),
		"\t};",
	];
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
	return `\t"${id}": { ${fields.join(", ")} },`;
}
