import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { RestWorld } from "#server/api/testing/rest-world.ts";
import { audit } from "#server/db/schema/audit.ts";
import { job } from "#server/db/schema/job.ts";
import { reason } from "#server/domain/reasons.ts";
import { timingSchema } from "#server/services/core/timing.ts";
import { loadSnapshot, SnapshotCache } from "#server/services/decision/snapshot/load.ts";
import { writeWaiting } from "./wait.ts";

let world: RestWorld;
beforeAll(async () => {
	world = await RestWorld.open();
});
afterAll(() => world.close());

const act = (body: object, as: "scientist" | "stranger" | "finance" = "scientist") => world.post("/jobs/actions", body, { as });
const rowOf = async (id: string) => (await world.database.db.select().from(job).where(eq(job.id, id)))[0];

it("counts the jobs that each filter value would list, within the caller's teams", async () => {
	const [running] = [await world.submit({ name: "esm-1" }), await world.submit({ name: "esm-2" }), await world.submit({ name: "other" })];
	await world.submit({ name: "esm-3", team: "vision" });
	const attemptId = await world.start(running);
	const facets = async (query: string, as: "platform" | "scientist" = "platform") =>
		(await world.get(`/jobs/facets?${query}`, { as })).json;
	expect(await facets("")).toEqual({
		total: 4,
		state: { running: 1, queued: 3 },
		team: { research: 3, vision: 1 },
		class: { burst: 4 },
		site: { home: 1 },
	});
	expect(await facets("q=esm&state=queued&team=research")).toEqual({
		total: 1,
		state: { running: 1, queued: 1 },
		team: { research: 1, vision: 1 },
		class: { burst: 1 },
		site: {},
	});
	expect(await facets("mine=true")).toMatchObject({ total: 4 });
	expect(await facets("mine=true", "scientist")).toMatchObject({ total: 0 });
	expect(await facets("q=esm", "scientist")).toMatchObject({ total: 2, team: { research: 2 } });
	expect(await world.get("/jobs/facets?state=wrong")).toMatchObject({ status: 400 });
	await world.end(attemptId, { code: 0 });
});

it("returns one result per job, in order and once", async () => {
	const [waiting, ended, running, others] = [
		await world.submit(),
		await world.submit(),
		await world.submit(),
		await world.submit({ team: "vision" }),
	];
	await world.post(`/jobs/${ended}/cancel`, undefined);
	const attemptId = await world.start(running);
	const { status, json } = await act({ action: "cancel", ids: [waiting, ended, running, others, "job_missing", waiting] });
	expect(status).toBe(200);
	expect(json.items.map((i: { id: string }) => i.id)).toEqual([waiting, ended, running, others, "job_missing"]);
	expect(json.items).toMatchObject([
		{ done: true, ended: true, problem: null },
		{ done: false, problem: { code: "conflict", message: `Job ${ended} is already cancelled.` } },
		{ done: true, ended: false },
		{ done: false, problem: { code: "not_found" } },
		{ done: false, problem: { code: "not_found" } },
	]);
	expect(await rowOf(others)).toMatchObject({ state: "queued", cancelRequestedAt: null });
	await world.end(attemptId, { code: 0 });
});

it("changes the priority of waiting jobs for the next cycle, and can be undone", async () => {
	const { db } = world.database;
	const ctx = { db, clock: { nowMs: () => world.nowMs() }, timing: timingSchema.parse({}) };
	const cache = new SnapshotCache();
	const id = await world.submit();
	const seen = async () => (await loadSnapshot(ctx, cache)).snapshot.pending.find(({ jobId }) => jobId === id)?.spec.priority;
	expect(await seen()).toBe(50);
	const { json } = await act({ action: "set_priority", ids: [id], priority: 90 });
	expect(json.items).toMatchObject([{ done: true, priorityBefore: 50 }]);
	expect(await seen()).toBe(90);
	expect(await rowOf(id)).toMatchObject({ priority: 90, spec: { priority: 90 } });
	await act({ action: "set_priority", ids: [id], priority: json.items[0].priorityBefore });
	expect(await seen()).toBe(50);
	const entries = await db.select().from(audit).where(eq(audit.subject, id));
	expect(entries.filter((e) => e.action === "job.priority")).toHaveLength(2);
	await act({ action: "cancel", ids: [id] });
	expect((await act({ action: "set_priority", ids: [id], priority: 1 })).json.items).toMatchObject([
		{ done: false, problem: { code: "conflict", fix: "Change the priority of queued and held jobs only." } },
	]);
});

