import { asc } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { adoption } from "#server/db/schema/adoption.ts";
import { foreignJob } from "#server/db/schema/foreign-job.ts";
import { sampled } from "#server/kernel/testing/deep.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { systemContext } from "#server/services/core/context.ts";
import { advanceAdoption } from "#server/services/work/adoption/advance.ts";
import { cancelJob } from "#server/services/work/job/cancel.ts";
import { getJob } from "#server/services/work/job/get.ts";
import { PROBE_STEPS, type ProbeStep } from "./context.ts";
import { World, type WorldOptions } from "./testing/world.ts";

/** The steps of an adoption. Other tests cover a planned return. */
const STEPS = PROBE_STEPS.filter((step) => (step.startsWith("adopt:") && step !== "adopt:return_planned") || step.startsWith("launch:"));
/** Reached only when the job goes back to its own cluster. */
const RETURN_STEPS = new Set<ProbeStep>(["adopt:return_intended", "adopt:checkpoint_home", "adopt:release_answered", "adopt:released"]);
const opened: World[] = [];
afterEach(async () => {
	for (const world of opened.splice(0)) await world.database.drop();
});

const ADOPT = "{ id: adopt, adopt: { team: research, partitions: ['g*'] } }";

async function open(options: Partial<WorldOptions> = {}): Promise<World> {
	const world = await World.open({ slots: 1, hasQueue: true, rules: [ADOPT], runMs: 10_000, ...options });
	opened.push(world);
	return world;
}

/** A job that occupies home for long, and a job behind it that may leave. */
function fill(w: World, blockerMs: number | null = 600_000): { blocker: string; theirs: string } {
	const blocker = w.cluster.theirs.submit({ gpus: 1, runMs: blockerMs, timeLimitMs: 600_000 });
	const theirs = w.cluster.theirs.submit({ gpus: 1, runMs: 10_000, timeLimitMs: 60_000, optIn: "spillway" });
	return { blocker, theirs };
}

const adoptions = (w: World) => w.database.db.select().from(adoption).orderBy(asc(adoption.id));
const reach = (w: World, state: string) => w.until(async () => (await adoptions(w)).at(-1)?.state === state, 120);
const home = (w: World, id: string) => w.cluster.theirs.entry(id);
/** Cloud runs that finished on their own. */
const cloudEnds = async (w: World) => (await w.attempts()).filter((a) => a.state === "succeeded" || a.state === "failed").length;
const homeRuns = (w: World, id: string) => home(w, id)?.job.startedAtMs ?? null;

