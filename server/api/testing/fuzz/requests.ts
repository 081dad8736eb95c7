import type { z } from "zod";
import { AGENT_REQUESTS, OFFSET_HEADER, SHA256_HEADER } from "#server/agent/protocol.ts";
import { appRouter } from "#server/api/trpc/router.ts";
import { fieldsOutsideBody, pathFields, queryParameters } from "#server/contract/fields.ts";
import { type ListedOperation, OPERATIONS } from "#server/contract/operations.ts";
import type { Random } from "#server/kernel/random.ts";
import { type Draw, fromSchema, mutated } from "./from-schema.ts";
import { hostileText, hostileValue } from "./hostile.ts";

export interface FuzzRequest {
	/** Operation, procedure or call, for counting. */
	label: string;
	method: string;
	path: string;
	headers: Record<string, string>;
	body: string | null;
}

/** The caller: tokens of people and machines; an empty one is a stranger's. */
export interface Callers {
	people: readonly string[];
	machines: readonly string[];
}

const PROCEDURES = Object.entries(appRouter._def.procedures as unknown as Record<string, ProcedureParts>).map(([path, { _def }]) => ({
	path,
	type: _def.type,
	inputs: _def.inputs,
}));

interface ProcedureParts {
	_def: { type: "query" | "mutation" | "subscription"; inputs: readonly z.ZodType[] };
}

const METHODS = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];
const TYPES = ["application/json", "application/yaml", "text/plain", "application/x-www-form-urlencoded", "application/gzip", "x", ""];
const HEADERS = ["if-match", "if-none-match", "idempotency-key", "range", "accept", "x-forwarded-for", "accept-encoding"];
const HOSTS = ["evil.example.com", "127.0.0.1:99999", "[::1", "a b", "localhost:", "x/y", "127.0.0.1@evil"];
const ORIGINS = ["null", "https://evil.example.com", "x", ""];

/** A request to one of the entry points, generated from the contract. */
export function drawRequest(draw: Draw, callers: Callers): FuzzRequest {
	const { random } = draw;
	const chance = random.next();
	const made =
		chance < 0.5
			? restRequest(random.pick(OPERATIONS), draw, random.pick(callers.people))
			: chance < 0.78
				? trpcRequest(draw, random.pick(callers.people))
				: chance < 0.94
					? agentRequest(draw, random.pick(callers.machines))
					: pageRequest(draw, random.pick(callers.people));
	return random.next() < 0.06 ? spoilt(made, random) : made;
}

export function restRequest(operation: ListedOperation, draw: Draw, token: string): FuzzRequest {
	const { random } = draw;
	const input = operation.input === undefined ? {} : fromSchema(operation.input, draw);
	const drawn = input !== null && typeof input === "object" ? (input as Record<string, unknown>) : {};
	const isExample = operation.example !== undefined && random.next() < 0.5;
	const fields: Record<string, unknown> = isExample ? { ...drawn, ...(mutated(operation.example, random, draw.wrong) as object) } : drawn;
	const outside = fieldsOutsideBody(operation);
	const names = new Map(pathFields(operation).map(({ name, field }) => [name, field]));
	const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
		const fitting = draw.known[`${operation.id.split(".")[0]}.${name}`];
		return inPath(fitting && random.next() < 0.8 ? random.pick(fitting) : fields[names.get(name) ?? name]) || "x";
	});
	const query = new URLSearchParams();
	for (const { name, field, kind } of queryParameters(operation)) {
		const value = fields[field];
		if (value !== undefined) query.set(name, kind === "time" && typeof value === "number" ? timeText(value) : plainText(value));
	}
	const inBody = Object.fromEntries(Object.entries(fields).filter(([field]) => !outside.has(field)));
	const body = operation.method === "GET" ? null : bodyOf(operation, inBody, draw);
	return {
		...{ label: operation.id, method: operation.method, path: `/api/v1${path}${query.size > 0 ? `?${query}` : ""}`, body },
		headers: { ...authorization(token), ...(body === null ? {} : { "content-type": "application/json" }), ...conditions(draw.random) },
	};
}

