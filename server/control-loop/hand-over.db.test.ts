import { afterEach, expect, it } from "vitest";
import { clusterNode } from "#server/db/schema/cluster-node.ts";
import { defined } from "#server/kernel/assert.ts";
import { defaultFakeJob } from "#server/providers/fake/fake-job.ts";
import { systemContext } from "#server/services/core/context.ts";
import { getJob } from "#server/services/work/job/get.ts";
import { World } from "./testing/world.ts";

let world: World | null = null;
afterEach(() => world?.database.drop());

it.each(["transient", "throttled", "unauthorized"] as const)(
	"repeats the hand-over of an attempt when the site answered %s",
	async (kind) => {
		const w = await World.open({ slots: 1 });
		world = w;
		w.cluster.calls.fail("start", kind, { times: 2 });
		await w.submit({ name: "a" });
		await w.until(() => w.quiet());
		expect(w.cluster.calls.recorded.filter((c) => c.method === "start").map((c) => c.outcome)).toEqual([kind, kind, "ok"]);
		expect((await w.attempts()).map((a) => [a.state, a.reason?.code])).toEqual([["succeeded", "completed"]]);
	},
);

it("fails an attempt that the site will never accept, with the site's message", async () => {
	const w = await World.open({ slots: 1 });
	world = w;
	w.cluster.calls.fail("start", "invalid_request");
	await w.submit({ name: "a" });
	await w.until(() => w.quiet());
	expect((await w.attempts()).map((a) => [a.state, a.reason])).toMatchObject([
		["failed", { code: "command_not_started", facts: { message: "scripted: start fails with invalid_request" } }],
	]);
});

const REFUSALS = [
	["insufficient_capacity", "launch_refused_capacity"],
	["quota_exceeded", "launch_refused_quota"],
] as const;

it.each(REFUSALS)("requeues a job when the site has no room or share for it (%s), and avoids that pool", async (kind, code) => {
	const w = await World.open({ slots: 1, rules: [`{ id: stay, when: 'job.name == "a"', deny: { sites: [cloud] } }`] });
	world = w;
	w.cluster.calls.fail("start", kind);
	await w.submit({ name: "a" });
	await w.until(async () => (await w.attempts()).some((a) => a.state === "evicted"));
	for (let i = 0; i < 3; i++) await w.tick();
	expect((await w.attempts()).map((a) => [a.state, a.reason?.code])).toEqual([["evicted", code]]);
	expect((await w.jobs()).map((j) => j.state)).toEqual(["queued"]);
	await w.until(() => w.quiet());
	expect((await w.attempts()).map((a) => a.state)).toEqual(["evicted", "succeeded"]);
});

it("treats a release by the cluster for lack of room as a refusal: the job is requeued, and that pool is avoided", async () => {
	const w = await World.open({ slots: 1, rules: [`{ id: stay, when: 'job.name == "a"', deny: { sites: [cloud] } }`] });
	world = w;
	const driver = defined(w.ctx.clusters.get("home"), "the site");
	const observe = driver.observe.bind(driver);
	let isGiven = false;
	driver.observe = async () => {
		const seen = await observe();
		if (isGiven || seen.attempts.length === 0) return seen;
		isGiven = true;
		const noRoom = "no node available for pod sw-a within 900 s";
		return { ...seen, attempts: seen.attempts.map((a) => ({ ...a, phase: "lost" as const, startedAtMs: null, exit: null, noRoom })) };
	};
	await w.submit({ name: "a" });
	await w.until(async () => (await w.attempts()).some((a) => a.finishedAt !== null));
	expect(await w.attempts()).toMatchObject([
		{ state: "evicted", reason: { code: "launch_refused_capacity", facts: { message: "no node available for pod sw-a within 900 s" } } },
	]);
	expect((await w.jobs()).map((j) => j.state)).toEqual(["queued"]);
	await w.until(() => w.quiet());
	expect((await w.attempts()).map((a) => a.state)).toEqual(["evicted", "succeeded"]);
});

it("lets such a job burst meanwhile, if a rule allows it", async () => {
	const w = await World.open({ slots: 1 });
	world = w;
	w.cluster.calls.fail("start", "quota_exceeded");
	await w.submit({ name: "a" });
	await w.until(() => w.quiet());
	expect((await w.attempts()).map((a) => [a.siteId, a.state])).toEqual([
		["home", "evicted"],
		["aws", "succeeded"],
	]);
});

it("records why the cluster keeps an attempt pending for as long as it does, and the state of its nodes", async () => {
	const waitsFor = { reason: "QOSMaxGRESPerUser", detail: "" };
	const w = await World.open({ slots: 2, jobOf: (request) => ({ ...defaultFakeJob(request), stageMs: 20_000, waitsFor }) });
	world = w;
	const { db } = w.database;
	const [jobId] = await w.submit({ name: "a" });
	const clusterWait = async () => (await getJob(systemContext(db, w.clock, "seed"), defined(jobId, "job"))).attemptList.at(-1)?.clusterWait;
	await w.until(async () => (await clusterWait()) !== null && (await clusterWait()) !== undefined);
	expect(await clusterWait()).toEqual({
		...waitsFor,
		message: "Waiting in the cluster: it would exceed the limit of its quality of service (QOS) on GPUs per user (QOSMaxGRESPerUser).",
	});
	await w.until(async () => (await w.attempts())[0]?.state === "running");
	expect((await w.attempts())[0]?.clusterWait).toBeNull();
	expect(await clusterWait()).toBeNull();
	await w.until(async () => (await db.select().from(clusterNode))[0]?.gpusUsed === 1);
	expect(await db.select().from(clusterNode)).toEqual([
		{ siteId: "home", name: "home-1", poolId: "home", state: "ready", reason: null, gpus: 2, gpusUsed: 1 },
	]);
	await w.until(() => w.quiet());
	await w.until(async () => (await db.select().from(clusterNode))[0]?.gpusUsed === 0);
});
