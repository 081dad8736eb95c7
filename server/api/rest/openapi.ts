import { z } from "zod";
import { fieldsOutsideBody, hasBody, pathFields, type QueryParameter, queryParameters } from "#server/contract/fields.ts";
import type { Operation } from "#server/contract/operation.ts";
import { type ListedOperation, OPERATIONS } from "#server/contract/operations.ts";
import type { Schema } from "#server/domain/schema/field-meta.ts";
import { toJsonSchema } from "#server/domain/schema/to-json-schema.ts";
import type { ErrorCode } from "#server/kernel/errors.ts";
import { STATUS, TITLES } from "../problem.ts";
import { problemSchema } from "./problem-schema.ts";

type Json = Record<string, unknown>;

let document: Json | undefined;

/** OpenAPI 3.1 of the REST API below the base path, derived from the contract. */
export function openApi(base = ""): Json {
	document ??= build();
	return { ...document, servers: [{ url: `${base}/api/v1` }] };
}

function build(): Json {
	const schemas = componentSchemas();
	const paths: Record<string, Json> = {};
	for (const operation of OPERATIONS) {
		paths[operation.path] ??= {};
		Object.assign(paths[operation.path] as Json, { [operation.method.toLowerCase()]: operationObject(operation) });
	}
	const groups = [...new Set(OPERATIONS.map(({ id }) => groupOf(id)))];
	return {
		openapi: "3.1.0",
		info: {
			...{ title: "Spillway", version: "1" },
			description:
				"Money is a decimal string of micro-dollars; times are ISO 8601 in UTC, or milliseconds since 1970 in fields that end in Ms.",
			license: { name: "Apache-2.0", identifier: "Apache-2.0" },
		},
		security: [{ token: [] }],
		tags: groups.map((name) => ({ name, description: `Operations of the group ${name}.` })),
		paths,
		components: {
			securitySchemes: { token: { type: "http", scheme: "bearer" } },
			responses: Object.fromEntries(
				[...new Set(OPERATIONS.flatMap(errorCodes))].map((code) => [responseName(code), problemResponse(TITLES[code])]),
			),
			schemas,
		},
	};
}

const groupOf = (id: string): string => id.split(".", 1)[0] ?? id;

