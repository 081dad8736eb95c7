import { z } from "zod";
import { type Operation, pathParameters } from "./operation.ts";

/** A query parameter by its public name. */
export interface QueryParameter {
	name: string;
	/** The input field that it fills. */
	field: string;
	schema: z.core.$ZodType;
	required: boolean;
	/** How its text is parsed. `time`: ISO 8601, for a field in ms. */
	kind: "list" | "number" | "flag" | "time" | "text";
}

/** Fields of an input by name; for a union, those of all members. */
export function fieldsOf(input: z.core.$ZodType | undefined): Record<string, z.core.$ZodType> {
	if (input === undefined) return {};
	if (input instanceof z.ZodObject) return input.shape;
	if (input instanceof z.ZodUnion) return Object.assign({}, ...input.options.map(fieldsOf));
	if (input instanceof z.ZodPipe) return fieldsOf(input.in);
	return {};
}

/** The path's parameters with the input fields that they fill. */
export function pathFields(operation: Operation): { name: string; field: string }[] {
	return pathParameters(operation.path).map((name) => ({ name, field: operation.wire?.[name] ?? name }));
}

export function queryParameters(operation: Operation): QueryParameter[] {
	const inPath = new Set(pathFields(operation).map(({ field }) => field));
	const publicNames = new Map(Object.entries(operation.wire ?? {}).map(([name, field]) => [field, name]));
	const isQuery = (field: string) => (operation.method === "GET" ? !inPath.has(field) : (operation.query ?? []).includes(field));
	return Object.entries(fieldsOf(operation.input))
		.filter(([field]) => isQuery(field))
		.map(([field, schema]) => {
			const name = publicNames.get(field) ?? field;
			const { inner, required } = unwrap(schema);
			return { name, field, schema, required, kind: kindOf(inner, field.endsWith("Ms") && !name.endsWith("Ms")) };
		});
}

/** Names of fields in the path or the query, and therefore not in the body. */
export function fieldsOutsideBody(operation: Operation): Set<string> {
	return new Set([...pathFields(operation).map(({ field }) => field), ...queryParameters(operation).map(({ field }) => field)]);
}

/** True when requests have a body. */
export function hasBody(operation: Operation): boolean {
	if (operation.method === "GET") return false;
	if (operation.body !== undefined || operation.upload) return true;
	const outside = fieldsOutsideBody(operation);
	return Object.keys(fieldsOf(operation.input)).some((field) => !outside.has(field));
}

/** Whether a request must have the field. */
export function isRequired(schema: z.core.$ZodType): boolean {
	return unwrap(schema).required;
}

function unwrap(schema: z.core.$ZodType): { inner: z.core.$ZodType; required: boolean } {
	if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
		return { inner: unwrap(schema.def.innerType).inner, required: false };
	if (schema instanceof z.ZodNullable) return unwrap(schema.def.innerType);
	return { inner: schema, required: true };
}

function kindOf(schema: z.core.$ZodType, isTime: boolean): QueryParameter["kind"] {
	if (schema instanceof z.ZodArray) return "list";
	// A query can only have the first form.
	if (schema instanceof z.ZodUnion && schema.options[0]) return kindOf(schema.options[0], isTime);
	if (schema instanceof z.ZodNumber) return isTime ? "time" : "number";
	return schema instanceof z.ZodBoolean ? "flag" : "text";
}
