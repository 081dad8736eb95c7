import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { basePath } from "#server/env.ts";
import { type DiskRoom, whileRoom } from "#server/kernel/disk-room.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { teamScope } from "#server/services/core/authorize.ts";
import { type Actor, systemContext } from "#server/services/core/context.ts";
import { onceForKey } from "#server/services/core/idempotency.ts";
import { receiveEvent } from "#server/services/decision/trigger/receive.ts";
import { clientAddress } from "#server/services/governance/audit/client-address.ts";
import { SIGNATURE_HEADER } from "#server/services/notification/delivery/signature.ts";
import type { Runtime } from "#server/services/runtime.ts";
import { openLink } from "#server/services/work/artifact/link.ts";
import { DOORS } from "../edge/limits.ts";
import { type RateLimiter, rateLimitHeaders } from "../edge/rate-limiter.ts";
import { readBody } from "../edge/read-body.ts";
import { requestIdOf } from "../edge/request-id.ts";
import type { RestAnswer, RestContext, RestRequest } from "../http/route.ts";
import { sendFile } from "../http/send-file.ts";
import { processContext } from "../operation-context.ts";
import { isLogged, type Problem, problemOf } from "../problem.ts";
import { problemHeaders } from "../problem-headers.ts";
import { allowedAt, findRoute } from "./find-route.ts";
import { openApi } from "./openapi.ts";

export const REST_PREFIX = "/api/v1";
const DOWNLOADS = "/downloads/";
const HOOKS = "/hooks/";
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;

/** What the REST handler needs from its process; resolving tokens is up to auth. */
export interface RestRuntime extends Runtime {
	authenticate(token: string, nowMs: number): Promise<Actor | null>;
	/** Operations for callers without a token, by method and path; absent: none. */
	openDoors?: ReadonlyMap<string, (body: unknown, source: string | null) => Promise<{ status: number; body: unknown }>>;
	/** Requests per token; absent: unlimited. */
	limiter?: RateLimiter;
	/** Failed authentications per address; absent: unlimited. */
	failureLimiter?: RateLimiter;
	/** Absent: not watched. */
	room?: DiskRoom;
}

/** Handles every request under /api/v1; never throws. */
export async function handleRest(rt: RestRuntime, req: IncomingMessage, res: ServerResponse): Promise<void> {
	const requestId = requestIdOf(req);
	res.setHeader("x-request-id", requestId);
	try {
		const url = new URL(req.url ?? "/", "http://localhost");
		const below = url.pathname.slice(REST_PREFIX.length) || "/";
		if (below === "/openapi.json") return sendJson(res, 200, openApi(basePath(rt.env)));
		const allow = req.method === "OPTIONS" ? allowedAt(below) : null;
		if (allow !== null) return void res.writeHead(204, { allow }).end();
		if (req.method === "GET" && below.startsWith(DOWNLOADS)) return await sendDownload(rt, req, res, below.slice(DOWNLOADS.length));
		if (req.method === "POST" && below.startsWith(HOOKS)) return await receiveHook(rt, req, res, below.slice(HOOKS.length));
		const open = rt.openDoors?.get(`${req.method} ${below}`);
		if (open) return await sendOpen(rt, req, res, open);
		const answer = await answerTo(rt, req, res, { path: below, query: url.searchParams, requestId });
		if (answer !== "streamed") sendJson(res, answer.status, answer.body, answer.headers);
	} catch (error) {
		const problem = problemOf(error, requestId);
		if (isLogged(error)) rt.logError("a REST request failed", error, requestId);
		sendProblem(res, problem, error);
	}
}

async function answerTo(
	rt: RestRuntime,
	req: IncomingMessage,
	res: ServerResponse,
	at: { path: string; query: URLSearchParams; requestId: string },
): Promise<RestAnswer> {
	const { route, params } = findRoute(req.method ?? "GET", at.path);
	const token = /^Bearer (\S{1,256})$/.exec(req.headers.authorization ?? "")?.[1];
	const actorNow = () => requireActor(rt, token);
	const actor = await actorNow().catch((error: unknown) => {
		rt.failureLimiter?.take(`address:${clientAddress(req) ?? "unknown"}`, rt.clock.nowMs());
		throw error;
	});
	if (rt.limiter && token !== undefined) {
		const state = rt.limiter.take(`token:${createHash("sha256").update(token).digest("base64url")}`, rt.clock.nowMs());
		for (const [name, value] of Object.entries(rateLimitHeaders(state))) res.setHeader(name, value);
	}
	// Before the body is read: callers without the permission learn nothing about what a valid request looks like.
	teamScope({ actor }, route.permission);
	const text = route.method === "GET" || route.operation.upload ? "" : (await readBody(req, DOORS.rest)).toString("utf8");
	const gone = new AbortController();
	res.once("close", () => gone.abort());
	const request: RestRequest = {
		params,
		query: at.query,
		body: parseBody(text, req.headers["content-type"]),
		raw: req,
		upload: whileRoom(rt.room, req),
		response: res,
		signal: AbortSignal.any([gone.signal, rt.shutdown.signal]),
		actorNow,
	};
	const ctx: RestContext = {
		actor,
		db: rt.connection.db,
		clock: rt.clock,
		requestId: at.requestId,
		source: clientAddress(req),
		trace: route.write ? (rt.startTrace?.(req.headers, rt.clock.nowMs()) ?? null) : null,
		...processContext(rt),
	};
	const key = req.headers["idempotency-key"];
	if (!route.write || key === undefined) return route.handle(ctx, request);
	if (typeof key !== "string" || !IDEMPOTENCY_KEY.test(key))
		throw new SpillwayError("invalid_input", "Idempotency-Key must be 1 to 128 printable characters.");
	const requestHash = createHash("sha256").update(`${route.method} ${at.path}\n${text}`).digest("hex");
	const done = await onceForKey(ctx, { key, requestHash }, async (inner) => {
		const answer = await route.handle({ ...ctx, db: inner.db }, request);
		if (answer === "streamed") throw new Error("a write does not stream");
		// In the sent form: the stored response for the next request with this key must be JSON.
		return { ...answer, body: JSON.parse(jsonText(answer.body)) as unknown };
	});
	return { status: done.status, body: done.body, ...(done.replayed ? { headers: { "idempotency-replayed": "true" } } : {}) };
}

