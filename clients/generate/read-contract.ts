import type { ContractModel, Field, NamedType, OperationModel, Type } from "./model.ts";
import { pascal } from "./model.ts";

/** A node of an OpenAPI document, as server/api/rest/openapi.ts builds it. */
// biome-ignore lint/suspicious/noExplicitAny: JSON Schema is a tree of any form
type Json = Record<string, any>;

const REFERENCE = "#/components/schemas/";
/** Shorter lists of values are inlined. */
const NAMED_VALUES_MIN = 4;
const ANY: Type = { kind: "any" };

/**
 * Reads named types and operations from the OpenAPI document.
 * @throws Error for JSON Schema that the generators cannot print
 */
export function readContract(document: Json): ContractModel {
	const reader = new TypeReader(Object.keys(document.components.schemas));
	// Nested types are named after the first type that contains them, so entities are read before the responses that
	// include them.
	const schemas = Object.entries<Json>(document.components.schemas);
	const isAnswer = (name: string): boolean => /(Output|Line)$/.test(name);
	for (const [name, schema] of [...schemas.filter(([n]) => !isAnswer(n)), ...schemas.filter(([n]) => isAnswer(n))])
		reader.addNamed(name, schema);
	const operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
		Object.entries<Json>(methods).map(([method, operation]) => readOperation(reader, method.toUpperCase(), path, operation)),
	);
	return { types: reader.types, operations };
}

function readOperation(reader: TypeReader, method: string, path: string, operation: Json): OperationModel {
	const { operationId: id, summary, description = null, parameters = [], requestBody, responses } = operation;
	const content: Json = Object.assign(
		{},
		...Object.entries<Json>(responses).flatMap(([status, response]) => (status.startsWith("2") ? [response.content] : [])),
	);
	const { "application/json": json, "application/x-ndjson": lines, ...files } = content;
	const hasLines = lines?.schema.$ref !== undefined;
	return {
		...{ id, method, path, summary, description },
		pathParameters: parameters.filter((p: Json) => p.in === "path").map((p: Json) => p.name),
		query: parameters.filter((p: Json) => p.in === "query").map((p: Json) => queryField(reader, id, p)),
		isRepeatable: parameters.some((p: Json) => p.name === "Idempotency-Key"),
		body: requestBody === undefined ? null : readBody(reader, id, requestBody),
		answer: json === undefined ? null : reader.read(json.schema, pascal(id)),
		line: hasLines ? reader.read({ $ref: lines.schema.$ref }, pascal(id)) : null,
		hasFile: Object.keys(files).length > 0 || (lines !== undefined && !hasLines),
	};
}

function queryField(reader: TypeReader, id: string, { name, schema, required, description = null }: Json): Field {
	return {
		name,
		type: reader.read(schema, pascal(`${id}.${name}`)),
		isRequired: required,
		description: description ?? schema.description ?? null,
	};
}

function readBody(reader: TypeReader, id: string, { content, required }: Json): NonNullable<OperationModel["body"]> {
	const { "application/json": json, ...others } = content as Json;
	const [textType = null] = Object.keys(others);
	const isUpload = textType !== null && others[textType].schema.format === "binary";
	return { type: json === undefined ? null : reader.read(json.schema, `${pascal(id)}Body`), isRequired: required, textType, isUpload };
}

/** Names objects inside other types. Equal objects get one name. */
class TypeReader {
	readonly types: NamedType[] = [];
	readonly #names: Set<string>;
	readonly #byText = new Map<string, string>();

	constructor(reserved: readonly string[]) {
		this.#names = new Set(reserved);
	}

	addNamed(name: string, schema: Json): void {
		if (isObject(schema)) {
			this.#byText.set(JSON.stringify(schema), name);
			this.#addObject(name, schema);
		} else if (schema.enum !== undefined) {
			this.#byText.set(JSON.stringify(schema.enum), name);
			this.types.push({ name, kind: "alias", type: { kind: "literal", values: schema.enum } });
		} else this.types.push({ name, kind: "alias", type: this.read(schema, name) });
	}

