import { afterEach, describe, expect, it, vi } from "vitest";
import { defined } from "#server/kernel/assert.ts";
import { systemContext } from "#server/services/core/context.ts";
import { cancelJob } from "#server/services/work/job/cancel.ts";
import { World } from "./testing/world.ts";

let world: World | null = null;
afterEach(async () => {
	vi.restoreAllMocks();
	await world?.database.drop();
	world = null;
});

async function open(): Promise<World> {
	world = await World.open({ slots: 1, runMs: 600_000 });
	return world;
}

const attemptAtHome = async (w: World) => defined((await w.attempts())[0], "its attempt");
const home = (w: World) => defined(w.ctx.clusters.get("home"), "the site");
const cloud = (w: World) => defined(w.ctx.clouds.get("aws"), "the cloud");
const ticks = async (w: World, count: number) => {
	for (let i = 0; i < count; i++) await w.tick();
};

/** The site's answers omit every attempt while `hides()`. */
function hideAttempts(w: World, hides: () => boolean): void {
	const driver = home(w);
	const observe = driver.observe.bind(driver);
	vi.spyOn(driver, "observe").mockImplementation(async () => {
		const seen = await observe();
		return hides() ? { ...seen, attempts: [] } : seen;
	});
}

describe("an attempt missing from its site's answers", () => {
	it("is not lost after two of them: it still runs there, and its job is started nowhere else", async () => {
		const w = await open();
		await w.submit({ name: "home-1", estimate: "2m" });
		await w.until(async () => (await w.attempts())[0]?.state === "running");
		let answers = 0;
		hideAttempts(w, () => answers++ < 2);
		// The time between them does not matter: a scheduler that was unavailable in between has observed nothing more.
		await w.tick();
		w.clock.advance(w.ctx.timing.siteAbsentMs);
		await w.tick();
		expect(await attemptAtHome(w)).toMatchObject({ state: "running", reason: null });
		await w.until(() => w.quiet());
		expect(await w.attempts()).toMatchObject([{ number: 1, state: "succeeded" }]);
	});

	it("is not lost after many of them within a short time, and starts again when one shows it", async () => {
		const w = await open();
		await w.submit({ name: "home-1", estimate: "5m" });
		await w.until(async () => (await w.attempts())[0]?.state === "running");
		const beats = w.ctx.timing.siteAbsentMs / 1_000;
		let answers = 0;
		hideAttempts(w, () => answers++ % beats !== beats - 1);
		await ticks(w, 2 * beats);
		expect(await attemptAtHome(w)).toMatchObject({ state: "running" });
	});

	it("is lost when it is missing from all of them for `siteAbsentMs`, and its job is queued again", async () => {
		const w = await open();
		await w.submit({ name: "home-1", estimate: "5m" });
		await w.until(async () => (await w.attempts())[0]?.state === "running");
		const fromMs = w.clock.nowMs();
		hideAttempts(w, () => true);
		await w.until(async () => (await attemptAtHome(w)).finishedAt !== null);
		expect(await attemptAtHome(w)).toMatchObject({ state: "lost", reason: { code: "site_lost" } });
		expect(w.clock.nowMs() - fromMs).toBe(w.ctx.timing.siteAbsentMs + 1_000);
	});
});

