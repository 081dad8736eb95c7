import { createRequire } from "node:module";
import { z } from "zod";
import { defined } from "#server/kernel/assert.ts";

/**
 * Reads the definitions that Google ships inside `@google-cloud/compute`, so that requests and responses are checked against the
 * service's own model instead of a second one written here.
 */
const fieldSchema = z.looseObject({ type: z.string(), rule: z.literal("repeated").optional(), keyType: z.string().optional() });
const messageSchema = z.looseObject({
	fields: z.record(z.string(), fieldSchema),
	nested: z.record(z.string(), z.unknown()).default({}),
});
const enumSchema = z.looseObject({ values: z.record(z.string(), z.number()) });
const methodSchema = z.looseObject({
	requestType: z.string(),
	responseType: z.string(),
	options: z.record(z.string(), z.unknown()),
});
const serviceSchema = z.looseObject({ methods: z.record(z.string(), methodSchema) });

export type Field = z.output<typeof fieldSchema>;
export type Message = z.output<typeof messageSchema>;
export type Method = z.output<typeof methodSchema>;

let types: Record<string, unknown> | null = null;
const messages = new Map<string, Message>();

function typesOfCompute(): Record<string, unknown> {
	if (types) return types;
	const root: unknown = createRequire(import.meta.url)("@google-cloud/compute/build/protos/protos.json");
	const path = ["nested", "google", "nested", "cloud", "nested", "compute", "nested", "v1", "nested"];
	const found = path.reduce<unknown>((node, key) => z.looseObject({}).parse(node)[key], root);
	types = z.record(z.string(), z.unknown()).parse(found);
	return types;
}

/** A message by name, e.g. `Instance`. */
export function messageOf(name: string): Message {
	const known = messages.get(name);
	if (known) return known;
	const message = messageSchema.parse(defined(typesOfCompute()[name], `Google's message ${name}`));
	messages.set(name, message);
	return message;
}

/** A method of a service, by names such as `Instances` and `Insert`. */
export function methodOf(service: string, method: string): Method {
	const { methods } = serviceSchema.parse(defined(typesOfCompute()[service], `Google's service ${service}`));
	return defined(methods[method], `the method ${service}.${method}`);
}

/** The allowed values of a text field, which Google lists in an enumeration of the field's name. null: any text. */
export function wordsOf(message: Message, fieldName: string): ReadonlySet<string> | null {
	return enumOf(message, fieldName.charAt(0).toUpperCase() + fieldName.slice(1));
}

/** The values of an enumeration inside a message; null if it has none of this name. */
export function enumOf(message: Message, name: string): ReadonlySet<string> | null {
	const found = enumSchema.safeParse(message.nested[name]);
	return found.success ? new Set(Object.keys(found.data.values).filter((word) => !word.startsWith("UNDEFINED_"))) : null;
}
