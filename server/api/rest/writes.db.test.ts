import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jobTrace } from "#server/db/schema/job-trace.ts";
import { makeTraceStarter } from "#server/tracing/start.ts";
import { aJob, RestWorld } from "../testing/rest-world.ts";

let world: RestWorld;
beforeAll(async () => {
	world = await RestWorld.open();
});
afterAll(() => world.close());

const withKey = (key: string) => ({ headers: { "idempotency-key": key } });

describe("Idempotency-Key", () => {
	it("returns the first response to the same request again, and writes nothing", async () => {
		const first = await world.post("/jobs", aJob(), withKey("again"));
		const before = await world.written();
		const second = await world.post("/jobs", aJob(), withKey("again"));
		expect([first.status, second.status]).toEqual([201, 201]);
		expect(second.json).toEqual(first.json);
		expect(first.headers.get("idempotency-replayed")).toBeNull();
		expect(second.headers.get("idempotency-replayed")).toBe("true");
		expect(await world.written()).toEqual(before);
	});

	it("creates one job and one response for ten concurrent requests", async () => {
		const before = await world.written();
		const answers = await Promise.all(Array.from({ length: 10 }, () => world.post("/jobs", aJob({ name: "once" }), withKey("at-once"))));
		expect(new Set(answers.map((a) => a.json.id)).size).toBe(1);
		expect(answers.map((a) => a.status)).toEqual(answers.map(() => 201));
		expect(answers.filter((a) => a.headers.get("idempotency-replayed") === null)).toHaveLength(1);
		expect((await world.written()).jobs).toBe((before.jobs ?? 0) + 1);
	});

	it("is a conflict with another body or path", async () => {
		const { json } = await world.post("/jobs", aJob({ name: "first" }), withKey("other"));
		const before = await world.written();
		for (const answer of [
			await world.post("/jobs", aJob({ name: "second" }), withKey("other")),
			await world.post(`/jobs/${json.id}/cancel`, undefined, withKey("other")),
		])
			expect(answer).toMatchObject({ status: 409, json: { code: "conflict", fix: "Use a new key for each request." } });
		expect(await world.written()).toEqual(before);
	});

	it("is not consumed by a rejected request", async () => {
		expect((await world.post("/jobs", aJob({ team: "nobody" }), withKey("freed"))).status).toBe(400);
		expect((await world.post("/jobs", aJob(), withKey("freed"))).status).toBe(201);
	});

	it("covers an action that fails for some of its jobs", async () => {
		const ids = [await world.submit(), "job_missing", await world.submit(), "job_other"];
		const { status, json } = await world.post("/jobs/actions", { action: "hold", ids }, withKey("several"));
		expect(status).toBe(200);
		expect(json.items.map(({ done }: { done: boolean }) => done)).toEqual([true, false, true, false]);
		const states = await Promise.all([ids[0], ids[2]].map(async (id) => (await world.get(`/jobs/${id}`)).json.state));
		expect(states).toEqual(["held", "held"]);
	});

	it("makes a repeated cancel return the first one, not a conflict", async () => {
		const id = await world.submit();
		for (const replayed of [null, "true"]) {
			const answer = await world.post(`/jobs/${id}/cancel`, undefined, withKey("cancel"));
			expect(answer).toMatchObject({ status: 202, json: { state: "cancelled" } });
			expect(answer.headers.get("idempotency-replayed")).toBe(replayed);
		}
	});
});

describe("traces", () => {
	it("continue the caller's trace for what a write submits", async () => {
		world.runtime.startTrace = makeTraceStarter(0);
		const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
		const { json } = await world.post("/jobs", aJob(), { headers: { traceparent } });
		await world.post("/jobs", aJob());
		const rows = await world.database.db.select().from(jobTrace);
		expect(rows).toMatchObject([{ jobId: json.id, traceId: "4bf92f3577b34da6a3ce929d0e0e4736", parentSpanId: "00f067aa0ba902b7" }]);
	});
});

describe("a batch", () => {
	it("is accepted as a whole, in order", async () => {
		const { status, json } = await world.post("/jobs", { items: ["a", "b", "c"].map((name) => aJob({ name: `batch-${name}` })) });
		expect(status).toBe(201);
		const ids: string[] = json.items.map((j: { id: string }) => j.id);
		expect(new Set(ids).size).toBe(3);
		const names = await Promise.all(ids.map(async (id) => (await world.get(`/jobs/${id}`)).json.name));
		expect(names).toEqual(["batch-a", "batch-b", "batch-c"]);
	});

	it("with one invalid job is rejected as a whole, naming the problem", async () => {
		const before = await world.written();
		for (const wrong of [aJob({ spec: { command: ["true"], resources: { gpus: -1 } } }), aJob({ team: "nobody" })]) {
			const answer = await world.post("/jobs", { items: [aJob(), wrong, aJob()] }, withKey("mixed"));
			expect(answer.status).toBe(400);
			expect(answer.text).toMatch(/gpus|nobody/);
		}
		expect(await world.written()).toEqual(before);
	});

	it("of 1,000 jobs is accepted", async () => {
		const before = await world.written();
		const { status, json } = await world.post("/jobs", { items: Array.from({ length: 1_000 }, (_, i) => aJob({ name: `many-${i}` })) });
		expect(status).toBe(201);
		expect(json.items).toHaveLength(1_000);
		expect((await world.written()).jobs).toBe((before.jobs ?? 0) + 1_000);
	});
});

describe("paging", () => {
	it("returns every job once, newest first, while others are submitted", async () => {
		const { json } = await world.post("/jobs", {
			items: Array.from({ length: 53 }, (_, i) => aJob({ name: `page-${i}`, team: "vision" })),
		});
		const wanted: string[] = json.items.map((j: { id: string }) => j.id);
		const seen: { id: string; submittedAt: string }[] = [];
		let cursor: string | null = null;
		let pages = 0;
		do {
			const page = await world.get(`/jobs?team=vision&limit=10${cursor === null ? "" : `&cursor=${cursor}`}`);
			expect(page.json.items.length).toBeLessThanOrEqual(10);
			seen.push(...page.json.items);
			cursor = page.json.nextCursor;
			pages++;
			await world.submit({ name: `meanwhile-${pages}`, team: "vision" });
		} while (cursor !== null);
		expect(pages).toBe(6);
		expect(new Set(seen.map((j) => j.id)).size).toBe(seen.length);
		expect(wanted.filter((id) => !seen.some((j) => j.id === id))).toEqual([]);
		const order = seen.map((j) => `${j.submittedAt} ${j.id}`);
		expect(order).toEqual([...order].sort().reverse());
	});

	it("ends with a null cursor, even when the last page is full", async () => {
		await world.post("/jobs", { items: Array.from({ length: 4 }, () => aJob({ name: "full-page" })) });
		const first = await world.get("/jobs?q=full-page&limit=2");
		const second = await world.get(`/jobs?q=full-page&limit=2&cursor=${first.json.nextCursor}`);
		expect(second.json.items).toHaveLength(2);
		expect(second.json.nextCursor).toBeNull();
	});
});
