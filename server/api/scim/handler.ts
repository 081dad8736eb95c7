import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { GroupMap } from "#server/domain/group-map.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { Actor } from "#server/services/core/context.ts";
import { clientAddress } from "#server/services/governance/audit/client-address.ts";
import * as groups from "#server/services/governance/scim/groups.ts";
import * as users from "#server/services/governance/scim/users.ts";
import type { Runtime } from "#server/services/runtime.ts";
import { DOORS } from "../edge/limits.ts";
import type { RateLimiter } from "../edge/rate-limiter.ts";
import { readBody } from "../edge/read-body.ts";
import { requestIdOf } from "../edge/request-id.ts";
import { isLogged, problemOf } from "../problem.ts";
import * as message from "./messages.ts";

export const SCIM_PREFIX = "/scim/v2";

export interface ScimRuntime extends Pick<Runtime, "clock" | "connection" | "logError"> {
	authenticate(token: string, nowMs: number): Promise<Actor | null>;
	groupMap: GroupMap;
	/** URL of the installation, for the locations of resources. */
	publicUrl: string;
	limiter?: RateLimiter;
	failureLimiter?: RateLimiter;
}

interface Call {
	ctx: groups.GroupContext;
	id: string;
	query: URLSearchParams;
	base: string;
	body: unknown;
}
type Answer = { status: number; body?: unknown };

/** Handles every request of an identity provider under /scim/v2 (RFC 7644); never throws. */
export async function handleScim(rt: ScimRuntime, req: IncomingMessage, res: ServerResponse): Promise<void> {
	const requestId = requestIdOf(req);
	res.setHeader("x-request-id", requestId);
	try {
		const { status, body } = await answerTo(rt, req, requestId);
		send(res, status, body);
	} catch (error) {
		const { status, detail, code } = problemOf(error, requestId);
		if (isLogged(error)) rt.logError("a SCIM request failed", error, requestId);
		const scimType = code === "conflict" ? "uniqueness" : code === "invalid_input" ? "invalidValue" : undefined;
		send(res, status, { schemas: [message.SCHEMA.error], status: String(status), ...(scimType && { scimType }), detail });
	}
}

async function answerTo(rt: ScimRuntime, req: IncomingMessage, requestId: string): Promise<Answer> {
	const url = new URL(req.url ?? "/", "http://localhost");
	const [resource = "", id = "", ...rest] = url.pathname.slice(SCIM_PREFIX.length).split("/").slice(1).map(decodeURIComponent);
	const actor = await actorOf(rt, req);
	// Before the body is read: callers without the permission learn nothing.
	authorize({ actor }, "account:manage", null);
	const method = req.method ?? "GET";
	const answer = rest.length === 0 ? findAnswer(method, resource.toLowerCase(), id) : undefined;
	if (answer === undefined) throw new SpillwayError("not_found", `SCIM has no ${method} ${url.pathname}.`);
	const text = ["POST", "PUT", "PATCH"].includes(method) ? (await readBody(req, DOORS.rest)).toString("utf8") : "";
	const { db } = rt.connection;
	const ctx = { actor, db, clock: rt.clock, requestId, source: clientAddress(req), groupMap: rt.groupMap };
	return answer({ ctx, id, query: url.searchParams, base: `${rt.publicUrl}${SCIM_PREFIX}`, body: jsonOf(text) });
}

async function actorOf(rt: ScimRuntime, req: IncomingMessage): Promise<Actor> {
	const token = /^Bearer (\S{1,256})$/.exec(req.headers.authorization ?? "")?.[1];
	const nowMs = rt.clock.nowMs();
	const actor = token === undefined ? null : await rt.authenticate(token, nowMs);
	if (token !== undefined && actor) {
		rt.limiter?.take(`token:${createHash("sha256").update(token).digest("base64url")}`, nowMs);
		return actor;
	}
	rt.failureLimiter?.take(`address:${clientAddress(req) ?? "unknown"}`, nowMs);
	throw new SpillwayError("unauthenticated", "The request has no valid token. Send Authorization: Bearer <token>.");
}

function findAnswer(method: string, resource: string, id: string): ((call: Call) => Promise<Answer>) | undefined {
	const key = `${method} ${resource}${id === "" ? "" : "/id"}`;
	return Object.hasOwn(ANSWERS, key) ? ANSWERS[key] : undefined;
}

const ok = (body: unknown): Answer => ({ status: 200, body });
const userOf = (user: users.ScimUser, { base }: Call) => message.userResource(user, base);
const groupOf = (group: groups.ScimGroup, { base }: Call) => message.groupResource(group, base, true);

const ANSWERS: Readonly<Record<string, (call: Call) => Promise<Answer>>> = {
	"GET serviceproviderconfig": async () => ok(message.serviceProviderConfig()),
	"GET resourcetypes": async () => ok(message.listResource(2, 1, message.resourceTypes())),
	"GET users": async (call) => {
		const page = message.pageOf(call.query);
		const { total, items } = await users.listScimUsers(call.ctx, page);
		return ok(
			message.listResource(
				total,
				page.startIndex,
				items.map((user) => userOf(user, call)),
			),
		);
	},
	"POST users": async (call) => {
		const user = await users.createScimUser(call.ctx, message.userInputOf(call.body));
		return { status: 201, body: userOf(user, call) };
	},
	"GET users/id": async (call) => ok(userOf(await users.getScimUser(call.ctx, call.id), call)),
	"PUT users/id": async (call) => ok(userOf(await users.updateScimUser(call.ctx, call.id, message.userInputOf(call.body)), call)),
	"PATCH users/id": async (call) => ok(userOf(await users.updateScimUser(call.ctx, call.id, message.userChangesOf(call.body)), call)),
	"DELETE users/id": async ({ ctx, id }) => {
		await users.deleteScimUser(ctx, id);
		return { status: 204 };
	},
	"GET groups": async (call) => {
		const page = message.pageOf(call.query);
		const { total, items } = await groups.listScimGroups(call.ctx, page);
		const withMembers = !/\bmembers\b/i.test(call.query.get("excludedAttributes") ?? "");
		return ok(
			message.listResource(
				total,
				page.startIndex,
				items.map((group) => message.groupResource(group, call.base, withMembers)),
			),
		);
	},
	"POST groups": async (call) => {
		const group = await groups.createScimGroup(call.ctx, message.groupInputOf(call.body));
		return { status: 201, body: groupOf(group, call) };
	},
	"GET groups/id": async (call) => ok(groupOf(await groups.getScimGroup(call.ctx, call.id), call)),
	"PUT groups/id": async (call) => {
		const input = message.groupInputOf(call.body);
		return ok(groupOf(await groups.updateScimGroup(call.ctx, call.id, () => input), call));
	},
	"PATCH groups/id": async (call) => ok(groupOf(await groups.updateScimGroup(call.ctx, call.id, message.groupChangesOf(call.body)), call)),
	"DELETE groups/id": async ({ ctx, id }) => {
		await groups.deleteScimGroup(ctx, id);
		return { status: 204 };
	},
};

function jsonOf(text: string): unknown {
	if (text === "") return {};
	try {
		return JSON.parse(text);
	} catch {
		throw new SpillwayError("invalid_input", "The body is not JSON.");
	}
}

function send(res: ServerResponse, status: number, body: unknown): void {
	res.writeHead(status, {
		...{ "cache-control": "no-store", "x-content-type-options": "nosniff" },
		...(body === undefined ? {} : { "content-type": "application/scim+json; charset=utf-8" }),
		...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
	});
	res.end(body === undefined ? undefined : JSON.stringify(body));
}
