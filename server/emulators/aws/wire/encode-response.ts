import { AssertionError, assert } from "#server/kernel/assert.ts";
import type { Ec2Error } from "../ec2-error.ts";
import type { Shape } from "./shapes.ts";

const NAMESPACE = "http://ec2.amazonaws.com/doc/2016-11-15/";
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Encodes a response in EC2's format. A field that Amazon's output shape does not have is a programming error. */
export function encodeResponse(action: string, shape: Shape, value: unknown, requestId: string): string {
	const body = encode(shape, value, action);
	return `${DECLARATION}<${action}Response xmlns="${NAMESPACE}"><requestId>${requestId}</requestId>${body}</${action}Response>`;
}

export function encodeError(error: Ec2Error, requestId: string): string {
	const detail = `<Code>${escapeXml(error.code)}</Code><Message>${escapeXml(error.message)}</Message>`;
	return `${DECLARATION}<Response><Errors><Error>${detail}</Error></Errors><RequestID>${requestId}</RequestID></Response>`;
}

function encode(shape: Shape, value: unknown, path: string): string {
	switch (shape.kind) {
		case "structure":
			return encodeStructure(shape, value, path);
		case "list":
			assert(Array.isArray(value), `${path} must be a list`);
			return value.map((item) => element(shape.itemXmlName, encode(shape.item(), item, path))).join("");
		case "timestamp":
			assert(value instanceof Date, `${path} must be a Date`);
			return value.toISOString();
		default:
			assert(typeof value === shape.kind, `${path} must be a ${shape.kind}`);
			return escapeXml(String(value));
	}
}

function encodeStructure(shape: Shape & { kind: "structure" }, value: unknown, path: string): string {
	assert(typeof value === "object" && value !== null, `${path} must be an object`);
	let xml = "";
	for (const [name, field] of Object.entries(value)) {
		if (field === undefined) continue;
		const member = shape.members.get(name);
		if (!member) throw new AssertionError(`EC2's ${shape.name} has no field ${name} (${path})`);
		xml += element(member.xmlName, encode(member.shape(), field, `${path}.${name}`));
	}
	return xml;
}

function element(name: string, content: string): string {
	return content === "" ? `<${name}/>` : `<${name}>${content}</${name}>`;
}

function escapeXml(text: string): string {
	return text.replace(/[&<>"'\r]/g, (c) => `&#${c.charCodeAt(0)};`);
}