describe("a job of the cluster's own queue", () => {
	it("is held, runs in the cloud, and finishes at home with the same outcome", async () => {
		const w = await open();
		const { theirs } = fill(w);
		await reach(w, "finished");
		expect(home(w, theirs)?.finished).toMatchObject({ outcome: "succeeded", exitCode: 0 });
		expect(homeRuns(w, theirs)).toBeNull();
		expect((await w.attempts()).map((a) => [a.siteId, a.state])).toEqual([["aws", "succeeded"]]);
		const [row] = await adoptions(w);
		expect(row).toMatchObject({
			ruleId: "adopt",
			foreignId: theirs,
			output: { files: [`/home/alice/slurm-${theirs}.out`], problem: null },
		});
		// The job's page shows everything, including the translated script.
		const { adoption: told, imported } = await getJob(systemContext(w.database.db, w.clock, "seed"), row?.jobId ?? "");
		expect(told).toMatchObject({
			...{ siteId: "home", foreignId: theirs, user: "alice", ruleId: "adopt", state: "finished", why: null, problem: null },
			...{ heldAt: row?.heldAt?.toISOString(), outcome: { outcome: "succeeded", exitCode: 0 }, output: row?.output },
		});
		expect(imported).toMatchObject({ kind: "sbatch", isAsRead: true, leftOut: 0 });
		expect(imported?.findings.length).toBeGreaterThan(0);
	});

	it.each([
		["did not opt in", { optIn: null }],
		["has an obstacle", { optIn: "spillway", obstacles: ["It is an array."] }],
		["has a script with a heterogeneous job", { optIn: "spillway", script: "#!/bin/bash\n#SBATCH hetjob\ntrain\n" }],
	])("is left alone when it %s, with the reason", async (_, given) => {
		const w = await open();
		fill(w).blocker;
		w.cluster.theirs.act("2", "cancel");
		const id = w.cluster.theirs.submit({ gpus: 1, runMs: 10_000, ...given });
		for (let i = 0; i < 5; i++) await w.tick();
		expect((await adoptions(w)).filter((a) => a.foreignId === id)).toEqual([]);
		const [row] = (await w.database.db.select().from(foreignJob)).filter((f) => f.id === id);
		expect((row?.notAdopted?.why ?? []).length > 0).toBe(given.optIn !== null);
	});

	it("stays at home when home starts it first", async () => {
		const w = await open({ rules: [ADOPT, `{ id: not-yet, when: 'job.name == "sbatch"', deny: { sites: [cloud] } }`] });
		const { blocker, theirs } = fill(w);
		await reach(w, "offered");
		w.cluster.theirs.act(blocker, "cancel");
		await reach(w, "released");
		await w.until(async () => home(w, theirs)?.end?.outcome === "succeeded");
		expect(await w.attempts()).toEqual([]);
		expect((await w.jobs()).map((j) => [j.state, j.reason.code, j.reason.facts.why])).toEqual([
			["cancelled", "adoption_ended", "home_started"],
		]);
	});

	it("stays at home when home starts it before it could be held", async () => {
		const w = await open();
		const { blocker, theirs } = fill(w);
		w.cluster.calls.fail("hold", "transient", { times: 3 });
		await reach(w, "holding");
		w.cluster.theirs.act(blocker, "cancel");
		await reach(w, "released");
		await w.until(async () => home(w, theirs)?.end?.outcome === "succeeded");
		expect(await w.attempts()).toEqual([]);
	});

	it("returns when home has room before the cloud has", async () => {
		const w = await open();
		const { blocker, theirs } = fill(w);
		w.cloud.calls.fail("launch", "insufficient_capacity", { times: 50 });
		await reach(w, "held");
		w.cluster.theirs.act(blocker, "cancel");
		await reach(w, "released");
		await w.until(async () => home(w, theirs)?.end?.outcome === "succeeded");
		expect(await cloudEnds(w)).toBe(0);
	});

	it("counts as returned when it ended at home before the answer to its release was recorded", async () => {
		const w = await open();
		const blocker = w.cluster.theirs.submit({ gpus: 1, runMs: 600_000, timeLimitMs: 600_000 });
		const theirs = w.cluster.theirs.submit({ gpus: 1, runMs: 1, timeLimitMs: 60_000, optIn: "spillway" });
		w.cloud.calls.fail("launch", "insufficient_capacity", { times: 50 });
		await reach(w, "held");
		w.killAt = { step: "adopt:release_answered", pass: 1 };
		w.cluster.theirs.act(blocker, "cancel");
		await w.until(async () => (await adoptions(w)).every((a) => a.endedAt !== null));
		expect(w.deaths).toBe(1);
		expect(home(w, theirs)?.end?.outcome).toBe("succeeded");
		expect(await adoptions(w)).toMatchObject([{ state: "released", why: "home_frees" }]);
	});

	it("stays adopted when stale snapshots show room at home only for a moment", async () => {
		const w = await open({ rules: [ADOPT], runMs: 10_000 });
		const { blocker, theirs } = fill(w);
		w.cloud.calls.fail("launch", "insufficient_capacity", { times: 50 });
		await reach(w, "held");
		w.cluster.theirs.act(blocker, "cancel");
		await w.tick();
		// Another job takes it before it was free for long.
		const next = w.cluster.theirs.submit({ gpus: 1, runMs: 600_000, timeLimitMs: 600_000 });
		for (let i = 0; i < 10; i++) await w.tick();
		expect((await adoptions(w)).map(({ state }) => state)).toEqual(["held"]);
		w.cluster.theirs.act(next, "cancel");
		await reach(w, "released");
		await w.until(async () => home(w, theirs)?.end?.outcome === "succeeded");
	});

	it("is adopted again a minute after it returned for lack of a machine, then after two, and never once its owner cancelled", async () => {
		const w = await open({ tickMs: 10_000 });
		fill(w, null);
		w.cloud.calls.fail("launch", "insufficient_capacity", { times: 1_000 });
		const returns = async (n: number) =>
			w.until(async () => (await adoptions(w)).filter((a) => a.state === "released" && a.why === "not_launched").length === n, 200);
		await returns(3);
		const rows = await adoptions(w);
		const pausesMs = rows.slice(1).map((row, i) => row.offeredAt.getTime() - (rows[i]?.endedAt?.getTime() ?? Number.NaN));
		expect(pausesMs.map((ms) => Math.floor(ms / MINUTE_MS))).toEqual([1, 2]);
		await reach(w, "offered");
		await cancelJob(systemContext(w.database.db, w.clock, "seed"), (await adoptions(w)).at(-1)?.jobId ?? "");
		const before = (await adoptions(w)).length;
		for (let i = 0; i < 60; i++) await w.tick();
		expect(await adoptions(w)).toHaveLength(before);
	});

	it("is not affected by a stale plan: home gets no cancel that no one requested", async () => {
		const w = await open();
		const { theirs } = fill(w);
		await reach(w, "held");
		const [row] = await adoptions(w);
		const late = { id: row?.id ?? "", jobId: row?.jobId ?? "", from: ["holding"] as const, to: "returning", endsJob: true } as const;
		const nowMs = w.clock.nowMs();
		expect(await w.database.db.transaction((tx) => advanceAdoption(tx, { ...late, why: "home_frees", nowMs }))).toBe(false);
		await reach(w, "finished");
		expect(home(w, theirs)?.finished).toMatchObject({ outcome: "succeeded", exitCode: 0 });
	});

	it.each(sampled(STEPS, 3))("runs to completion once, and is reported at home, when the scheduler dies at %s", async (step: ProbeStep) => {
		const w = await open();
		w.killAt = { step, pass: 1 };
		const { blocker, theirs } = fill(w);
		if (RETURN_STEPS.has(step)) {
			w.cloud.calls.fail("launch", "insufficient_capacity", { times: 50 });
			await reach(w, "held");
			w.cluster.theirs.act(blocker, "cancel");
		}
		await w.until(
			async () => home(w, theirs)?.end !== null && (await adoptions(w)).every((a) => a.endedAt !== null) && (await w.quiet()),
			300,
		);
		expect(w.deaths).toBe(1);
		const ranAtHome = homeRuns(w, theirs) !== null;
		expect(await cloudEnds(w)).toBe(ranAtHome ? 0 : 1);
		expect(home(w, theirs)?.finished?.outcome ?? "at home").toBe(ranAtHome ? "at home" : "succeeded");
	});
});

