import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SpillwayError } from "#server/kernel/errors.ts";
import { createRequestHandler } from "./answer.ts";
import { createEdge } from "./edge/guard.ts";
import { RateLimiter } from "./edge/rate-limiter.ts";

const FULL = "The disk is full.";
/** One path of each entry point. */
const DOORS = ["/", "/sign-in", "/api/auth/session", "/api/trpc/job.list", "/api/v1/jobs", "/scim/v2/Users", "/schemas/job.json"];
const MACHINES = ["/agent/v1/heartbeat", "/agent/v1/checkpoints/x", "/agent/v1/artifacts/x", "/api/2.0/mlflow/runs/get"];

let server: Server;
let isFull = false;
beforeAll(async () => {
	const edge = createEdge({
		...{ publicUrl: "http://spillway.test", host: "127.0.0.1", moreHosts: [], limiter: new RateLimiter(1_000) },
		...{ nowMs: () => 0, addressOf: () => "192.0.2.1" },
	});
	const room = {
		problem: () => (isFull ? FULL : null),
		demand: () => {
			if (isFull) throw new SpillwayError("insufficient_storage", FULL);
		},
	};
	const reached = async (_: unknown, res: { end(text: string): void }) => res.end("reached");
	const answer = createRequestHandler({
		...{ edge, room, scim: reached, page: reached },
		agent: async () => new Response("reached"),
		// REST and MLflow are never reached.
		rt: {} as Parameters<typeof createRequestHandler>[0]["rt"],
	});
	server = createServer((req, res) => void answer(req, res).catch(() => res.destroy()));
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
	isFull = false;
});

async function call(method: string, path: string, headers: Record<string, string> = {}) {
	const { port } = server.address() as AddressInfo;
	const req = request({ port, host: "127.0.0.1", method, path, headers, agent: false });
	req.end();
	const [res] = await once(req, "response");
	let text = "";
	for await (const chunk of res) text += String(chunk);
	return { status: Number(res.statusCode), text, retryAfter: res.headers["retry-after"] };
}

describe("every entry point", () => {
	it.each([...DOORS, ...MACHINES])("%s rejects foreign host names and origins", async (path) => {
		expect((await call("GET", path, { host: "evil.example.com" })).status).toBe(421);
		expect((await call("GET", path, { host: "a b" })).status).toBe(400);
		expect((await call("POST", path, { origin: "https://evil.example.com" })).status).toBe(403);
	});
});

describe("without room on the disk", () => {
	beforeEach(() => {
		isFull = true;
	});

	it.each(["/api/v1/jobs", "/api/trpc/job.submit", "/scim/v2/Users", "/api/2.0/mlflow/runs/create", ...MACHINES.slice(1, 3)])(
		"a write to %s is rejected",
		async (path) => {
			for (const method of ["POST", "PUT", "PATCH", "DELETE"])
				expect(await call(method, path)).toMatchObject({ status: 507, retryAfter: "5" });
		},
	);

	it("sign-in, agents' messages and reads still work", async () => {
		for (const [method, path] of [
			["POST", "/api/auth/callback/password"],
			["POST", "/agent/v1/heartbeat"],
			["GET", "/api/trpc/job.list"],
			["GET", "/agent/v1/checkpoints/x"],
			["GET", "/"],
		] as const)
			expect(await call(method, path), path).toMatchObject({ status: 200, text: "reached" });
	});

	it("health reports it", async () => {
		const { status, text } = await call("GET", "/healthz");
		expect([status, JSON.parse(text)]).toEqual([200, { status: "degraded", why: FULL }]);
		isFull = false;
		expect(JSON.parse((await call("GET", "/healthz")).text)).toEqual({ status: "ok" });
	});
});
