import { z } from "zod";
import type { FieldMeta, Schema } from "./field-meta.ts";

/** One field of a document schema. */
export interface SchemaField extends FieldMeta {
	name: string;
	/** Dotted path of the containing object, without list indices: `spec.resources`. Empty at the top level. */
	parent: string;
	/** Type and unit in a few words: "list of text", "GiB", "duration". */
	type: string;
	isRequired: boolean;
	/** Value used when the field is absent, as written in a file; undefined if there is none. */
	defaultValue: unknown;
	/** The allowed values of a closed set; null for any other type. */
	choices: readonly string[] | null;
	/** Whether it is a list of objects with their own fields. */
	isObjectList: boolean;
}

/** All fields of an object schema, parents before children, in schema order. Recursion stops at lists of plain values. */
export function listFields(schema: Schema): SchemaField[] {
	return fieldsBelow(schema, "");
}

function fieldsBelow(schema: Schema, parent: string): SchemaField[] {
	const object = objectIn(schema);
	if (!object) return [];
	return Object.entries(object.shape).flatMap(([name, field]) => {
		const path = parent === "" ? name : `${parent}.${name}`;
		return [fieldOf(name, parent, field), ...fieldsBelow(field, path)];
	});
}

/** The schema for the value at a path of a document; null when the path is outside the schema. */
export function schemaAt(schema: Schema, path: readonly PropertyKey[]): Schema | null {
	let at: Schema | null = schema;
	for (const key of path) {
		const core: Schema | null = at && unwrap(at);
		if (core instanceof z.ZodObject) at = core.shape[String(key)] ?? null;
		else if (core instanceof z.ZodArray) at = core.element;
		else at = core instanceof z.ZodRecord ? core.valueType : null;
	}
	return at;
}

/** The fields of the object at a path, such as `spec.data.0`; null when the path is not an object with fixed fields. */
export function fieldNamesAt(schema: Schema, path: readonly PropertyKey[]): string[] | null {
	const found = schemaAt(schema, path);
	const object = found && objectIn(found);
	return object ? Object.keys(object.shape) : null;
}

function fieldOf(name: string, parent: string, schema: Schema): SchemaField {
	const core = unwrap(schema);
	const isObjectList = core instanceof z.ZodArray && objectIn(core.element) !== null;
	const choices = choicesOf(core) ?? (core instanceof z.ZodArray ? choicesOf(unwrap(core.element)) : null);
	return {
		...metaOf(schema),
		name,
		parent,
		type: typeOf(schema),
		isRequired: !isOptional(schema),
		defaultValue: defaultOf(schema),
		choices,
		isObjectList,
	};
}

/** Metadata of a schema and of those it wraps; the outermost wins. */
export function metaOf(schema: Schema): FieldMeta {
	const inner = innerOf(schema);
	return { ...(inner ? metaOf(inner) : {}), ...z.globalRegistry.get(schema) };
}

/** The schema without defaults, optionality and transforms: the form that people write. */
export function unwrap(schema: Schema): Schema {
	const inner = innerOf(schema);
	return inner ? unwrap(inner) : schema;
}

function innerOf(schema: Schema): Schema | null {
	if (
		schema instanceof z.ZodOptional ||
		schema instanceof z.ZodDefault ||
		schema instanceof z.ZodPrefault ||
		schema instanceof z.ZodNullable
	)
		return schema.def.innerType;
	// For a preprocessed value the written form is its second part, for a transformed value its first.
	if (schema instanceof z.ZodPipe) return schema.def.in instanceof z.ZodTransform ? schema.def.out : schema.def.in;
	return null;
}

/** The object type of a field, or of the entries of its list. */
function objectIn(schema: Schema): z.ZodObject | null {
	const core = unwrap(schema);
	if (core instanceof z.ZodObject) return core;
	return core instanceof z.ZodArray ? objectIn(core.element) : null;
}

function isOptional(schema: Schema): boolean {
	if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return true;
	const inner = innerOf(schema);
	return inner ? isOptional(inner) : false;
}

function defaultOf(schema: Schema): unknown {
	if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return schema.def.defaultValue;
	const inner = innerOf(schema);
	return inner ? defaultOf(inner) : undefined;
}

function choicesOf(core: Schema): string[] | null {
	if (core instanceof z.ZodEnum) return core.options.map(String);
	return core instanceof z.ZodLiteral ? [...core.values].map(String) : null;
}

function typeOf(schema: Schema): string {
	const { valueType, unit } = metaOf(schema);
	if (valueType ?? unit) return valueType ?? unit ?? "";
	const core = unwrap(schema);
	const choices = choicesOf(core);
	if (choices) return inWords(choices);
	if (core instanceof z.ZodArray) return objectIn(core.element) ? "list" : `list of ${typeOf(core.element)}`;
	if (core instanceof z.ZodObject) return "fields";
	if (core instanceof z.ZodRecord) return "name: value";
	if (core instanceof z.ZodBoolean) return "true or false";
	return core instanceof z.ZodNumber ? "number" : "text";
}

/** `a`, `a or b`, `a, b or c`. */
function inWords(values: readonly string[]): string {
	return values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}
