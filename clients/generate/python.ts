import { type ContractModel, type Field, type NamedType, type OperationModel, pascal, snake, type Type } from "./model.ts";

const NOTICE = "# Generated from the API contract by clients/generate/main.ts. Do not edit: change the contract and run npm run clients.";
const LINE_LENGTH = 100;
/** Reserved words that cannot name a parameter. Names of built-ins can. */
const KEYWORDS = new Set(["from", "class", "import", "global", "is", "in", "or", "and", "not", "as", "with", "for", "if", "def"]);

/** The module with the types of all inputs and responses. */
export function pythonModels({ types }: ContractModel): string {
	const imports = "from typing import Any, Dict, List, Literal, Optional, TypedDict, Union";
	return [
		NOTICE,
		'"""Types of what the REST API takes and answers."""',
		"",
		"from __future__ import annotations",
		"",
		imports,
		...types.flatMap(printType),
		"",
	].join("\n");
}

function printType(type: NamedType): string[] {
	if (type.kind === "alias") return printAlias(type.name, type.type);
	const required = type.fields.filter((field) => field.isRequired);
	const optional = type.fields.filter((field) => !field.isRequired);
	if (type.fields.some(({ name }) => KEYWORDS.has(name))) return printWithKeywords(type.name, required, optional);
	if (optional.length === 0) return ["", "", `class ${type.name}(TypedDict):`, ...required.flatMap(printField)];
	if (required.length === 0) return ["", "", `class ${type.name}(TypedDict, total=False):`, ...optional.flatMap(printField)];
	const base = `_${type.name}Required`;
	return [
		...["", "", `class ${base}(TypedDict):`, ...required.flatMap(printField)],
		...["", "", `class ${type.name}(${base}, total=False):`, ...optional.flatMap(printField)],
	];
}

function printAlias(name: string, type: Type): string[] {
	const line = `${name} = ${print(type, "quoted")}`;
	if (line.length <= LINE_LENGTH || type.kind !== "literal") return ["", line];
	return ["", `${name} = Literal[`, ...type.values.map((value) => `    ${literal(value)},`), "]"];
}

/** Only the functional form allows keys such as "class". */
function printWithKeywords(name: string, required: Field[], optional: Field[]): string[] {
	const form = (part: string, fields: Field[], total: string): string[] => [
		...["", `${part} = TypedDict(`, `    "${part}",`, "    {"],
		...fields.map((field) => `        "${field.name}": ${print(field.type, "quoted")},`),
		...["    },", ...(total === "" ? [] : [`    ${total},`]), ")"],
	];
	return [
		...form(`_${name}Required`, required, ""),
		...form(`_${name}Optional`, optional, "total=False"),
		...["", "", `class ${name}(_${name}Required, _${name}Optional):`, "    pass"],
	];
}

const printField = ({ name, type, description }: Field): string[] => [
	...(description === null ? [] : comment(description).map((line) => `    # ${line}`)),
	`    ${name}: ${print(type, "plain")}`,
];

/** @param style quoted: for annotations that are evaluated immediately and may use names defined later */
function print(type: Type, style: "plain" | "quoted", prefix = ""): string {
	const inner = (of: Type): string => print(of, style, prefix);
	switch (type.kind) {
		case "named":
			return style === "quoted" ? `"${prefix}${type.name}"` : `${prefix}${type.name}`;
		case "literal":
			return `Literal[${type.values.map(literal).join(", ")}]`;
		case "list":
			return `List[${inner(type.of)}]`;
		case "map":
			return `Dict[str, ${inner(type.of)}]`;
		case "union": {
			const others = type.of.filter(({ kind }) => kind !== "null");
			const joined = others.length === 1 && others[0] ? inner(others[0]) : `Union[${others.map(inner).join(", ")}]`;
			return others.length === type.of.length ? joined : `Optional[${joined}]`;
		}
		default:
			return { string: "str", integer: "int", number: "float", boolean: "bool", null: "None", any: "Any" }[type.kind];
	}
}

const literal = (value: string | number | boolean): string =>
	typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value);

/** The module with one method for each operation. */
export function pythonOperations({ operations }: ContractModel): string {
	const groups = [...new Set(operations.map(({ id }) => id.split(".")[0] ?? id))];
	return [
		...[NOTICE, '"""One method for each operation of the REST API."""', "", "from __future__ import annotations", ""],
		...["from typing import Any, BinaryIO, Dict, Iterator, List, Literal, Optional, Sequence, Union, cast", ""],
		...["from . import _models as m", "from ._transport import Transport, join", ""],
		...groups.flatMap((group) =>
			printGroup(
				group,
				operations.filter(({ id }) => id.startsWith(`${group}.`)),
			),
		),
		...["", "", "class Operations:", '    """Every operation of the REST API, by group."""', ""],
		"    def __init__(self, transport: Transport) -> None:",
		...groups.map((group) => `        self.${snake(group)} = ${pascal(group)}Operations(transport)`),
		"",
	].join("\n");
}