describe("a job with a checkpoint folder named by its owner", () => {
	const GO_HOME = "{ id: go-home, move: { to: [home], savingUsd: 0.01 } }";

	/** Home is occupied for 20 minutes by other jobs; the adopted one, of 50 minutes, leaves and saves a checkpoint every 15 minutes. */
	async function openLeaving(checkpoints: string | undefined = "ckpt", { rules = [ADOPT, GO_HOME] } = {}) {
		const options = { rules, tickMs: MINUTE_MS, runMs: 50 * MINUTE_MS };
		const w = await open({ ...options, checkpointRoot: "/nonexistent/spillway-adoption" });
		w.cluster.theirs.submit({ gpus: 1, runMs: 20 * MINUTE_MS, timeLimitMs: 2 * HOUR_MS });
		const given = { gpus: 1, runMs: 50 * MINUTE_MS, timeLimitMs: 2 * HOUR_MS, optIn: "spillway" };
		return { w, theirs: w.cluster.theirs.submit({ ...given, ...(checkpoints ? { checkpoints } : {}) }) };
	}

	async function returnedHomeOnce(w: World, theirs: string): Promise<void> {
		const [job, ...others] = await w.jobs();
		expect(others).toEqual([]);
		expect([job?.spec.checkpoint?.path, job?.state, job?.reason.facts.why]).toEqual(["ckpt", "cancelled", "home_frees"]);
		expect((await w.attempts()).map((a) => [a.siteId, a.state])).toEqual([["aws", "evicted"]]);
		const [row, ...more] = await adoptions(w);
		expect(more).toEqual([]);
		expect(row).toMatchObject({ state: "released", why: "home_frees", output: { files: ["/home/alice/ckpt"], problem: null } });
		expect(home(w, theirs)?.checkpointFrom).toContain(job?.id ?? "none");
		expect(homeRuns(w, theirs)).not.toBeNull();
		expect(await cloudEnds(w)).toBe(0);
	}

	it("stops in the cloud at a checkpoint when home has room, continues at home from it, and is not adopted again", async () => {
		const { w, theirs } = await openLeaving();
		await w.until(async () => home(w, theirs)?.end?.outcome === "succeeded", 200);
		await returnedHomeOnce(w, theirs);
		const [cloud] = await w.attempts();
		const [row] = await adoptions(w);
		expect(cloud?.stopRequestedAt?.getTime()).toBeGreaterThanOrEqual(row?.returnAt?.getTime() ?? Number.NaN);
		// Home got it only after its cloud run had stopped.
		expect(homeRuns(w, theirs)).toBeGreaterThanOrEqual(cloud?.finishedAt?.getTime() ?? Number.NaN);
	});

	it("has its folder's files at home after it completed in the cloud, next to its output", async () => {
		const { w, theirs } = await openLeaving("ckpt", { rules: [ADOPT] });
		await reach(w, "finished");
		const [row] = await adoptions(w);
		expect(row?.output).toEqual({ files: [`/home/alice/slurm-${theirs}.out`, "/home/alice/ckpt"], problem: null });
		expect(home(w, theirs)?.checkpointFrom).toContain(row?.jobId ?? "none");
		expect(home(w, theirs)?.finished?.outcome).toBe("succeeded");
	});

	it("finishes at home with the reason when its files cannot be copied there", async () => {
		const { w, theirs } = await openLeaving("ckpt", { rules: [ADOPT] });
		w.cluster.theirs.refuseFiles("the disk is full");
		await reach(w, "finished");
		const [row] = await adoptions(w);
		expect(row?.output).toEqual({ files: [`/home/alice/slurm-${theirs}.out`], problem: "the disk is full" });
	});

	it("stays in the cloud to completion when its owner named no folder", async () => {
		const { w, theirs } = await openLeaving("");
		await w.until(async () => home(w, theirs)?.end !== null, 200);
		expect(home(w, theirs)?.finished?.outcome).toBe("succeeded");
		expect(homeRuns(w, theirs)).toBeNull();
	});

	it("runs at home from the beginning when its checkpoint cannot be written there, with the reason", async () => {
		const { w, theirs } = await openLeaving();
		w.cluster.theirs.refuseFiles("the disk is full");
		await w.until(async () => home(w, theirs)?.end?.outcome === "succeeded", 200);
		const [row] = await adoptions(w);
		expect(row).toMatchObject({ state: "released", output: { files: [], problem: "the disk is full" } });
	});

	it.each(sampled(["adopt:return_planned", ...RETURN_STEPS] as const, 2))(
		"returns home once, with its checkpoint, when the scheduler dies at %s",
		async (step) => {
			const { w, theirs } = await openLeaving();
			w.killAt = { step, pass: 1 };
			await w.until(async () => home(w, theirs)?.end?.outcome === "succeeded" && (await w.quiet()), 200);
			expect(w.deaths).toBe(1);
			await returnedHomeOnce(w, theirs);
		},
	);
});

