import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attempt } from "#server/db/schema/attempt.ts";
import { gpuMinute } from "#server/db/schema/gpu-minute.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import type { Policy } from "#server/domain/policy.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { aSpec, seedInstance, seedJob } from "#server/services/work/agent/testing/seed.ts";
import { type GpuUse, readGpuUse } from "./gpu-use.ts";

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 10, 21, 12);
let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

function policyOf(limit: string): Policy {
	const text = `apiVersion: spillway/v1\nkind: Policy\nmetadata: { name: default }\nspec: { rules: [{ id: l, limit: { ${limit} } }] }\n`;
	const { policy } = parsePolicy(text, { measures: ["idle", "gpu_utilisation"] });
	if (!policy) throw new Error("the policy of the test cannot be read");
	return policy;
}

/** An attempt that has run for an hour, with the GPU usage of its last minutes, oldest first; null for not reported. */
async function running(minutes: readonly (number | null)[]): Promise<string> {
	const jobId = await seedJob(database.db, aSpec());
	const { attemptId, instanceId } = await seedInstance(database.db, { jobId, number: 1, expiresAtMs: NOW * 2, providerInstanceId: null });
	await database.db
		.update(attempt)
		.set({ state: "running", startedAt: new Date(NOW - 60 * MINUTE) })
		.where(eq(attempt.id, attemptId));
	const rows = minutes.flatMap((permille, i) =>
		permille === null
			? []
			: [{ instanceId, minute: new Date(NOW - (minutes.length - i) * MINUTE), gpus: 2, utilisationPermille: permille, milliwatts: null }],
	);
	if (rows.length > 0) await database.db.insert(gpuMinute).values(rows);
	return attemptId;
}

const useOf = (policy: Policy): Promise<ReadonlyMap<string, GpuUse>> => database.db.transaction((tx) => readGpuUse(tx, policy, NOW));

describe("GPU use, as input of the core", () => {
	it("is the mean over the rule's window: 10 minutes of 0 % and 10 of 40 % within 20 minutes are 20 %", async () => {
		const id = await running([...Array<number>(30).fill(1_000), ...Array<number>(12).fill(0), ...Array<number>(10).fill(400)]);
		const use = (await useOf(policyOf("gpuUtilisationBelow: { percent: 5, for: 20m }"))).get(id);
		// 12 of the idle minutes are within 20 minutes plus the two minutes in which the last one may still be reported.
		expect(use?.gpuUtilisation?.percent).toBeCloseTo((10 * 40) / 22, 6);
		expect(use?.gpuUtilisation?.overMs).toBe(20 * MINUTE);
	});

	it("includes how long it was measured: 5 minutes are not enough for 20", async () => {
		const id = await running(Array<number>(5).fill(10));
		expect((await useOf(policyOf("gpuUtilisationBelow: { percent: 5, for: 20m }"))).get(id)).toEqual({
			gpuUtilisation: { percent: 1, overMs: 5 * MINUTE },
		});
	});

	it("counts as idle since the last busy minute, or since the first measurement, and not if the last minute was busy", async () => {
		const since = await running([500, 0, 0, 0]);
		const always = await running([0, 0]);
		const busy = await running([0, 0, 3]);
		const unmeasured = await running([]);
		const use = await useOf(policyOf("idleMinutes: 10"));
		expect(use.get(since)).toEqual({ idleSinceMs: NOW - 3 * MINUTE });
		expect(use.get(always)).toEqual({ idleSinceMs: NOW - 2 * MINUTE });
		expect(use.get(busy)).toEqual({ idleSinceMs: null });
		expect(use.has(unmeasured)).toBe(false);
	});

	it("is not read for a policy without such a rule", async () => {
		expect((await useOf(policyOf("instanceHours: 4"))).size).toBe(0);
	});
});
