import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { SpillwayError } from "#server/kernel/errors.ts";
import { clientAddress } from "#server/services/audit/client-address.ts";
import type { Actor } from "#server/services/context.ts";
import { onceForKey } from "#server/services/idempotency.ts";
import type { Runtime } from "#server/services/runtime.ts";
import { type Problem, problemOf } from "../problem.ts";
import { openApi } from "./openapi.ts";
import type { RestAnswer, RestContext, RestRequest, Route } from "./route.ts";
import { ROUTES } from "./routes.ts";

export const REST_PREFIX = "/api/v1";
/** Bodies: a batch of 1,000 jobs fits; more is refused before it is read. */
export const BODY_BYTES_MAX = 8 * 1024 * 1024;
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;

/** What the REST face needs of its process; who a token belongs to is auth's knowledge. */
export interface RestRuntime extends Runtime {
	authenticate(token: string, nowMs: number): Promise<Actor | null>;
}

interface Match {
	route: Route;
	params: Record<string, string>;
}

/** Answers every request under /api/v1; never throws. */
export async function handleRest(rt: RestRuntime, req: IncomingMessage, res: ServerResponse): Promise<void> {
	const requestId = randomUUID();
	res.setHeader("x-request-id", requestId);
	try {
		const url = new URL(req.url ?? "/", "http://localhost");
		const path = url.pathname.slice(REST_PREFIX.length) || "/";
		if (path === "/openapi.json") return sendJson(res, 200, openApi());
		const answer = await answerTo(rt, req, res, { path, query: url.searchParams, requestId });
		if (answer !== "streamed") sendJson(res, answer.status, answer.body, answer.headers);
	} catch (error) {
		const problem = problemOf(error, requestId);
		if (problem.code === "internal") rt.logError("a REST request failed", error, requestId);
		sendProblem(res, problem);
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
	const actorNow = () => demandActor(rt, token);
	const actor = await actorNow();
	const text = route.method === "GET" || route.takes !== undefined ? "" : await readBody(req);
	const gone = new AbortController();
	res.once("close", () => gone.abort());
	const request: RestRequest = {
		params,
		query: at.query,
		body: parseBody(text, req.headers["content-type"]),
		raw: req,
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
		timing: rt.timing,
		siteTools: rt.siteTools,
	};
	const key = req.headers["idempotency-key"];
	if (!route.write || key === undefined) return route.handle(ctx, request);
	if (typeof key !== "string" || !IDEMPOTENCY_KEY.test(key))
		throw new SpillwayError("invalid_input", "Idempotency-Key must be 1 to 128 printable characters.");
	const requestHash = createHash("sha256").update(`${route.method} ${at.path}\n${text}`).digest("hex");
	const done = await onceForKey(ctx, { key, requestHash }, async (inner) => {
		const answer = await route.handle({ ...ctx, db: inner.db }, request);
		if (answer === "streamed") throw new Error("a write does not stream");
		// As it is sent: what is kept for the next request with this key must be JSON.
		return { ...answer, body: JSON.parse(jsonText(answer.body)) as unknown };
	});
	return { status: done.status, body: done.body, ...(done.replayed ? { headers: { "idempotency-replayed": "true" } } : {}) };
}

async function demandActor(rt: RestRuntime, token: string | undefined): Promise<Actor> {
	const actor = token === undefined ? null : await rt.authenticate(token, rt.clock.nowMs());
	if (actor) return actor;
	throw new SpillwayError(
		"unauthenticated",
		token === undefined ? "The request has no token." : "The token is not known, or was revoked.",
		{
			fix: "Send Authorization: Bearer <token>. The demo's token lies in the file `token` of the Spillway folder.",
		},
	);
}

const PATTERNS = ROUTES.map((route) => ({ route, pattern: new RegExp(`^${route.path.replace(/\{(\w+)\}/g, "(?<$1>[^/]{1,128})")}$`) }));

function findRoute(method: string, path: string): Match {
	const matches = PATTERNS.flatMap(({ route, pattern }) => {
		const found = pattern.exec(path);
		return found ? [{ route, params: { ...found.groups } }] : [];
	});
	const match = matches.find((m) => m.route.method === method);
	if (match) return { route: match.route, params: Object.fromEntries(Object.entries(match.params).map(([k, v]) => [k, decode(v)])) };
	const allowed = matches.map((m) => m.route.method);
	throw new SpillwayError(
		"not_found",
		allowed.length > 0 ? `${method} is not possible on ${path}; possible: ${allowed.join(", ")}.` : `There is nothing at ${path}.`,
		{
			fix: "GET /api/v1/openapi.json lists every operation.",
		},
	);
}

function decode(part: string): string {
	let text: string;
	try {
		text = decodeURIComponent(part);
	} catch {
		throw new SpillwayError("invalid_input", "The path holds a broken % escape.");
	}
	if (text.includes("\u0000")) throw new SpillwayError("invalid_input", "The path holds a NUL, which no id or name has.");
	return text;
}

async function readBody(req: IncomingMessage): Promise<string> {
	if (Number(req.headers["content-length"] ?? 0) > BODY_BYTES_MAX) throw tooLarge();
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of req as AsyncIterable<Buffer>) {
		bytes += chunk.length;
		if (bytes > BODY_BYTES_MAX) throw tooLarge();
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}

function tooLarge(): SpillwayError {
	return new SpillwayError("payload_too_large", `The body is larger than ${BODY_BYTES_MAX / 1024 / 1024} MiB.`, {
		fix: "Send fewer jobs in one request.",
	});
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

function sendProblem(res: ServerResponse, problem: Problem): void {
	if (res.headersSent) {
		res.destroy();
		return;
	}
	const text = JSON.stringify(problem);
	res.writeHead(problem.status, {
		"content-type": "application/problem+json; charset=utf-8",
		"content-length": Buffer.byteLength(text),
		"cache-control": "no-store",
		...(problem.status === 401 ? { "www-authenticate": "Bearer" } : {}),
		...(problem.status === 413 ? { connection: "close" } : {}),
	});
	res.end(text);
}
