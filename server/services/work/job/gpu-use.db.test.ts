import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gpuMinute } from "#server/db/schema/gpu-minute.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { type ServiceContext, systemContext } from "#server/services/core/context.ts";
import { aSpec, seedInstance, seedJob } from "../agent/testing/seed.ts";
import { readJobGpuUse } from "./gpu-use.ts";

const MINUTE = 60_000;
const FROM = Date.UTC(2026, 10, 21, 12);
let database: TestDatabase;
let ctx: ServiceContext;
beforeAll(async () => {
	database = await createTestDatabase();
	ctx = systemContext(database.db, systemClock, "seed");
});
afterAll(() => database.drop());

async function machineOf(jobId: string, rank: number): Promise<{ attemptId: string; instanceId: string }> {
	return seedInstance(database.db, { jobId, number: 1, rank, expiresAtMs: FROM * 2, providerInstanceId: null });
}
const minute = (instanceId: string, at: number, utilisationPermille: number, milliwatts: number | null, gpus = 2) => ({
	...{ instanceId, minute: new Date(FROM + at * MINUTE), gpus, utilisationPermille, milliwatts },
});

describe("how a job used its GPUs", () => {
	it("covers a gang's machines together: 40 % and 80 % are 60 %; an unmeasured minute is missing, and unreported power is not 0", async () => {
		const jobId = await seedJob(database.db, aSpec());
		const [first, second] = [await machineOf(jobId, 0), await machineOf(jobId, 1)];
		await database.db
			.insert(gpuMinute)
			.values([
				minute(first.instanceId, 0, 400, 550_500),
				minute(second.instanceId, 0, 800, 449_500),
				minute(first.instanceId, 2, 1_000, 700_000),
				minute(second.instanceId, 2, 15, null),
			]);
		const stretches = [
			{ atMs: FROM, utilisationPercent: 60, powerWatts: 1_000 },
			{ atMs: FROM + 2 * MINUTE, utilisationPercent: 50.75, powerWatts: null },
		];
		expect(await readJobGpuUse(ctx, jobId)).toEqual({
			stepMs: MINUTE,
			attempts: [{ attemptId: first.attemptId, measuredMinutes: 4, stretches }],
		});
	});

	it("splits 8 hours of one machine into intervals of 2 minutes: 0 % and 50 % are 25 %, 100 W and 300 W are 200 W", async () => {
		const jobId = await seedJob(database.db, aSpec());
		const { instanceId } = await machineOf(jobId, 0);
		const minutes = Array.from({ length: 480 }, (_, i) => minute(instanceId, i, i % 2 === 0 ? 0 : 500, i % 2 === 0 ? 100_000 : 300_000));
		await database.db.insert(gpuMinute).values(minutes);
		const { stepMs, attempts } = await readJobGpuUse(ctx, jobId);
		expect(stepMs).toBe(2 * MINUTE);
		expect(attempts[0]?.stretches).toHaveLength(240);
		expect(attempts[0]?.stretches.every((s) => s.utilisationPercent === 25 && s.powerWatts === 200)).toBe(true);
		expect(attempts[0]?.measuredMinutes).toBe(480);
	});

	it("is empty for a job on machines without measurements", async () => {
		const jobId = await seedJob(database.db, aSpec());
		await machineOf(jobId, 0);
		expect(await readJobGpuUse(ctx, jobId)).toEqual({ stepMs: MINUTE, attempts: [] });
		await expect(readJobGpuUse(ctx, "job_none")).rejects.toMatchObject({ code: "not_found" });
	});
});
