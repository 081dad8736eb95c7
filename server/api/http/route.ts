import type { IncomingMessage, ServerResponse } from "node:http";
import type { Operation } from "#server/contract/operation.ts";
import type { Permission } from "#server/domain/permissions.ts";
import type { Actor } from "#server/services/core/context.ts";
import type { OperationContext } from "../operation-context.ts";

export type RestContext = OperationContext;

export interface RestRequest {
	/** Values of the `{…}` parts of the path. */
	params: Record<string, string>;
	query: URLSearchParams;
	/** Parsed JSON, or the text when the body is YAML; undefined without a body. */
	body: unknown;
	raw: IncomingMessage;
	/** The body of an upload, which ends with an error when the disk has no room left. */
	upload: AsyncIterable<Uint8Array>;
	response: ServerResponse;
	signal: AbortSignal;
	/**
	 * The caller with current rights, for operations that run for hours.
	 * @throws SpillwayError `unauthenticated` when their token was revoked
	 */
	actorNow(): Promise<Actor>;
}

export type RestAnswer = { status: number; body: unknown; headers?: Record<string, string> } | "streamed";

/** One operation of the contract as a REST route. */
export interface Route {
	method: Operation["method"];
	/** Below /api/v1, with `{name}` parts. */
	path: string;
	permission: Permission;
	/** Accepts an Idempotency-Key. */
	write: boolean;
	operation: Operation;
	handle(ctx: RestContext, request: RestRequest): Promise<RestAnswer>;
}

export function ok(body: unknown, status = 200): RestAnswer {
	return { status, body };
}
