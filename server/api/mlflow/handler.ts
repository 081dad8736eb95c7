import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { z } from "zod";
import { type DiskRoom, whileRoom } from "#server/kernel/disk-room.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { Actor, ServiceContext } from "#server/services/core/context.ts";
import { clientAddress } from "#server/services/governance/audit/client-address.ts";
import type { Runtime } from "#server/services/runtime.ts";
import { isJobToken, jobOfToken } from "#server/services/work/metric/job-tracking.ts";
import { DOORS } from "../edge/limits.ts";
import type { RateLimiter } from "../edge/rate-limiter.ts";
import { readBody } from "../edge/read-body.ts";
import { processContext } from "../operation-context.ts";
import { isLogged, problemOf } from "../problem.ts";
import { ARTIFACTS_PREFIX, serveArtifacts } from "./artifacts.ts";
import { ROUTES } from "./routes.ts";

export const MLFLOW_PREFIX = "/api/2.0/mlflow";
/** The client falls back to a plain upload only after exactly this message. */
const NO_MULTIPART = "Multipart upload is not supported for the current artifact repository";

export interface MlflowRuntime extends Runtime {
	authenticate(token: string, nowMs: number): Promise<Actor | null>;
	failureLimiter?: RateLimiter;
	/** Absent: not watched. */
	room?: DiskRoom;
}

/** MLflow's error names. */
const CODES: Readonly<Record<string, string>> = {
	invalid_input: "INVALID_PARAMETER_VALUE",
	unauthenticated: "UNAUTHENTICATED",
	forbidden: "PERMISSION_DENIED",
	not_found: "RESOURCE_DOES_NOT_EXIST",
	conflict: "RESOURCE_ALREADY_EXISTS",
	payload_too_large: "INVALID_PARAMETER_VALUE",
	too_many_requests: "REQUEST_LIMIT_EXCEEDED",
	unavailable: "TEMPORARILY_UNAVAILABLE",
};

/** Implements the tracking API of MLflow, so that its stock client can log to Spillway. Never throws. */
export async function handleMlflow(rt: MlflowRuntime, req: IncomingMessage, res: ServerResponse): Promise<void> {
	const requestId = randomUUID();
	try {
		const url = new URL(req.url ?? "/", "http://localhost");
		const ctx: ServiceContext = {
			actor: await requireActor(rt, req),
			db: rt.connection.db,
			clock: rt.clock,
			requestId,
			source: clientAddress(req),
		};
		const body = isArtifactPath(url.pathname) ? await answerArtifacts(rt, ctx, { req, res, url }) : await answerRoute(ctx, req, url);
		if (body !== null) send(res, 200, body);
	} catch (error) {
		const problem = problemOf(error, requestId);
		if (isLogged(error) && !res.destroyed) rt.logError("a request of the tracking API failed", error, requestId);
		const message = error instanceof z.ZodError ? z.prettifyError(error) : problem.detail;
		send(res, problem.status, {
			error_code: CODES[problem.code] ?? "INTERNAL_ERROR",
			message: [message, problem.fix].filter(Boolean).join(" "),
		});
	}
}

export function isMlflowPath(url: string): boolean {
	return url.startsWith(`${MLFLOW_PREFIX}/`) || isArtifactPath(url);
}

function isArtifactPath(url: string): boolean {
	return url.startsWith(`${ARTIFACTS_PREFIX}/`);
}

async function answerRoute(ctx: ServiceContext, req: IncomingMessage, url: URL): Promise<object> {
	const path = url.pathname.slice(MLFLOW_PREFIX.length);
	const [, model_id] = /^\/logged-models\/(m-[0-9a-z-]{1,62})(?:\/|$)/.exec(path) ?? [];
	const route = ROUTES.get(`${req.method} ${model_id === undefined ? path : path.replace(model_id, "{model_id}")}`);
	if (!route) throw new SpillwayError("not_found", `${req.method} ${url.pathname} is not part of the supported tracking API.`);
	const given = req.method === "GET" ? Object.fromEntries(url.searchParams) : parseJson((await readBody(req, DOORS.rest)).toString("utf8"));
	return route(ctx, model_id === undefined ? given : { ...Object(given), model_id });
}

async function answerArtifacts(
	rt: MlflowRuntime,
	ctx: ServiceContext,
	at: { req: IncomingMessage; res: ServerResponse; url: URL },
): Promise<object | null> {
	if (at.url.pathname.startsWith(`${ARTIFACTS_PREFIX}/mpu/`)) {
		send(at.res, 501, { error_code: "NOT_IMPLEMENTED", message: NO_MULTIPART });
		return null;
	}
	const gone = new AbortController();
	at.res.once("close", () => gone.abort());
	const signal = AbortSignal.any([gone.signal, rt.shutdown.signal]);
	return serveArtifacts(ctx, processContext(rt).artifactStore, { ...at, body: Readable.from(whileRoom(rt.room, at.req)), signal });
}

/** A bearer token, or the password of basic authentication, as MLFLOW_TRACKING_TOKEN and MLFLOW_TRACKING_PASSWORD send it. */
async function requireActor(rt: MlflowRuntime, req: IncomingMessage): Promise<Actor> {
	const header = req.headers.authorization ?? "";
	const [, basic] = /^Basic (\S{1,1024})$/.exec(header) ?? [];
	const token =
		/^Bearer (\S{1,256})$/.exec(header)?.[1] ?? (basic && Buffer.from(basic, "base64").toString("utf8").split(":").slice(1).join(":"));
	const actor = token ? await actorOf(rt, token) : null;
	if (actor) return actor;
	rt.failureLimiter?.take(`address:${clientAddress(req) ?? "unknown"}`, rt.clock.nowMs());
	throw new SpillwayError("unauthenticated", "The request has no valid token. Set MLFLOW_TRACKING_TOKEN to a Spillway token.");
}

async function actorOf(rt: MlflowRuntime, token: string): Promise<Actor | null> {
	return isJobToken(token) ? jobOfToken(rt.connection.db, rt.env.SPILLWAY_SECRET, token) : rt.authenticate(token, rt.clock.nowMs());
}

function parseJson(text: string): unknown {
	try {
		return text === "" ? {} : JSON.parse(text);
	} catch {
		throw new SpillwayError("invalid_input", "The body is not JSON.");
	}
}

function send(res: ServerResponse, status: number, body: unknown): void {
	if (res.headersSent) return void res.destroy();
	const text = JSON.stringify(body);
	res.writeHead(status, {
		"content-type": "application/json; charset=utf-8",
		"content-length": Buffer.byteLength(text),
		"cache-control": "no-store",
		"x-content-type-options": "nosniff",
	});
	res.end(text);
}
