import type { RunInstances$ } from "@aws-sdk/client-ec2";
import { AssertionError } from "#server/kernel/assert.ts";

/**
 * Reads the schemas that Amazon ships inside `@aws-sdk/client-ec2` and similar packages, so that requests and responses are
 * checked against the service's own model instead of a second one written here.
 */
export type Ec2Operation = typeof RunInstances$;

export type Shape =
	| { kind: "string" | "number" | "boolean" | "timestamp" }
	| { kind: "list"; item: () => Shape; itemXmlName: string }
	| { kind: "structure"; name: string; members: ReadonlyMap<string, ShapeMember>; required: readonly string[] };

interface ShapeMember {
	name: string;
	/** The key in a request form. */
	queryName: string;
	/** The element in a response. */
	xmlName: string;
	shape: () => Shape;
}

// The type codes of Smithy's static schemas (@smithy/types, schema/static-schemas.d.ts).
const SIMPLE_SCHEMA = 0;
const LIST_SCHEMA = 1;
const STRUCTURE_SCHEMA = 3;
const LIST_OF = 64;
const TIMESTAMPS = [4, 5, 6, 7];

const structures = new WeakMap<object, Shape>();

export function inputShapeOf(operation: Ec2Operation): Shape {
	return shapeOf(operation[4]);
}

export function outputShapeOf(operation: Ec2Operation): Shape {
	return shapeOf(operation[5]);
}

export function operationName(operation: Ec2Operation): string {
	return operation[2];
}

function shapeOf(ref: unknown): Shape {
	const schema = typeof ref === "function" ? ref() : ref;
	if (schema === "unit") return { kind: "structure", name: "Unit", members: new Map(), required: [] };
	if (typeof schema === "number") return scalarShape(schema);
	if (!Array.isArray(schema)) throw new AssertionError(`unreadable schema ${String(schema)}`);
	if (typeof schema[0] !== "number" || typeof schema[1] !== "string") return shapeOf(schema[0]); // [ref, traits]
	if (schema[0] === SIMPLE_SCHEMA) return shapeOf(schema[4]);
	if (schema[0] === LIST_SCHEMA)
		return { kind: "list", item: () => shapeOf(schema[4]), itemXmlName: traitOf(schema[4], "xmlName") ?? "member" };
	if (schema[0] === STRUCTURE_SCHEMA) return structureShape(schema);
	throw new AssertionError(`EC2 uses a schema kind that is not read here: ${schema[0]}`);
}

function scalarShape(code: number): Shape {
	if (code >= LIST_OF && code < LIST_OF * 2) return { kind: "list", item: () => scalarShape(code - LIST_OF), itemXmlName: "member" };
	if (code === 0) return { kind: "string" };
	if (code === 1) return { kind: "number" };
	if (code === 2) return { kind: "boolean" };
	if (TIMESTAMPS.includes(code)) return { kind: "timestamp" };
	throw new AssertionError(`EC2 uses a scalar that is not read here: ${code}`);
}

function structureShape(schema: readonly unknown[]): Shape {
	const known = structures.get(schema);
	if (known) return known;
	const [, , name, , names, refs, requiredCount] = schema;
	if (typeof name !== "string" || !Array.isArray(names) || !Array.isArray(refs)) throw new AssertionError("unreadable structure schema");
	const members = new Map<string, ShapeMember>();
	names.forEach((member: string, i) => {
		const xmlName = traitOf(refs[i], "xmlName") ?? member;
		// aws.protocols#ec2Query: ec2QueryName, else xmlName with its first letter in upper case, else the member's name.
		const queryName = traitOf(refs[i], "ec2QueryName") ?? xmlName.charAt(0).toUpperCase() + xmlName.slice(1);
		members.set(member, { name: member, queryName, xmlName, shape: () => shapeOf(refs[i]) });
	});
	// Required members come first.
	const required = names.slice(0, typeof requiredCount === "number" ? requiredCount : 0);
	const shape: Shape = { kind: "structure", name, members, required };
	structures.set(schema, shape);
	return shape;
}

function traitOf(ref: unknown, trait: "xmlName" | "ec2QueryName"): string | undefined {
	if (!Array.isArray(ref) || typeof ref[1] !== "object" || ref[1] === null) return undefined;
	const value: unknown = Reflect.get(ref[1], trait);
	return typeof value === "string" ? value : undefined;
}