/** The body is read within the page limits, because anyone can send it. */
async function sendOpen(
	rt: RestRuntime,
	req: IncomingMessage,
	res: ServerResponse,
	open: NonNullable<ReturnType<NonNullable<RestRuntime["openDoors"]>["get"]>>,
): Promise<void> {
	const source = clientAddress(req);
	rt.failureLimiter?.take(`open:${source ?? "unknown"}`, rt.clock.nowMs());
	const text = req.method === "GET" ? "" : (await readBody(req, DOORS.page)).toString("utf8");
	const { status, body } = await open(parseBody(text, "application/json"), source);
	sendJson(res, status, body);
}

/** Signed events carry their own rights. The body is read within the page limits, because anyone can send it. */
async function receiveHook(rt: RestRuntime, req: IncomingMessage, res: ServerResponse, triggerId: string): Promise<void> {
	rt.failureLimiter?.take(`open:${clientAddress(req) ?? "unknown"}`, rt.clock.nowMs());
	const body = (await readBody(req, DOORS.page)).toString("utf8");
	const header = req.headers[SIGNATURE_HEADER.toLowerCase()];
	const { timing, secret } = processContext(rt);
	const ctx = { ...systemContext(rt.connection.db, rt.clock), timing, secret };
	sendJson(res, 202, await receiveEvent(ctx, { triggerId, body, signature: typeof header === "string" ? header : null }));
}

/** Signed links carry their own rights. */
async function sendDownload(rt: RestRuntime, req: IncomingMessage, res: ServerResponse, token: string): Promise<void> {
	const gone = new AbortController();
	res.once("close", () => gone.abort());
	const file = await openLink(rt.connection.db, processContext(rt).artifactStore, token, rt.clock.nowMs());
	await sendFile(req, res, file, AbortSignal.any([gone.signal, rt.shutdown.signal]));
}

async function requireActor(rt: RestRuntime, token: string | undefined): Promise<Actor> {
	const actor = token === undefined ? null : await rt.authenticate(token, rt.clock.nowMs());
	if (actor) return actor;
	throw new SpillwayError(
		"unauthenticated",
		token === undefined ? "The request has no token." : "The token is not known, or was revoked.",
		{
			fix: "Send Authorization: Bearer <token>. The demo's token is in the file `token` of the Spillway folder.",
		},
	);
}

function parseBody(text: string, contentType: string | undefined): unknown {
	if (text === "") return undefined;
	if (contentType !== undefined && /yaml|^text\/(plain|x-shellscript)/.test(contentType)) return text;
	try {
		return JSON.parse(text);
	} catch (cause) {
		throw new SpillwayError("invalid_input", `The body is not JSON: ${cause instanceof Error ? cause.message : "unreadable"}`, {
			fix: "Send JSON, or YAML with content type application/yaml.",
		});
	}
}

export function sendJson(res: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
	const text = jsonText(body);
	res.writeHead(status, {
		"content-type": "application/json; charset=utf-8",
		"content-length": Buffer.byteLength(text),
		"cache-control": "no-store",
		"x-content-type-options": "nosniff",
		...headers,
	});
	res.end(text);
}

/** Money is a decimal string. */
function jsonText(body: unknown): string {
	return JSON.stringify(body, (_, value) => (typeof value === "bigint" ? value.toString() : value));
}

export function sendProblem(res: ServerResponse, problem: Problem, error: unknown): void {
	if (res.headersSent) {
		res.destroy();
		return;
	}
	const text = JSON.stringify(problem);
	res.writeHead(problem.status, { ...problemHeaders(problem, error), "content-length": Buffer.byteLength(text) });
	res.end(text);
}
