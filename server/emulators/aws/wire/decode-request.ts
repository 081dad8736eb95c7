import { Ec2Error, invalidValue } from "../ec2-error.ts";
import type { Shape } from "./shapes.ts";

const MAX_PARAMETERS = 5_000;
const MAX_DEPTH = 12;
// Characters that XML 1.0 cannot contain: such a value could never be described again.
const NOT_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;
const PROTOCOL_PARAMETERS = new Set(["Action", "Version"]);

interface ParameterNode {
	value: string | undefined;
	children: Map<string, ParameterNode>;
}

export interface DecodedRequest {
	value: Record<string, unknown>;
	/** Each leaf of the request as its path of member names, without list positions: `TagSpecifications.Tags.Key`. */
	paths: ReadonlySet<string>;
}

/**
 * Parses an EC2 Query form by Amazon's own input shape.
 * @throws Ec2Error UnknownParameter, InvalidParameterValue, InvalidCharacter
 */
export function decodeRequest(shape: Shape, form: URLSearchParams): DecodedRequest {
	const root: ParameterNode = { value: undefined, children: new Map() };
	let count = 0;
	for (const [key, value] of form) {
		if (PROTOCOL_PARAMETERS.has(key)) continue;
		if (++count > MAX_PARAMETERS) throw new Ec2Error("MalformedQueryString", `A request may carry ${MAX_PARAMETERS} parameters.`);
		if (NOT_XML.test(key) || NOT_XML.test(value))
			throw new Ec2Error("InvalidCharacter", `Parameter ${JSON.stringify(key)} has a character that is not allowed.`);
		insert(root, key, value);
	}
	const paths = new Set<string>();
	const value = decode(shape, root, "", "", paths);
	return { value: asObject(value), paths };
}

function insert(root: ParameterNode, key: string, value: string): void {
	const parts = key.split(".");
	if (parts.length > MAX_DEPTH) throw unknownParameter(key);
	let node = root;
	for (const part of parts) {
		let child = node.children.get(part);
		if (!child) {
			child = { value: undefined, children: new Map() };
			node.children.set(part, child);
		}
		node = child;
	}
	node.value = value;
}

function decode(shape: Shape, node: ParameterNode, key: string, path: string, paths: Set<string>): unknown {
	switch (shape.kind) {
		case "structure":
			return decodeStructure(shape, node, key, path, paths);
		case "list":
			return decodeList(shape, node, key, path, paths);
		default: {
			const [child] = node.children.keys();
			if (child !== undefined) throw unknownParameter(`${key}.${child}`);
			paths.add(path);
			return decodeScalar(shape.kind, node.value ?? "", key);
		}
	}
}

function decodeStructure(
	shape: Shape & { kind: "structure" },
	node: ParameterNode,
	key: string,
	path: string,
	paths: Set<string>,
): unknown {
	if (node.value !== undefined) throw unknownParameter(key);
	const byQueryName = new Map([...shape.members.values()].map((member) => [member.queryName, member]));
	const value: Record<string, unknown> = {};
	for (const [part, child] of node.children) {
		const childKey = key === "" ? part : `${key}.${part}`;
		const member = byQueryName.get(part);
		if (!member) throw unknownParameter(childKey);
		value[member.name] = decode(member.shape(), child, childKey, path === "" ? member.name : `${path}.${member.name}`, paths);
	}
	return value;
}

function decodeList(shape: Shape & { kind: "list" }, node: ParameterNode, key: string, path: string, paths: Set<string>): unknown {
	if (node.value !== undefined) throw unknownParameter(key);
	const items = [...node.children].map(([position, child]) => {
		if (!/^[1-9]\d{0,5}$/.test(position)) throw unknownParameter(`${key}.${position}`);
		return { position: Number(position), child };
	});
	items.sort((a, b) => a.position - b.position);
	return items.map(({ position, child }) => decode(shape.item(), child, `${key}.${position}`, path, paths));
}

function decodeScalar(kind: "string" | "number" | "boolean" | "timestamp", text: string, key: string): unknown {
	switch (kind) {
		case "string":
			return text;
		case "number":
			if (!/^-?\d{1,15}(\.\d+)?$/.test(text)) throw invalidValue(key, text, "Expecting a number.");
			return Number(text);
		case "boolean":
			if (text !== "true" && text !== "false") throw invalidValue(key, text, "Expecting true or false.");
			return text === "true";
		case "timestamp": {
			const date = new Date(text);
			if (!/^\d{4}-\d{2}-\d{2}T/.test(text) || Number.isNaN(date.getTime())) throw invalidValue(key, text, "Expecting an ISO 8601 time.");
			return date;
		}
	}
}

function unknownParameter(key: string): Ec2Error {
	return new Ec2Error("UnknownParameter", `The parameter ${key} is not recognized`);
}

// A request's shape is always a structure, and decodeStructure returns an object.
function asObject(value: unknown): Record<string, unknown> {
	return value as Record<string, unknown>;
}