function operationObject(operation: ListedOperation): Json {
	const { id, summary, description, permission, write } = operation;
	const parameters = [
		...pathFields(operation).map(({ name }) => ({ name, in: "path", required: true, schema: { type: "string" } })),
		...queryParameters(operation).map((parameter) => queryObject(parameter, operation)),
		...(write ? [{ name: "Idempotency-Key", in: "header", required: false, schema: { type: "string", maxLength: 128 } }] : []),
	];
	return {
		...{ operationId: id, summary, tags: [groupOf(id)], "x-permission": permission },
		// Links in the documents do not work from here.
		...(description === undefined ? {} : { description: description.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1") }),
		...(parameters.length === 0 ? {} : { parameters }),
		...(hasBody(operation) ? { requestBody: requestBody(operation) } : {}),
		responses: { ...successResponses(operation), ...errorResponses(operation) },
	};
}

function queryObject({ name, schema, required, kind }: QueryParameter, { method, example }: ListedOperation): Json {
	const value = method === "GET" ? example?.[name] : undefined;
	return {
		...{ name, in: "query", required },
		schema: kind === "time" ? { type: "string", description: "A date, or a time with its zone (ISO 8601)." } : inlineSchema(schema),
		...(kind === "list" ? { description: "May be repeated, or separated by commas." } : {}),
		...(value === undefined ? {} : { example: kind === "list" ? String(value).split(",") : value }),
	};
}

function requestBody(operation: Operation): Json {
	if (operation.upload) return { required: true, content: mediaTypes(operation.accepts ?? [], { type: "string", format: "binary" }) };
	const schema = bodySchema(operation);
	const required = operation.body !== undefined || Array.isArray(schema.required) || "anyOf" in schema || "oneOf" in schema;
	const example = operation.example === undefined ? {} : { example: operation.example };
	return {
		required,
		content: { "application/json": { schema, ...example }, ...mediaTypes(operation.accepts ?? [], { type: "string" }) },
	};
}

/** The input without the fields of the path and the query. */
function bodySchema(operation: Operation): Json {
	if (operation.body) return inlineSchema(operation.body);
	const schema = operation.input ? inlineSchema(operation.input) : {};
	// A query field may also be in the body; a path field may not.
	const outside = operation.text === undefined ? fieldsOutsideBody(operation) : new Set(pathFields(operation).map(({ field }) => field));
	return withoutFields(schema, outside);
}

function withoutFields(schema: Json, names: ReadonlySet<string>): Json {
	if (names.size === 0 || typeof schema.properties !== "object") return schema;
	const properties = Object.fromEntries(Object.entries(schema.properties as Json).filter(([name]) => !names.has(name)));
	const required = (schema.required as string[] | undefined)?.filter((name) => !names.has(name)) ?? [];
	const { required: _, ...rest } = schema;
	return { ...rest, properties, ...(required.length === 0 ? {} : { required }) };
}

function successResponses(operation: ListedOperation): Json {
	const { id, line } = operation;
	const lines = line && { description: "One such object per line.", $ref: reference(namedAs(line) ?? `${camel(id)}Line`) };
	const media = mediaTypes(operation.media ?? [], lines ?? { type: "string" });
	const json = operation.output
		? { "application/json": { schema: { $ref: reference(namedAs(operation.output) ?? outputName(operation.id)) } } }
		: {};
	const statuses = [operation.status ?? 200].flat();
	return Object.fromEntries(
		statuses.map((status) => [status, { description: SUCCESS[status] ?? "Done.", content: { ...json, ...media } }]),
	);
}

const SUCCESS: Readonly<Record<number, string>> = { 200: "Done.", 201: "Created.", 202: "Accepted." };

const ALWAYS: readonly ErrorCode[] = ["invalid_input", "unauthenticated", "forbidden", "too_many_requests", "unavailable"];

function errorCodes(operation: ListedOperation): ErrorCode[] {
	return [
		...ALWAYS,
		...(operation.parameters.length > 0 || operation.method !== "GET" ? (["not_found"] as const) : []),
		...(operation.method === "GET" ? [] : (["conflict"] as const)),
		...(hasBody(operation) ? (["payload_too_large"] as const) : []),
		...(operation.errors ?? []),
	];
}

function errorResponses(operation: ListedOperation): Json {
	const referenced = errorCodes(operation).map((code) => [STATUS[code], { $ref: `#/components/responses/${responseName(code)}` }] as const);
	return { ...Object.fromEntries(referenced), default: problemResponse("Any other failure.") };
}

function problemResponse(description: string): Json {
	return { description, content: { "application/problem+json": { schema: { $ref: reference("Problem") } } } };
}

function mediaTypes(types: readonly string[], schema: Json): Json {
	return Object.fromEntries(types.map((type) => [type, { schema }]));
}

const camel = (text: string): string => text.replace(/(^|[._])(\w)/g, (_, __, letter: string) => letter.toUpperCase());
const responseName = (code: ErrorCode): string => camel(code);
const outputName = (id: string): string => `${camel(id)}Output`;
const reference = (name: string): string => `#/components/schemas/${name}`;

/** Outputs of all operations, and the named schemas inside them. */
function componentSchemas(): Json {
	const registry = z.registry<{ id: string }>();
	registry.add(problemSchema, { id: "Problem" });
	for (const { id, output, line } of OPERATIONS) {
		// A new object for each operation, because two operations may share an output.
		if (output && namedAs(output) === null) registry.add(envelope(output).clone(), { id: outputName(id) });
		if (line && namedAs(line) === null) registry.add(line.clone(), { id: `${camel(id)}Line` });
	}
	for (const schema of namedSchemas()) registry.add(schema, { id: namedAs(schema) ?? "" });
	const { schemas } = z.toJSONSchema(registry, {
		uri: reference,
		io: "input",
		unrepresentable: "any",
		override: ({ jsonSchema }) => nameKeys(jsonSchema),
	});
	return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, cleaned(schema as Json)]));
}

/** The response of a list without pages looks like one with a single page. */
function envelope(output: z.ZodType): z.ZodType {
	return output instanceof z.ZodArray ? z.object({ items: output, nextCursor: z.null() }) : output;
}

/** The name that a schema declares. */
function namedAs(schema: z.ZodType): string | null {
	const id = schema.meta()?.["id"];
	return typeof id === "string" ? id : null;
}

/** Named schemas inside outputs. */
function namedSchemas(): Set<z.ZodType> {
	const found = new Set<z.ZodType>();
	const collect = (schema: z.ZodType) => {
		z.toJSONSchema(schema, {
			...{ io: "input", unrepresentable: "any" },
			override: ({ zodSchema }) => {
				const inner = zodSchema as unknown as z.ZodType;
				if (namedAs(inner) !== null) found.add(inner);
			},
		});
	};
	for (const { output, line } of OPERATIONS) for (const schema of [output, line]) if (schema) collect(schema);
	return found;
}

/** A schema without references, for inputs. */
function inlineSchema(schema: z.core.$ZodType): Json {
	return cleaned(toJsonSchema(schema as Schema, ""));
}

/** A record with a closed list of keys as an object, so that its required keys are properties. */
function nameKeys(schema: z.core.JSONSchema.BaseSchema): void {
	const { propertyNames, additionalProperties, required } = schema;
	if (!Array.isArray(required) || typeof propertyNames !== "object" || schema.properties !== undefined) return;
	schema.properties = Object.fromEntries(required.map((key) => [key, additionalProperties ?? {}]));
	delete schema.propertyNames;
	delete schema.additionalProperties;
}

/** JSON Schema without the keywords used only by zod and editors. */
function cleaned({ $schema: _, $id: __, id: ___, "~standard": ____, ...schema }: Json): Json {
	return schema;
}