describe("an attempt stopped before its hand-over is recorded", () => {
	/** The site has the job, the calling process died before recording it, and responses lag behind. */
	async function startedUnnoted(w: World, lagMs: number): Promise<string> {
		const shownFromMs = w.clock.nowMs() + lagMs;
		w.killAt = { step: "home:handed_over", pass: 1 };
		const [jobId] = await w.submit({ name: "home-1", estimate: "10m" });
		await w.until(async () => w.deaths === 1);
		hideAttempts(w, () => w.clock.nowMs() < shownFromMs);
		await cancelJob(systemContext(w.database.db, w.clock, "seed"), defined(jobId, "the job"));
		return (await attemptAtHome(w)).id;
	}

	it("ends when the site has ended it, though the first answers omitted it", async () => {
		const w = await open();
		const id = await startedUnnoted(w, 10_000);
		await w.tick();
		expect(await attemptAtHome(w)).toMatchObject({ state: "stopping", handedOverAt: null });
		await w.until(() => w.quiet());
		expect(await w.attempts()).toMatchObject([{ state: "cancelled", reason: { code: "cancelled_by_person" } }]);
		expect(w.cluster.calls.recorded.filter((c) => c.method === "stop")).toHaveLength(1);
		expect((await home(w).observe()).attempts.map((a) => a.attemptId)).not.toContain(id);
	});

	it("ends after `siteAbsentMs` of answers without it, and is stopped if one shows it later", async () => {
		const w = await open();
		const id = await startedUnnoted(w, 60_000);
		const fromMs = w.clock.nowMs();
		await w.until(async () => (await attemptAtHome(w)).finishedAt !== null);
		expect(w.clock.nowMs() - fromMs).toBe(w.ctx.timing.siteAbsentMs + 1_000);
		await ticks(w, 60);
		expect((await home(w).observe()).attempts.map((a) => a.attemptId)).not.toContain(id);
	});
});

describe("a machine missing from the provider's answers", () => {
	/** One burst job, with a full home, on a machine with an agent that has reported. */
	async function burst(w: World) {
		await w.submit({ name: "home-1", estimate: "10m" }, { name: "burst-1" });
		await w.until(async () => (await w.instances())[0]?.readyAt != null);
		await w.tick();
		return defined((await w.instances())[0], "its row");
	}

	it("does not count as terminated after the first of them, even when it was last observed hours ago", async () => {
		const w = await open();
		const { id } = await burst(w);
		// The provider gets no call and the agent gets no command.
		w.silenced.add(id);
		w.clock.advance(10 * w.ctx.timing.vanishMs);
		let answers = 0;
		const describeMachines = cloud(w).describe.bind(cloud(w));
		vi.spyOn(cloud(w), "describe").mockImplementation(async (...asked) => (answers++ < 5 ? [] : describeMachines(...asked)));
		await ticks(w, 5);
		expect(answers).toBe(5);
		expect((await w.instances())[0]).toMatchObject({ state: "ready", missingSince: expect.any(Date) });
		w.silenced.delete(id);
		await w.tick();
		expect((await w.instances())[0]).toMatchObject({ state: "ready", missingSince: null });
		expect((await w.attempts()).filter((a) => a.siteId === "aws")).toMatchObject([{ state: "running" }]);
	});

	it("counts as terminated once a restarted scheduler has seen enough answers without it", async () => {
		const w = await open();
		const { id, providerInstanceId } = await burst(w);
		w.silenced.add(id);
		w.cloud.vanish(defined(providerInstanceId, "its id"));
		await ticks(w, 15);
		w.killAt = { step: "terminate:seen", pass: 1 };
		await w.until(async () => w.deaths === 1);
		const diedMs = w.clock.nowMs();
		await w.until(async () => (await w.instances())[0]?.state === "terminated");
		// The time since it is missing is stored, so only three answers are needed.
		expect(w.clock.nowMs() - diedMs).toBe(3_000);
	});
});

describe("an unwanted launch without an answer", () => {
	it("is not given up after the first answer without its machine, even if the call was long ago", async () => {
		const w = await open();
		w.cloud.launches.next({ kind: "lose_answer" });
		w.cloud.calls.fail("launch", "transient", { times: 1_000 });
		const [, jobId] = await w.submit({ name: "home-1", estimate: "10m" }, { name: "burst-1" });
		await w.until(async () => (await w.instances())[0]?.lastCallAt != null);
		await cancelJob(systemContext(w.database.db, w.clock, "seed"), defined(jobId, "the job"));
		w.clock.advance(10 * w.ctx.timing.launchForgetMs);
		await ticks(w, 5);
		expect((await w.instances())[0]?.state).not.toBe("terminated");
		const firstMs = defined((await w.instances())[0]?.missingSince, "the first answer").getTime();
		await w.until(async () => (await w.instances())[0]?.state === "terminated");
		expect(w.clock.nowMs() - firstMs).toBe(w.ctx.timing.launchForgetMs);
	});
});
