import type { IncomingMessage, ServerResponse } from "node:http";
import type { z } from "zod";
import type { Operation } from "#server/contract/operation.ts";
import type { Permission } from "#server/domain/permissions.ts";
import type { Actor } from "#server/services/core/context.ts";
import type { OperationContext } from "../operations/context.ts";

export type RestContext = OperationContext;

export interface RestRequest {
	/** Values of the `{…}` parts of the path. */
	params: Record<string, string>;
	query: URLSearchParams;
	/** Parsed JSON, or the text when the body is YAML; undefined without a body. */
	body: unknown;
	raw: IncomingMessage;
	response: ServerResponse;
	signal: AbortSignal;
	/** Who asks, as they are now: for what goes on for hours. @throws SpillwayError `unauthenticated` when their token was revoked */
	actorNow(): Promise<Actor>;
}

export type RestAnswer = { status: number; body: unknown; headers?: Record<string, string> } | "streamed";

/** One operation of the REST face: what OpenAPI says of it and what it does are the same object. */
export interface Route {
	method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
	/** Below /api/v1, with `{name}` parts. */
	path: string;
	summary: string;
	permission: Permission;
	/** The contract's definition. */
	operation?: Operation;
	/** Shown in OpenAPI; the service does the parsing. */
	body?: z.ZodType;
	/** Content type of an answer that is no JSON. */
	answers?: string;
	/** Content type of a body that is no JSON: `raw` is left unread for the handler, of whatever size it is. */
	takes?: string;
	/** Takes an Idempotency-Key. */
	write?: boolean;
	handle(ctx: RestContext, request: RestRequest): Promise<RestAnswer>;
}

export function ok(body: unknown, status = 200): RestAnswer {
	return { status, body };
}