	/** @param hint name for an object without an id */
	read(schema: Json, hint: string): Type {
		if (schema.$ref !== undefined) return { kind: "named", name: schema.$ref.slice(REFERENCE.length) };
		if (schema.const !== undefined) return { kind: "literal", values: [schema.const] };
		if (schema.enum !== undefined) return this.#enum(schema.enum, hint);
		const options: Json[] | undefined = schema.anyOf ?? schema.oneOf;
		if (options !== undefined) return union(options.map((option) => this.read(option, optionHint(option, hint))));
		if (Array.isArray(schema.type)) return union(schema.type.map((type: string) => this.read({ ...schema, type }, hint)));
		if (isObject(schema)) return { kind: "named", name: this.#nameOf(schema, hint) };
		switch (schema.type) {
			case undefined:
				return ANY;
			case "array":
				return { kind: "list", of: schema.items === undefined ? ANY : this.read(schema.items, `${hint}Item`) };
			case "object":
				return {
					kind: "map",
					of: typeof schema.additionalProperties === "object" ? this.read(schema.additionalProperties, `${hint}Value`) : ANY,
				};
			case "string":
			case "integer":
			case "number":
			case "boolean":
			case "null":
				return { kind: schema.type };
			default:
				throw new Error(`${hint}: the generators do not know the type ${JSON.stringify(schema.type)}.`);
		}
	}

	/** Names long lists of values. */
	#enum(values: string[], hint: string): Type {
		const type: Type = { kind: "literal", values };
		if (values.length < NAMED_VALUES_MIN) return type;
		const text = JSON.stringify(values);
		const known = this.#byText.get(text);
		if (known !== undefined) return { kind: "named", name: known };
		const name = this.#newName(hint, text);
		this.types.push({ name, kind: "alias", type });
		return { kind: "named", name };
	}

	#nameOf(schema: Json, hint: string): string {
		const text = JSON.stringify(schema);
		const known = this.#byText.get(text);
		if (known !== undefined) return known;
		const kind = schema.properties.apiVersion && schema.properties.kind?.const;
		const name = this.#newName(kind ? `${kind}Document` : hint, text);
		this.#addObject(name, schema);
		return name;
	}

	#newName(wanted: string, text: string): string {
		let name = wanted;
		for (let number = 2; this.#names.has(name); number++) name = `${wanted}${number}`;
		this.#names.add(name);
		this.#byText.set(text, name);
		return name;
	}

	#addObject(name: string, { properties, required = [] }: Json): void {
		const fields: Field[] = [];
		this.types.push({ name, kind: "object", fields });
		for (const [field, schema] of Object.entries<Json>(properties)) {
			const type = this.read(schema, `${name}${pascal(field)}`);
			fields.push({ name: field, type, isRequired: required.includes(field), description: schema.description ?? null });
		}
	}
}

/** Names an option of a union after its first literal field, for example its type. */
function optionHint(option: Json, hint: string): string {
	const fixed = Object.values<Json>(option.properties ?? {}).find((field) => typeof field.const === "string");
	return fixed && hint !== "" ? `${hint}${pascal(fixed.const)}` : hint;
}

const isObject = (schema: Json): boolean => schema.type === "object" && Object.keys(schema.properties ?? {}).length > 0;

/** Builds a union without duplicates. A single option is returned as is. */
function union(options: Type[]): Type {
	const flat = options.flatMap((option) => (option.kind === "union" ? option.of : [option]));
	if (flat.some(({ kind }) => kind === "any")) return ANY;
	const unique = [...new Map(flat.map((option) => [JSON.stringify(option), option])).values()];
	const [only] = unique;
	return unique.length === 1 && only ? only : { kind: "union", of: unique };
}
