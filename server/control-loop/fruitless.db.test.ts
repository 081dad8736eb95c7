import { afterEach, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { systemContext } from "#server/services/core/context.ts";
import { resumeJob } from "#server/services/work/job/resume.ts";
import { World } from "./testing/world.ts";

let world: World | null = null;
afterEach(() => world?.database.drop());

it("holds a job after two attempts without a checkpoint, shows the lost cost, and continues when a person resumes it", async () => {
	const w = await World.open({ slots: 0, rules: ["{ id: short, limit: { instanceHours: 0.1 } }"], tickMs: 60_000, runMs: HOUR_MS });
	world = w;
	const [jobId = ""] = await w.submit({ name: "long" });
	const ctx = systemContext(w.database.db, w.clock);
	await expect(resumeJob(ctx, jobId)).rejects.toThrow("not held");
	const held = async () => (await w.jobs())[0]?.state === "held";
	await w.until(held, 120);
	expect((await w.attempts()).map((a) => a.reason?.code)).toEqual(["instance_expired", "instance_expired"]);
	const { reason } = (await w.jobs())[0] ?? {};
	expect(reason).toMatchObject({ code: "no_progress", facts: { attempts: 2 } });
	expect(Number(reason?.facts["lostMs"])).toBeGreaterThan(8 * 60_000);
	expect(Number(reason?.facts["lostMicroUsd"])).toBeGreaterThan(0);
	for (let i = 0; i < 5; i++) await w.tick();
	expect(await held()).toBe(true);

	await resumeJob(ctx, jobId);
	await w.until(async () => (await w.attempts()).length === 3, 10);
	await w.until(async () => (await w.attempts()).length === 4, 60);
	await w.until(held, 60);
});