describe("another user acts on an adopted job", () => {
	/** Their command, the state at that time, and the outcome for the adoption, its Spillway job and the job at home. */
	it.each([
		["cancel", "offered", "abandoned"],
		["cancel", "holding", "abandoned"],
		["cancel", "held", "abandoned"],
		["hold", "offered", "released"],
		["hold", "holding", "released"],
		["release", "held", "released"],
		["forget", "held", "abandoned"],
		["requeue", "held", "finished"],
	] as const)("%s at home while it is %s: it is %s", async (what, state, ends) => {
		const w = await open({ runMs: 30_000 });
		const { theirs } = fill(w);
		if (state === "holding") w.cluster.calls.fail("hold", "transient", { times: 3 });
		await reach(w, state);
		if (state === "held") await w.until(async () => (await w.attempts()).some((a) => a.state === "running"));
		w.cluster.theirs.act(theirs, what);
		await w.until(async () => (await adoptions(w)).every((a) => a.endedAt !== null) && (await w.quiet()));
		expect((await adoptions(w))[0]?.state).toBe(ends);
		const [job] = await w.jobs();
		expect(job?.state).toBe(ends === "finished" ? "succeeded" : "cancelled");
		expect(await cloudEnds(w)).toBe(ends === "finished" ? 1 : 0);
		expect(homeRuns(w, theirs)).toBeNull();
	});

	it("is cancelled at home too when cancelled in Spillway, once it is held", async () => {
		const w = await open({ runMs: 60_000 });
		const { theirs } = fill(w);
		await w.until(async () => (await w.attempts()).some((a) => a.state === "running"));
		const [job] = await w.jobs();
		await cancelJob(systemContext(w.database.db, w.clock, "seed"), job?.id ?? "");
		await reach(w, "finished");
		expect(home(w, theirs)?.finished?.outcome).toBe("cancelled");
	});

	it("is left to its cluster when cancelled in Spillway before that", async () => {
		const w = await open();
		const { theirs } = fill(w);
		await reach(w, "offered");
		const [job] = await w.jobs();
		await cancelJob(systemContext(w.database.db, w.clock, "seed"), job?.id ?? "");
		await reach(w, "released");
		expect(home(w, theirs)?.end).toBeNull();
		expect(home(w, theirs)?.job.holdMark).toBeNull();
	});
});
