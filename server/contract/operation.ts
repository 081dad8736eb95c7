import type { z } from "zod";
import type { Permission } from "#server/domain/permissions.ts";
import type { ErrorCode } from "#server/kernel/errors.ts";

/** One public operation. REST, the pages' procedures, OpenAPI, the command line's types and docs/api.md derive from it. */
export interface Operation {
	method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
	/** Below /api/v1. Each `{name}` is a field of `input`. */
	path: `/${string}`;
	/** Imperative, one line. */
	summary: string;
	/** What callers need to know beyond the summary: units, defaults, limits. */
	description?: string;
	permission: Permission;
	/** Fields of path, query and JSON body together. A GET has no body; other methods have no query unless `query` names fields. */
	input?: z.ZodObject;
	/** Fields of `input` that are query parameters although the method has a body. */
	query?: readonly string[];
	/** Public names of path and query parameters that differ from the field's: `{ from: "fromMs" }`. */
	wire?: Readonly<Record<string, string>>;
	/** A body that the handler reads itself, because it is not a JSON object of `input`'s fields. */
	body?: z.ZodType;
	/** Media types of a body that is not JSON alone. */
	accepts?: readonly string[];
	/** The JSON response. A list without pages is written as its items, and answered as `{items, nextCursor: null}`. */
	output?: z.ZodType;
	/** Media types of responses that are not JSON. */
	media?: readonly string[];
	/** Success status codes; 200 by default. */
	status?: number | readonly number[];
	/** Error codes beyond those that every operation can answer. */
	errors?: readonly ErrorCode[];
	/** Accepts an Idempotency-Key. */
	write?: true;
	/** Pages call it too, as the tRPC procedure of the same id. */
	procedure?: "query" | "mutation";
}

/** Keeps the exact types of a definition. */
export function operation<const O extends Operation>(definition: O): O {
	return definition;
}

/** Names of the `{…}` parts of a path. */
export function pathParameters(path: string): string[] {
	return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
}
