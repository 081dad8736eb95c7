import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { World } from "#server/control-loop/testing/world.ts";
import { adoption } from "#server/db/schema/adoption.ts";
import { job } from "#server/db/schema/job.ts";
import { reason } from "#server/domain/reasons.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { makeRunTimeOf } from "#server/scheduling/run-time.ts";
import { loadSnapshot, SnapshotCache } from "#server/services/decision/snapshot/load.ts";

const HOURS = { "account:ann": 10, "account:ben": 1, "account:cem": 1, "system:control_loop": 5 };

describe("run times of a user's past jobs", () => {
	let world: World;
	beforeAll(async () => {
		world = await World.open({ slots: 4 });
		await world.submit({ name: "train-99", estimate: "2h", max: "99h" });
		const { db } = world.database;
		const [waiting] = await world.jobs();
		if (!waiting) throw new Error("no job waits");
		const finishedAt = new Date(world.clock.nowMs());
		world.clock.advance(MINUTE_MS);
		// Twenty runs each; those of the control loop were adopted from dan's queue at home.
		const runs = Object.entries(HOURS).flatMap(([submittedBy, hours]) =>
			Array.from({ length: 20 }, (_, i) => ({
				...{ ...waiting, submittedBy, finishedAt, reason: reason("completed", {}), state: "succeeded" as const },
				...{ id: `job_${submittedBy}_${i}`, name: `train-${i}`, startedAt: new Date(finishedAt.getTime() - hours * HOUR_MS - i) },
			})),
		);
		await db.insert(job).values(runs);
		const facts = {
			...{ id: "7", poolId: "home", name: "train", user: "dan", account: "risk", position: 0, nodes: 1, gpusPerNode: 1 },
		} as unknown as (typeof adoption.$inferInsert)["facts"];
		const taken = runs.filter((run) => run.submittedBy.startsWith("system:"));
		await db.insert(adoption).values(
			taken.map(({ id }, i) => ({
				...{
					id: `adp_${i}`,
					siteId: "home",
					foreignId: `${i}`,
					jobId: id,
					state: "released" as const,
					facts,
					ruleId: "r",
					policyVersion: 1,
				},
				...{ script: "", offeredAt: finishedAt, endedAt: finishedAt },
			})),
		);
	});
	afterAll(() => world.database.drop());

	it.each([
		["account:ann", 10],
		["account:ben", 1],
	])("predict %s's next run from the twenty before: %d h", async (submittedBy, hours) => {
		await world.database.db.update(job).set({ submittedBy }).where(eq(job.state, "queued"));
		const { snapshot } = await loadSnapshot(world.ctx, new SnapshotCache());
		const [waiting] = snapshot.pending;
		if (!waiting) throw new Error("no job waits");
		expect(waiting.spec.user).toBe(submittedBy);
		expect(makeRunTimeOf(snapshot.durations)(waiting.spec).p50Ms / HOUR_MS).toBeCloseTo(hours, 1);
	});

	it("attribute an adopted job to its user at the site, and a job without a user to no one", async () => {
		await world.database.db.update(job).set({ submittedBy: "system:seed" }).where(eq(job.state, "queued"));
		const { snapshot } = await loadSnapshot(world.ctx, new SnapshotCache());
		expect(snapshot.pending[0]?.spec.user).toBeUndefined();
		const ofUsers = snapshot.durations.filter((stat) => stat.namePattern === "*" && stat.gpus === undefined && stat.user !== undefined);
		expect(ofUsers.map(({ user, samples }) => [user, samples]).toSorted()).toEqual([
			["account:ann", 20],
			["account:ben", 20],
			["account:cem", 20],
			["site:home:dan", 20],
		]);
	});
});
