import type { IncomingMessage, ServerResponse } from "node:http";
import { AGENT_PATH } from "#server/agent/protocol.ts";
import type { DiskRoom } from "#server/kernel/disk-room.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { ADDRESS_HEADER, clientAddress } from "#server/services/governance/audit/client-address.ts";
import type { Edge } from "./edge/guard.ts";
import { serveFetch } from "./fetch-adapter.ts";
import { handleHealth, isHealthPath } from "./health.ts";
import { MethodNotAllowedError } from "./method-not-allowed.ts";
import { handleMlflow, isMlflowPath } from "./mlflow/handler.ts";
import { refuse } from "./refuse.ts";
import { handleRest, REST_PREFIX, type RestRuntime } from "./rest/handler.ts";
import { handleSchema, SCHEMAS_PREFIX } from "./schemas.ts";
import { SCIM_PREFIX } from "./scim/handler.ts";

const AGENT_PREFIX = `${AGENT_PATH}/`;
const METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];
const READS = new Set(["GET", "HEAD", "OPTIONS"]);
/** Sign-in and the agents' small messages still work: jobs keep running and people stay informed. */
const TAKES_ROOM = /^\/(api\/(v1|trpc|2\.0)|scim\/v2)\/|^\/agent\/v1\/(checkpoints|artifacts)\//;

/**
 * All entry points of the web server in one function: health, REST, schemas, agents, and everything else through
 * `page`. Throws only for failures that are not the caller's.
 */
export function createRequestHandler(parts: {
	rt: RestRuntime;
	edge: Edge;
	room: DiskRoom;
	agent(request: Request): Promise<Response>;
	/** Users and groups, for identity providers. */
	scim(req: IncomingMessage, res: ServerResponse): Promise<void>;
	/** Pages, sign-in and tRPC. */
	page(req: IncomingMessage, res: ServerResponse): Promise<void>;
}): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
	const { rt, edge, room } = parts;
	return async (req, res) => {
		const url = req.url ?? "/";
		if (isHealthPath(url)) return handleHealth({ ...rt, room }, req, res);
		let admitted: IncomingMessage;
		try {
			const { method = "GET" } = req;
			if (!METHODS.includes(method)) throw new MethodNotAllowedError(method, "this server", METHODS.join(", "), "Use one of these.");
			edge.demandOwn(req);
			if (!READS.has(method) && TAKES_ROOM.test(url)) room.demand();
			if (url.startsWith(`${REST_PREFIX}/`)) return await handleRest({ ...rt, room }, req, res);
			if (url.startsWith(`${SCIM_PREFIX}/`)) return await parts.scim(req, res);
			if (isMlflowPath(url)) return await handleMlflow({ ...rt, room }, req, res);
			if (url.startsWith(SCHEMAS_PREFIX)) return handleSchema(req, res);
			if (url.startsWith(AGENT_PREFIX)) return await serveFetch(parts.agent, req, res);
			admitted = await edge.admitPage(req, res);
		} catch (error) {
			if (!(error instanceof SpillwayError)) throw error;
			return refuse(res, error);
		}
		// Next only passes on headers. A value sent by the browser is overwritten.
		admitted.headers[ADDRESS_HEADER] = clientAddress(req) ?? "";
		return parts.page(admitted, res);
	};
}

/** The entry point of a request, for metrics. */
export function surfaceOf(url: string): string {
	if (url.startsWith(`${REST_PREFIX}/`) || isMlflowPath(url)) return "rest";
	if (url.startsWith(`${SCIM_PREFIX}/`)) return "scim";
	if (url.startsWith(AGENT_PREFIX)) return "agent";
	if (url.startsWith("/api/trpc/")) return "trpc";
	return url.startsWith(SCHEMAS_PREFIX) ? "schema" : isHealthPath(url) ? "health" : "page";
}

/** A closed list: clients choose methods, and each one would create new series. */
export function methodOf(method = "GET"): string {
	return METHODS.includes(method) ? method : "other";
}
