import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { Auth } from "@auth/core";
import { createAgentHandler } from "#server/api/agent/handler.ts";
import { createRequestHandler } from "#server/api/answer.ts";
import { downloadAudit } from "#server/api/audit-file.ts";
import { createEdge } from "#server/api/edge/guard.ts";
import { RateLimiter } from "#server/api/edge/rate-limiter.ts";
import { serveFetch } from "#server/api/fetch-adapter.ts";
import { downloadFocus } from "#server/api/focus-file.ts";
import { handleSession } from "#server/api/handle-session.ts";
import { downloadPlanDecision } from "#server/api/plan-decision-file.ts";
import { handleScim } from "#server/api/scim/handler.ts";
import { downloadStatement } from "#server/api/statement-file.ts";
import { handleTrpc } from "#server/api/trpc/handle-trpc.ts";
import { createAuthConfig, providerIds } from "#server/auth/auth-config.ts";
import { handleAuth } from "#server/auth/handle-auth.ts";
import { awsSiteKind } from "#server/providers/aws/site-kind.ts";
import { azureSiteKind } from "#server/providers/azure/site-kind.ts";
import { gcpSiteKind } from "#server/providers/gcp/site-kind.ts";
import { kubernetesSiteKind } from "#server/providers/kubernetes/site-kind.ts";
import { slurmSiteKind } from "#server/providers/slurm/site-kind.ts";
import { StoreError, type StorePort } from "#server/providers/store-port.ts";
import { CredentialKeys } from "#server/services/capacity/site/credential-keys.ts";
import type { Actor } from "#server/services/core/context.ts";
import type { Runtime } from "#server/services/runtime.ts";
import { SECRET_KEY } from "#server/services/work/agent/testing/seed.ts";
import { RestWorld } from "../rest-world.ts";

const shared = globalThis as { __spillwayRuntime?: Runtime | undefined };

export interface WholeServer {
	url: string;
	world: RestWorld;
	close(): Promise<void>;
}

/**
 * Every entry point of the web server over one database, as in server/bin/web.ts. Next is replaced by its route
 * handlers, with people identified by their tokens; pages are empty. Sites and stores are unreachable: their checks
 * find nothing.
 */
export async function startWholeServer(): Promise<WholeServer> {
	const folder = await mkdtemp(path.join(os.tmpdir(), "spillway-fuzz-"));
	await Promise.all(["agent.mjs", "node"].map((name) => writeFile(path.join(folder, name), "x")));
	const leastRights = () => [{ title: "A policy", language: "json", text: "{}" }];
	const siteTools = { kinds: unreachableKinds(), keys: new CredentialKeys({ home: folder }), leastRights };
	const world = await RestWorld.open({ siteTools });
	const rt = { ...world.runtime, env: { ...world.runtime.env, SPILLWAY_HOME: folder }, storePort: unreachableStores() };
	const before = shared.__spillwayRuntime;
	shared.__spillwayRuntime = rt;
	// Unlimited, because a connection that ends just when a request is sent on it looks like a failure.
	const server = createServer({ keepAliveTimeout: 0 });
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const edge = createEdge({
		...{ publicUrl: url, host: "127.0.0.1", moreHosts: [], limiter: new RateLimiter(Number.MAX_SAFE_INTEGER) },
		...{ nowMs: rt.clock.nowMs, addressOf: () => "127.0.0.1" },
	});
	const answer = createRequestHandler({
		...{ rt, edge, agent: agentDoor(world, folder), page: pageDoor(rt) },
		scim: (req, res) => handleScim({ ...rt, groupMap: rt.env.OIDC_GROUP_MAP, publicUrl: url }, req, res),
		room: { problem: () => null, demand: () => undefined },
	});
	server.on("request", (req, res) => {
		answer(req, res).catch((error: unknown) => {
			world.failures.push(error);
			res.destroy();
		});
	});
	return {
		...{ url, world },
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
			await world.close();
			shared.__spillwayRuntime = before;
			await rm(folder, { recursive: true, force: true });
		},
	};
}

function unreachableKinds() {
	const controlUrl = "http://127.0.0.1:3000";
	const kinds = [
		awsSiteKind({ listPrices: () => [], endpoint: undefined, controlUrl }),
		azureSiteKind({ snapshot: () => [], endpoint: undefined, controlUrl }),
		gcpSiteKind({ listPrices: () => [], listChips: () => [], endpoint: undefined, controlUrl }),
		kubernetesSiteKind({ resolveAccelerator: () => null, dataRemotes: undefined }),
		slurmSiteKind({ dataRemotes: undefined }),
	];
	return kinds.map((kind) => ({
		...kind,
		async *check() {
			yield { id: "reach", title: "Reach", outcome: "failed" as const, found: "Not reached in tests.", fix: null };
		},
	}));
}

function agentDoor(world: RestWorld, folder: string): (request: Request) => Promise<Response> {
	return createAgentHandler({
		...{ db: world.database.db, clock: { nowMs: () => world.nowMs() }, secretKey: SECRET_KEY },
		...{ checkpointRoot: path.join(folder, "checkpoints"), artifactRoot: path.join(folder, "artifacts") },
		...{ agentFile: path.join(folder, "agent.mjs"), runtimeFiles: { "linux-x64": path.join(folder, "node") } },
		log: (_, error) => void world.failures.push(error),
		timing: { heartbeatMs: 2_000, stopGraceMs: 90_000, controlSilenceMs: 1_000_000, leaseMs: 0 },
		dataRemotes: async () => ({}),
	});
}

function pageDoor(rt: RestWorld["runtime"]) {
	const config = {
		...createAuthConfig({ ...rt, source: async () => "127.0.0.1" }),
		...{ basePath: "/api/auth", logger: { error: () => undefined, warn: () => undefined } },
	};
	const page = async (request: Request): Promise<Response> => {
		const url = new URL(request.url);
		const token = /^Bearer (\S+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
		const readActor = async (): Promise<Actor | null> => (token === undefined ? null : rt.authenticate(token, rt.clock.nowMs()));
		if (url.pathname.startsWith("/api/trpc/")) return handleTrpc(request, readActor);
		if (url.pathname.startsWith("/api/auth/")) return handleAuth(request, () => Auth(request, config), providerIds(rt.env));
		const download = downloadAt(url, request);
		return download === null ? new Response("page") : handleSession(await readActor(), download);
	};
	return (req: IncomingMessage, res: ServerResponse) => serveFetch(page, req, res);
}

function downloadAt({ pathname, searchParams }: URL, request: Request): Parameters<typeof handleSession>[1] | null {
	if (pathname === "/api/exports/audit") return (ctx) => downloadAudit(ctx, request);
	if (pathname === "/api/exports/focus") return (ctx) => downloadFocus(ctx, request);
	const study = /^\/api\/plan\/decisions\/([^/]+)$/.exec(pathname)?.[1];
	if (study !== undefined) return (ctx) => downloadPlanDecision(ctx, study);
	const month = /^\/api\/statements\/([^/]+)$/.exec(pathname)?.[1];
	return month === undefined ? null : (ctx) => downloadStatement(ctx, month, searchParams);
}

function unreachableStores(): StorePort {
	const fail = () => Promise.reject(new StoreError("The store does not answer."));
	return {
		...{ grant: fail, list: fail, upload: fail, download: fail, remove: fail, signUrl: fail },
		read: () => Readable.from([]),
	};
}
