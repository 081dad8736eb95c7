import { GceError } from "../gce-error.ts";
import { enumOf, type Field, type Message, messageOf, wordsOf } from "./schema.ts";

/**
 * Checks JSON against one of Google's messages: every field known, every value of the field's type.
 * @throws GceError invalid, with the wording of Google's own parser
 */
export function checkMessage(typeName: string, value: unknown, at: string): Record<string, unknown> {
	const message = messageOf(typeName);
	if (!isObject(value)) throw wrongValue(at, typeName, value);
	for (const [name, content] of Object.entries(value)) {
		const field = message.fields[name];
		if (!field) throw new GceError("invalid", `Invalid JSON payload received. Unknown name "${name}" at '${at}': Cannot find field.`);
		checkField(message, name, field, content, `${at}.${name}`);
	}
	return value;
}

function checkField(message: Message, name: string, field: Field, value: unknown, at: string): void {
	if (field.rule === "repeated") {
		if (!Array.isArray(value)) throw wrongValue(at, `repeated ${field.type}`, value);
		for (const [i, item] of value.entries()) checkValue(message, name, field.type, item, `${at}[${i}]`);
	} else if (field.keyType !== undefined) {
		if (!isObject(value)) throw wrongValue(at, "map", value);
		for (const [key, item] of Object.entries(value)) checkValue(message, name, field.type, item, `${at}[${key}]`);
	} else {
		checkValue(message, name, field.type, value, at);
	}
}

function checkValue(message: Message, name: string, type: string, value: unknown, at: string): void {
	switch (type) {
		case "string": {
			if (typeof value !== "string") throw wrongValue(at, "TYPE_STRING", value);
			const words = wordsOf(message, name);
			if (words && !words.has(value)) throw wrongValue(at, name, value);
			return;
		}
		case "bool":
			if (typeof value !== "boolean") throw wrongValue(at, "TYPE_BOOL", value);
			return;
		case "int32":
		case "uint32":
		case "int64":
		case "uint64":
			if (!isWhole(value, type)) throw wrongValue(at, `TYPE_${type.toUpperCase()}`, value);
			return;
		case "float":
		case "double":
			if (typeof value !== "number") throw wrongValue(at, "TYPE_DOUBLE", value);
			return;
		default: {
			const words = enumOf(message, type);
			if (!words) checkMessage(type, value, at);
			else if (typeof value !== "string" || !words.has(value)) throw wrongValue(at, type, value);
		}
	}
}

/** 64-bit integers are sent as text, 32-bit ones as numbers. */
function isWhole(value: unknown, type: string): boolean {
	if (type.endsWith("64")) return typeof value === "string" && /^-?\d{1,20}$/.test(value);
	return typeof value === "number" && Number.isInteger(value) && (type === "int32" || value >= 0);
}

function wrongValue(at: string, type: string, value: unknown): GceError {
	return new GceError("invalid", `Invalid value at '${at}' (${type}), ${JSON.stringify(value)}`);
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