it("holds waiting jobs, which the scheduler ignores until they are released", async () => {
	const { db } = world.database;
	const ctx = { db, clock: { nowMs: () => world.nowMs() }, timing: timingSchema.parse({}) };
	const cache = new SnapshotCache();
	const id = await world.submit();
	const isPending = async () => (await loadSnapshot(ctx, cache)).snapshot.pending.some(({ jobId }) => jobId === id);
	expect(await isPending()).toBe(true);
	expect((await act({ action: "hold", ids: [id] })).json.items).toMatchObject([{ done: true }]);
	expect(await isPending()).toBe(false);
	// A plan from before the hold is stale.
	await expect(world.start(id)).rejects.toThrow("was not placed");
	await writeWaiting(db, [{ jobId: id, reason: reason("waiting_for_home"), forecast: null }]);
	expect((await world.get(`/jobs/${id}`)).json).toMatchObject({
		state: "held",
		reason: { code: "held_by_person", message: "Held by scientist." },
	});
	expect((await world.get(`/jobs/${id}/waiting`)).json.changes).toEqual([
		{ by: "people", sentence: "Releasing the job returns it to the queue." },
	]);
	expect((await act({ action: "hold", ids: [id] })).json.items).toMatchObject([{ done: false, problem: { code: "conflict" } }]);
	expect((await act({ action: "release", ids: [id] })).json.items).toMatchObject([{ done: true }]);
	expect(await isPending()).toBe(true);
	expect((await act({ action: "release", ids: [id] })).json.items).toMatchObject([{ done: false, problem: { code: "conflict" } }]);
	await world.end(await world.start(id), { code: 0 });
});

it("requests and withdraws moves of running jobs that save checkpoints", async () => {
	const [waiting, without, saving] = [
		await world.submit(),
		await world.submit(),
		await world.submit({ spec: { checkpoint: { path: "/work/ckpt", interval: "5m" } } }),
	];
	const move = async (id: string, to: string) => (await act({ action: "move", ids: [id], to })).json.items[0];
	const refused = (words: string) => ({ done: false, problem: { code: "conflict", message: expect.stringContaining(words) } });
	expect(await move(waiting, "cloud")).toMatchObject(refused("only running jobs move"));
	const first = await world.start(without);
	expect(await move(without, "cloud")).toMatchObject(refused("saves no checkpoints"));
	await world.end(first, { code: 0 });
	const second = await world.start(saving);
	expect(await move(saving, "cloud")).toMatchObject({ done: true, problem: null });
	const shown = async () => (await world.get(`/jobs/${saving}`)).json.attemptList.at(-1).move;
	expect(await shown()).toEqual({ to: "cloud", requestedBy: "scientist", at: null });
	expect(await move(saving, "home")).toMatchObject(refused("already runs on owned GPUs"));
	expect((await act({ action: "stay", ids: [saving] })).json.items).toMatchObject([{ done: true }]);
	expect(await shown()).toBeNull();
	expect((await act({ action: "stay", ids: [saving] })).json.items).toMatchObject([{ done: false, problem: { code: "conflict" } }]);
	const entries = await world.database.db.select().from(audit).where(eq(audit.subject, saving));
	expect(entries.map((e) => e.action)).toEqual(expect.arrayContaining(["job.move", "job.stay"]));
	await world.end(second, { code: 0 });
});

it("retries failed and cancelled jobs as new jobs", async () => {
	const [cancelled, waiting, late] = [
		await world.submit({ name: "again" }),
		await world.submit(),
		await world.submit({ spec: { deadline: new Date(world.nowMs() + 3_600_000).toISOString() } }),
	];
	await act({ action: "cancel", ids: [cancelled, late] });
	world.shiftMs = 2 * 3_600_000;
	const { json } = await act({ action: "retry", ids: [cancelled, waiting, late] });
	world.shiftMs = 0;
	expect(json.items).toMatchObject([
		{ done: true },
		{ done: false, problem: { code: "conflict", fix: "Clone the job to run it again." } },
		{ done: false, problem: { code: "conflict", fix: "Clone the job and set a new deadline." } },
	]);
	const again = await rowOf(json.items[0].newJobId);
	expect(again).toMatchObject({ name: "again", state: "queued", attempts: 0, submittedBy: "account:usr_scientist" });
	expect(again?.spec).toEqual((await rowOf(cancelled))?.spec);
});

it("resumes only jobs that are held for attempts without progress", async () => {
	const [stuck, waiting] = [await world.submit(), await world.submit()];
	await world.database.db
		.update(job)
		.set({ state: "held", reason: reason("no_progress") })
		.where(eq(job.id, stuck));
	expect((await act({ action: "resume", ids: [stuck, waiting] })).json.items).toMatchObject([
		{ done: true },
		{ done: false, problem: { code: "conflict" } },
	]);
});

it("rejects callers without the permission before the input, and wrong input", async () => {
	expect(await act({}, "finance")).toMatchObject({ status: 403 });
	for (const body of [{}, { action: "cancel", ids: [] }, { action: "set_priority", ids: ["job_1"] }, { action: "move", ids: ["job_1"] }])
		expect(await act(body), JSON.stringify(body)).toMatchObject({ status: 400, json: { code: "invalid_input" } });
	expect(await act({ action: "set_priority", ids: ["job_1"], priority: 101 })).toMatchObject({ status: 400 });
});