function bodyOf(operation: ListedOperation, fields: Record<string, unknown>, draw: Draw): string | null {
	const { random } = draw;
	if (random.next() < 0.03) return random.pick(["{", "[]", "null", '"x"', "1", "\u0000", "[".repeat(100)]);
	if (operation.body !== undefined) {
		const isExample = operation.example !== undefined && random.next() < 0.5;
		return JSON.stringify((isExample ? mutated(operation.example, random, draw.wrong) : fromSchema(operation.body, draw)) ?? null);
	}
	return Object.keys(fields).length === 0 && random.next() < 0.5 ? null : JSON.stringify(fields);
}

function trpcRequest(draw: Draw, token: string): FuzzRequest {
	const { random } = draw;
	const count = random.next() < 0.1 ? random.int(2, 5) : 1;
	const calls = Array.from({ length: count }, () => random.pick(PROCEDURES));
	const isQuery = calls[0]?.type !== "mutation";
	const inputs = calls.map(({ inputs: [schema] }) => (schema ? transformed(fromSchema(schema, draw), random) : undefined));
	const names = calls.map(({ path }) => path).join(",");
	const given = count > 1 ? Object.fromEntries(inputs.map((input, i) => [i, input])) : inputs[0];
	const text = random.next() < 0.02 ? hostileText(random) : JSON.stringify(given);
	const query = new URLSearchParams(count > 1 ? { batch: "1" } : {});
	const isPosted = !isQuery || random.next() < 0.2;
	if (!isPosted && text !== undefined) query.set("input", text.toWellFormed());
	return {
		...{ label: count > 1 ? "trpc:batch" : `trpc:${names}`, method: isPosted ? "POST" : "GET", path: `/api/trpc/${names}?${query}` },
		...{ body: isPosted ? (text ?? null) : null, headers: { ...authorization(token), "content-type": "application/json" } },
	};
}

/** As superjson writes it; some annotations name types that the values do not have. */
function transformed(value: unknown, random: Random): unknown {
	const json = value ?? null;
	if (random.next() < 0.9) return { json };
	const path = random.pick(["", "id", "source", "limit", "spec", "a.b", "__proto__", "constructor.prototype"]);
	const type = random.pick([
		"bigint",
		"Date",
		"set",
		"map",
		"regexp",
		"URL",
		"Error",
		"undefined",
		"number",
		["custom", "x"],
		["class", "x"],
		["symbol", "x"],
	]);
	return {
		json,
		meta: random.pick([{ values: { [path]: [type] } }, { values: [type] }, { referentialEqualities: { [path]: ["x"] } }, 1, null]),
	};
}

function agentRequest(draw: Draw, token: string): FuzzRequest {
	const { random } = draw;
	const known = (name: string) => inPath(random.next() < 0.7 ? random.pick(draw.known[name] ?? ["x"]) : hostileText(random)) || "x";
	const kind = random.int(0, 9);
	const of = (label: string, method: string, path: string, body: unknown, headers: Record<string, string> = {}): FuzzRequest => ({
		...{ label: `agent:${label}`, method, path: `/agent/v1/${path}`, body: body === undefined ? null : JSON.stringify(body) },
		headers: { ...authorization(token), "content-type": "application/json", ...headers },
	});
	const file = Array.from({ length: random.int(1, 3) }, () => known("path")).join("/");
	const sha = { [SHA256_HEADER]: random.next() < 0.5 ? "0".repeat(64) : headerText(hostileText(random)) };
	if (kind === 0) return of("PUT checkpoint", "PUT", `checkpoints/${known("checkpointId")}/${file}`, "x", sha);
	if (kind === 1) return of("GET checkpoint", "GET", `checkpoints/${known("checkpointId")}/${file}`, undefined);
	const offset = { [OFFSET_HEADER]: headerText(String(random.pick([0, 1, -1, 1.5, 1e300, "x"]))) };
	if (kind === 2) return of("PUT artifact", "PUT", `artifacts/${known("artifactId")}/${file}`, "x", offset);
	if (kind === 3) return of("GET artifact", "GET", `artifacts/${known("artifactId")}${random.next() < 0.5 ? "" : `/${file}`}`, undefined);
	if (kind === 4)
		return of(
			"commit",
			"POST",
			`${random.pick(["checkpoints", "artifacts"])}/${known("checkpointId")}/commit`,
			fromSchema(AGENT_REQUESTS.commit, draw),
		);
	if (kind === 5) return of("GET file", "GET", random.pick(["agent.mjs", "runtime/linux-x64", `runtime/${known("path")}`]), undefined);
	const name = random.pick(Object.keys(AGENT_REQUESTS).filter((key) => key !== "commit") as (keyof typeof AGENT_REQUESTS)[]);
	return of(name, "POST", name, fromSchema(AGENT_REQUESTS[name], draw));
}

