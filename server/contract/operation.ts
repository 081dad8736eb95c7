import type { z } from "zod";
import type { Permission } from "#server/domain/permissions.ts";
import type { ErrorCode } from "#server/kernel/errors.ts";

/** One public operation. REST, the page procedures, OpenAPI, the command line's types and docs/api.md are derived from it. */
export interface Operation {
	method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
	/** Below /api/v1. Each `{name}` is a field of `input`, or renamed by `wire`. */
	path: `/${string}`;
	/** Imperative, one line. */
	summary: string;
	/** What callers need to know beyond the summary: units, defaults, limits. */
	description?: string;
	permission: Permission;
	/** Fields of path, query and JSON body together. A GET has no body; other methods have no query unless `query` names fields. */
	input?: z.ZodType;
	/** Fields of `input` that are query parameters although the method has a body. */
	query?: readonly string[];
	/** Public names of path and query parameters that differ from the field's: `{ from: "fromMs" }`. A time in ms is an ISO 8601 text there. */
	wire?: Readonly<Record<string, string>>;
	/** The field of `input` that a plain text body fills. */
	text?: string;
	/** A body that the handler reads itself, because it is not a JSON object of `input`'s fields. */
	body?: z.ZodType;
	/** Media types of the body besides JSON. */
	accepts?: readonly string[];
	/** The body is a file of any size in one of the media types of `accepts`; never JSON. */
	upload?: true;
	/** The JSON response. A list without pages is declared as its items, and returned as `{items, nextCursor: null}`. */
	output?: z.ZodType;
	/** Media types of responses that are not JSON. */
	media?: readonly string[];
	/** One line of a response of media type `application/x-ndjson`. */
	line?: z.ZodType;
	/** Success status codes; 200 by default. */
	status?: number | readonly number[];
	/** Error codes beyond those that every operation can return. */
	errors?: readonly ErrorCode[];
	/** Accepts an Idempotency-Key. */
	write?: true;
	/** Also a tRPC procedure of the same id, for pages. */
	procedure?: "query" | "mutation";
	/** A request body, or the query of a GET. */
	example?: Readonly<Record<string, unknown>>;
}

/** Keeps the exact types of a definition. */
export function operation<const O extends Operation>(definition: O): O {
	return definition;
}

/** Names of the `{…}` parts of a path. */
export function pathParameters(path: string): string[] {
	return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
}

export type InputOf<O extends Operation> = O extends { input: infer I extends z.ZodType } ? z.input<I> : Record<never, never>;
