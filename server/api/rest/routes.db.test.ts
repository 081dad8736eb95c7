import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reason } from "#server/domain/reasons.ts";
import { newId } from "#server/kernel/ids.ts";
import { writeHeartbeat } from "#server/services/core/heartbeat.ts";
import { aJob, RestWorld } from "../testing/rest-world.ts";
import { openApi } from "./openapi.ts";
import { ROUTES } from "./routes.ts";

let world: RestWorld;
beforeAll(async () => {
	world = await RestWorld.open();
});
afterAll(() => world.close());

describe("every route responds", () => {
	it("POST /jobs takes JSON and YAML, and GET /jobs/{id} shows the job", async () => {
		const first = await world.post("/jobs", aJob({ name: "by-json" }));
		expect(first.status).toBe(201);
		expect(first.json).toEqual({ id: expect.stringMatching(/^job_[0-9a-z]{26}$/), state: "queued", name: "by-json" });
		const yaml = "apiVersion: spillway/v1\nkind: Job\nmetadata: { name: by-yaml, team: vision }\nspec: { command: [sleep, '1'] }\n";
		const second = await world.post("/jobs", yaml, { headers: { "content-type": "application/yaml" } });
		expect(second.status).toBe(201);
		const shown = await world.get(`/jobs/${second.json.id}`);
		expect(shown.json).toMatchObject({
			...{ id: second.json.id, name: "by-yaml", team: "vision", class: "burst", state: "queued", gpus: 1, attempts: 0 },
			...{ placement: null, startedAt: null, finishedAt: null, costMicroUsd: "0", submittedBy: "account:usr_platform" },
			reason: { code: "submitted", message: "Submitted; the scheduler has not decided yet." },
			spec: { command: ["sleep", "1"] },
			attemptList: [],
		});
	});

	it("GET /jobs filters by state, team, class, site and text", async () => {
		const id = await world.submit({ name: "find-me", team: "vision", spec: { command: ["true"], class: "sensitive" } });
		const attempt = await world.start(id);
		const names = async (query: string): Promise<string[]> =>
			(await world.get(`/jobs?${query}`)).json.items.map((j: { name: string }) => j.name);
		for (const query of [
			"q=find",
			`q=${id.slice(0, 20)}&team=vision&class=sensitive`,
			"class=sensitive",
			"state=running",
			"state=running,held",
			"site=home",
		])
			expect(await names(query)).toEqual(["find-me"]);
		for (const query of ["q=find&team=research", "site=cloud", "state=failed", "class=baseline"]) expect(await names(query)).toEqual([]);
		await world.end(attempt, { code: 0 });
		expect(await names("state=succeeded")).toEqual(["find-me"]);
	});

	it("POST /jobs/{id}/cancel ends a waiting job immediately, and a second cancel is a conflict", async () => {
		const id = await world.submit();
		expect(await world.post(`/jobs/${id}/cancel`, undefined)).toMatchObject({ status: 202, json: { state: "cancelled" } });
		expect(await world.post(`/jobs/${id}/cancel`, undefined)).toMatchObject({ status: 409, json: { code: "conflict" } });
		expect((await world.get(`/jobs/${id}`)).json.reason.message).toBe("Cancelled by platform.");
	});

	it("POST /jobs/{id}/cancel stops a running job, however often it is called", async () => {
		const id = await world.submit();
		const attempt = await world.start(id);
		for (const _ of [1, 2])
			expect(await world.post(`/jobs/${id}/cancel`, undefined)).toMatchObject({ status: 202, json: { state: "running" } });
		await world.end(attempt, { stop: reason("cancelled_by_person", { by: "platform" }) });
		expect((await world.get(`/jobs/${id}`)).json.state).toBe("cancelled");
	});

	it("GET /jobs/{id}/logs returns a page, the last lines, and the lines after a number", async () => {
		const id = await world.submit();
		expect((await world.get(`/jobs/${id}/logs`)).json).toEqual({
			attempt: null,
			attempts: 0,
			lines: [],
			total: 0,
			complete: false,
			jobEnded: false,
		});
		const attempt = await world.start(id);
		await world.log(attempt, "one", "two", "three");
		const texts = async (query: string): Promise<string[]> =>
			(await world.get(`/jobs/${id}/logs${query}`)).json.lines.map((l: { text: string }) => l.text);
		expect(await texts("")).toEqual(["one", "two", "three"]);
		expect(await texts("?tail=1")).toEqual(["three"]);
		expect(await texts("?after=1&limit=1")).toEqual(["two"]);
		await world.end(attempt, { code: 0 });
		expect((await world.get(`/jobs/${id}/logs?attempt=1`)).json).toMatchObject({ total: 3, complete: true, jobEnded: true });
		expect(await world.get(`/jobs/${id}/logs?attempt=2`)).toMatchObject({ status: 404 });
	});

	it("GET /jobs/{id}/decisions and /receipt work for a job without decisions", async () => {
		const id = await world.submit();
		expect((await world.get(`/jobs/${id}/decisions`)).json).toEqual({ items: [], nextCursor: null });
		expect((await world.get(`/jobs/${id}/receipt`)).json).toMatchObject({ jobId: id, attempts: [], totals: { costMicroUsd: "0" } });
	});

	it("POST /quotes responds without writing anything", async () => {
		const before = await world.written();
		const quote = await world.post("/quotes", aJob({ spec: { command: ["true"], duration: { estimate: "1m" } } }));
		expect(quote.status).toBe(200);
		expect(quote.json).toMatchObject({
			outcome: "place_home",
			policy: { name: "default", version: 1 },
			gpus: 1,
			budgetFree: { budgetId: "cloud-month" },
		});
		expect(quote.json.candidates[0]).toMatchObject({ outcome: "chosen", placement: { siteId: "home" } });
		expect(await world.written()).toEqual(before);
	});

	it("GET lists of instances, sites, offers and budgets, the policy, spend and money at risk", async () => {
		expect((await world.get("/instances?live=1")).json).toEqual({ items: [], nextCursor: null });
		expect((await world.get("/sites")).json.items.map((s: { id: string }) => s.id)).toEqual(["aws", "home"]);
		expect((await world.get("/offers?gpus=1")).json).toMatchObject({
			total: 1,
			items: [{ instanceType: "g5.xlarge", microUsdPerHour: "1000000" }],
		});
		expect((await world.get("/budgets")).json.items).toMatchObject([
			{ id: "cloud-month", period: "month", capMicroUsd: "1000000000", postedMicroUsd: "0", heldMicroUsd: "0", freeMicroUsd: "1000000000" },
		]);
		expect((await world.get("/policies/default")).json).toMatchObject({
			name: "default",
			version: 1,
			rules: [{ id: "burst-on-wait" }, { id: "life" }],
		});
		expect((await world.get("/spend?from=2026-01-01&to=2026-02-01&groupBy=day")).json).toMatchObject({
			items: [],
			totals: { totalMicroUsd: "0" },
		});
		expect((await world.get("/money-at-risk")).json).toEqual({ totalMicroUsd: "0", items: [] });
		for (const path of ["/policies/other", `/jobs/${newId("job", 0)}`, "/nothing"])
			expect(await world.get(path)).toMatchObject({ status: 404 });
	});

	it("lists the supported methods when the method is wrong", async () => {
		const answer = await world.call("DELETE", "/api/v1/jobs");
		expect(answer).toMatchObject({ status: 405, json: { code: "method_not_allowed" } });
		expect(answer.json.detail).toBe("DELETE is not allowed on /jobs. Allowed: POST, GET, HEAD, OPTIONS.");
		expect(answer.headers.get("allow")).toBe("POST, GET, HEAD, OPTIONS");
	});

	it("answers OPTIONS with the methods, and HEAD like GET without a body", async () => {
		const options = await world.call("OPTIONS", "/api/v1/jobs/job_x/logs", { as: null });
		expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, OPTIONS"]);
		expect((await world.call("OPTIONS", "/api/v1/nothing", { as: null })).status).toBe(404);
		const id = await world.submit();
		const head = await world.call("HEAD", `/api/v1/jobs/${id}`);
		expect([head.status, head.text, Number(head.headers.get("content-length")) > 100]).toEqual([200, "", true]);
		expect((await world.call("HEAD", `/api/v1/jobs/${id}`, { as: null })).status).toBe(401);
		expect((await world.call("HEAD", `/api/v1/jobs/${id}/logs`)).status).toBe(405);
	});
});