function printGroup(group: string, operations: OperationModel[]): string[] {
	return [
		...[
			"",
			"",
			`class ${pascal(group)}Operations:`,
			"    def __init__(self, transport: Transport) -> None:",
			"        self._transport = transport",
		],
		...operations.flatMap((operation) => [
			...(operation.answer === null ? [] : printMethod(operation, "")),
			...(operation.line === null ? [] : printMethod(operation, operation.answer === null ? "" : "_lines", "lines")),
			...(operation.hasFile ? printMethod(operation, operation.answer === null ? "" : "_file", "file") : []),
		]),
	];
}

function printMethod(operation: OperationModel, suffix: string, way: "json" | "lines" | "file" = "json"): string[] {
	const { method, path, body, query, pathParameters } = operation;
	const bare = snake(operation.id.slice(operation.id.indexOf(".") + 1)) + suffix;
	const name = KEYWORDS.has(bare) ? `${bare}_` : bare;
	const answer =
		way === "file" ? "BinaryIO" : print((way === "lines" ? operation.line : operation.answer) ?? { kind: "any" }, "plain", "m.");
	const result = way === "lines" ? `Iterator[${answer}]` : answer;
	const parameters = [
		"self",
		...pathParameters.map((parameter) => `${parameterName(parameter)}: str`),
		...(body === null ? [] : [`body: ${bodyType(body)}`]),
		...(query.length > 0 || operation.isRepeatable ? ["*"] : []),
		...query.map(queryParameter),
		...(operation.isRepeatable ? ["idempotency_key: Optional[str] = None"] : []),
	];
	const call = [
		`"${method}"`,
		`join("${path}"${pathParameters.map((parameter) => `, ${parameterName(parameter)}`).join("")})`,
		...(query.length === 0 ? [] : [`query={\n${query.map(({ name: q }) => `    "${q}": ${parameterName(q)},\n`).join("")}}`]),
		...(body === null ? [] : ["body=body"]),
		...(body === null || body.textType === null ? [] : [`text_type="${body.textType}"`]),
		...(operation.isRepeatable ? ["repeatable=True", "idempotency_key=idempotency_key"] : []),
	];
	const value = `self._transport.${way}(`;
	return [
		"",
		`    def ${name}(`,
		...parameters.map((parameter) => `        ${parameter},`),
		`    ) -> ${result}:`,
		...docstring(operation),
		...(way === "file" ? [`        return ${value}`] : ["        return cast(", `            ${result},`, `            ${value}`]),
		...call.map((argument) => `${argument},`.replace(/^/gm, way === "file" ? "            " : "                ")),
		...(way === "file" ? ["        )"] : ["            ),", "        )"]),
	];
}

const parameterName = (name: string): string => (KEYWORDS.has(name) ? `${name}_` : snake(name));

function queryParameter({ name, type, isRequired }: Field): string {
	const printed =
		type.kind === "list"
			? `Union[${print(type.of, "plain", "m.")}, Sequence[${print(type.of, "plain", "m.")}]]`
			: print(type, "plain", "m.");
	return isRequired ? `${parameterName(name)}: ${printed}` : `${parameterName(name)}: Optional[${printed}] = None`;
}

function bodyType({ type, isRequired, textType, isUpload }: NonNullable<OperationModel["body"]>): string {
	if (isUpload) return "Union[bytes, BinaryIO]";
	const printed = print(type ?? { kind: "any" }, "plain", "m.");
	const options = textType === null ? printed : `Union[${printed.replace(/^Union\[(.*)\]$/, "$1")}, str]`;
	return isRequired ? options : `Optional[${options}] = None`;
}

function docstring({ summary, description }: OperationModel): string[] {
	const lines = [...comment(`${summary}.`), ...(description === null ? [] : ["", ...comment(description)])];
	if (lines.length === 1) return [`        """${lines[0]}"""`];
	return [`        """${lines[0]}`, ...lines.slice(1).map((line) => (line === "" ? "" : `        ${line}`)), '        """'];
}

/** Wraps text into lines. */
function comment(text: string): string[] {
	const lines = [""];
	for (const word of text.replaceAll("\\", "\\\\").split(/\s+/)) {
		const last = lines.at(-1) ?? "";
		if (last === "") lines[lines.length - 1] = word;
		else if (last.length + word.length + 13 > LINE_LENGTH) lines.push(word);
		else lines[lines.length - 1] = `${last} ${word}`;
	}
	return lines;
}