const AUTH_PATHS = [
	"signin",
	"signin/credentials",
	"signin/oidc",
	"callback/credentials",
	"callback/oidc",
	"session",
	"csrf",
	"providers",
	"signout",
];

function pageRequest(draw: Draw, token: string): FuzzRequest {
	const { random } = draw;
	const month = encodeURIComponent(random.pick(draw.known["month"] ?? ["x"]).toWellFormed());
	const downloads = ["/api/exports/focus", "/api/exports/audit", `/api/statements/${month}`];
	const path = random.pick([...downloads, "/healthz", "/readyz", "/schemas/job.json", "/schemas/x", "/api/v1/openapi.json"]);
	const query = new URLSearchParams(
		["month", "format", "asOf", "team", "version", "from", "to", "csrfToken", "email", "callbackUrl", "code", "state"]
			.filter(() => random.next() < 0.3)
			.map((name) => [name, random.pick([...(draw.known[name] ?? []), "csv", "pdf", hostileText(random)]).toWellFormed()]),
	);
	if (random.next() < 0.4) {
		const isWrite = random.next() < 0.5;
		const at = `/api/auth/${random.pick(AUTH_PATHS)}`;
		const headers = { "content-type": "application/x-www-form-urlencoded" };
		return {
			...{ label: "auth", method: isWrite ? "POST" : "GET", headers },
			path: isWrite ? at : `${at}?${query}`,
			body: isWrite ? `${query}` : null,
		};
	}
	return {
		label: `page:${path.split("/")[2] ?? path}`,
		method: "GET",
		path: `${path}?${query}`,
		headers: authorization(token),
		body: null,
	};
}

/** The same request with a different host, method, type, header, path or length. */
function spoilt(request: FuzzRequest, random: Random): FuzzRequest {
	const { headers } = request;
	switch (random.int(0, 7)) {
		case 0:
			return { ...request, headers: { ...headers, host: random.pick(HOSTS) } };
		case 1:
			return { ...request, method: random.pick(METHODS), label: `${request.label}, other method` };
		case 2:
			return { ...request, headers: { ...headers, "content-type": random.pick(TYPES) } };
		case 3:
			return { ...request, headers: { ...headers, [random.pick(HEADERS)]: headerText(hostileText(random)) } };
		case 4:
			return {
				...request,
				path: `${request.path.split("?")[0]}${random.pick(["/", "/%00", "/%ff", "%2f..", `/${"x".repeat(400)}`, "?%", "?a=%ff", "//"])}`,
			};
		case 5:
			return { ...request, headers: { ...headers, origin: random.pick(ORIGINS) } };
		case 6:
			return { ...request, headers: { ...headers, authorization: `Bearer ${headerText(hostileText(random))}` } };
		default:
			return { ...request, body: request.method === "GET" ? null : JSON.stringify(hostileValue(random, 6)) };
	}
}

function conditions(random: Random): Record<string, string> {
	if (random.next() < 0.8) return {};
	return {
		[random.pick(["if-match", "idempotency-key", "if-none-match"])]: random.pick(['"1"', "*", "k1", "x".repeat(200), '"policy-1"']),
	};
}

function authorization(token: string): Record<string, string> {
	return token === "" ? {} : { authorization: `Bearer ${token}` };
}

function inPath(value: unknown): string {
	return encodeURIComponent(plainText(value).toWellFormed());
}

function plainText(value: unknown): string {
	const text = typeof value === "string" ? value : (JSON.stringify(value ?? "") ?? "");
	return text.toWellFormed();
}

/** A time in ms in the form of REST; an invalid time stays a number. */
function timeText(ms: number): string {
	return Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms);
}

/** Without characters that Node's client rejects. */
function headerText(text: string): string {
	return text.replace(/[^\x20-\x7e]/g, "").slice(0, 2_000);
}