describe("openapi.json", () => {
	it("names the base path", () => {
		expect(openApi("/spillway").servers).toEqual([{ url: "/spillway/api/v1" }]);
	});

	it("is OpenAPI 3.1 and lists every route with its parameters", async () => {
		const { json, status } = await world.get("/openapi.json", { as: null });
		expect(status).toBe(200);
		expect(json.openapi).toMatch(/^3\.1\.\d+$/);
		expect(json.info).toMatchObject({ title: expect.any(String), version: expect.any(String), description: expect.any(String) });
		const operations = Object.entries(json.paths).flatMap(([path, item]) =>
			Object.entries(item as object).map(([method, operation]) => ({ path, method, operation })),
		);
		expect(operations.map((o) => `${o.method.toUpperCase()} ${o.path}`).sort()).toEqual(ROUTES.map((r) => `${r.method} ${r.path}`).sort());
		expect(new Set(operations.map((o) => o.operation.operationId)).size).toBe(ROUTES.length);
		for (const { path, operation } of operations) {
			const inPath = (operation.parameters ?? [])
				.filter((p: { in: string }) => p.in === "path")
				.map((p: { name: string }) => `{${p.name}}`);
			expect(inPath).toEqual(path.match(/\{\w+\}/g) ?? []);
			const statuses = Object.keys(operation.responses);
			expect(statuses.filter((s) => s.startsWith("2"))).not.toEqual([]);
			expect(statuses).toEqual(expect.arrayContaining(["400", "401", "403", "429", "default"]));
			for (const parameter of operation.parameters ?? [])
				expect(parameter).toMatchObject({ name: expect.any(String), schema: expect.any(Object) });
		}
		// Every reference resolves, and every body is described.
		for (const [, target] of JSON.stringify(json).matchAll(/"\$ref":"([^"]+)"/g))
			expect(json).toHaveProperty((target ?? "").replace("#/", "").split("/"));
		expect(json.paths["/jobs"].post.requestBody.content["application/json"].schema).toHaveProperty("anyOf");
	});
});

describe("health", () => {
	it("/healthz, /readyz and /metrics work without sign-in", async () => {
		const plain = { as: null } as const;
		expect((await world.call("GET", "/healthz", plain)).json).toEqual({ status: "ok" });
		expect((await world.call("GET", "/readyz", plain)).json).toMatchObject({ status: "ready", scheduler: "never seen" });
		await writeHeartbeat(world.database.db, { instance: "test", atMs: world.nowMs(), lastCycle: null });
		expect((await world.call("GET", "/readyz", plain)).json).toMatchObject({ scheduler: "leading" });
		const metrics = await world.call("GET", "/metrics", plain);
		expect(metrics.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
		expect(metrics.text).toContain('spillway_owned_gpus{site="home"} 4\n');
		for (const line of metrics.text.split("\n").filter(Boolean)) expect(line).toMatch(/^# (HELP|TYPE) \w+ .+$|^\w+(\{[^}]*\})? [-+.\de]+$/);
	});

	it("logs no server failures", () => {
		expect(world.failures).toEqual([]);
	});
});
