/** Input of the generators: the contract as named types and operations, without JSON Schema. */

export type Type =
	| { kind: "named"; name: string }
	| { kind: "literal"; values: (string | number | boolean)[] }
	| { kind: "list"; of: Type }
	| { kind: "map"; of: Type }
	| { kind: "union"; of: Type[] }
	| { kind: "string" | "integer" | "number" | "boolean" | "null" | "any" };

export interface Field {
	name: string;
	type: Type;
	isRequired: boolean;
	description: string | null;
}

/** A named type: an object with fields, or an alias. */
export type NamedType = { name: string } & ({ kind: "object"; fields: Field[] } | { kind: "alias"; type: Type });

export interface OperationModel {
	/** `job.list` */
	id: string;
	method: string;
	/** Below /api/v1, with `{name}` for path parameters. */
	path: string;
	summary: string;
	description: string | null;
	pathParameters: string[];
	query: Field[];
	/** Sends an Idempotency-Key, so that it can be repeated. */
	isRepeatable: boolean;
	body: { type: Type | null; isRequired: boolean; textType: string | null; isUpload: boolean } | null;
	/** The JSON response. */
	answer: Type | null;
	/** One line of an NDJSON response. */
	line: Type | null;
	/** The response can be a file with another media type. */
	hasFile: boolean;
}

export interface ContractModel {
	types: NamedType[];
	operations: OperationModel[];
}

/** Splits a name of any case into words: `readLogs` becomes read and Logs. */
export function wordsOf(name: string): string[] {
	return name
		.replace(/([a-z0-9])([A-Z])/g, "$1 $2")
		.split(/[^A-Za-z0-9]+/)
		.filter(Boolean);
}

export const pascal = (name: string): string =>
	wordsOf(name)
		.map((word) => word.charAt(0).toUpperCase() + word.slice(1))
		.join("");

export const snake = (name: string): string => wordsOf(name).join("_").toLowerCase();
