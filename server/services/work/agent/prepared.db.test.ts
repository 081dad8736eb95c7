import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PreparedReport } from "#server/agent/protocol.ts";
import { instance } from "#server/db/schema/instance.ts";
import { setting } from "#server/db/schema/setting.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import type { DataRemotes } from "#server/domain/data-remotes.ts";
import type { PreparedItem } from "#server/domain/preparation.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { DATA_SETS_SETTING } from "#server/services/capacity/data-set/schemas.ts";
import { assignWarm } from "#server/services/capacity/instance/warm.ts";
import { awaitJob } from "./await-job.ts";
import { bootstrapSecretOf } from "./bootstrap.ts";
import type { AgentContext } from "./context.ts";
import { recordPrepared } from "./prepared.ts";
import { aSpec, SECRET_KEY, seedInstance, seedJob } from "./testing/seed.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
});
afterAll(() => database.drop());

const item = (kind: PreparedItem["kind"], name: string): PreparedItem => ({
	...{ kind, name, source: "rule", sharePercent: null, sizeGiB: null },
	...{ state: "pending", bytes: null, digest: null, problem: null },
});
const ready = (kind: PreparedItem["kind"], name: string): PreparedReport => ({ kind, name, bytes: 7, digest: "sha256:ab", problem: null });

async function aWaiting(items: PreparedItem[], remotes: DataRemotes = {}) {
	const jobId = await seedJob(database.db, aSpec());
	const providerInstanceId = `i-${jobId}`.slice(0, 19);
	const seeded = await seedInstance(database.db, {
		...{ jobId, number: 1, expiresAtMs: systemClock.nowMs() + 600_000, providerInstanceId, warm: true },
	});
	await database.db.update(instance).set({ preparation: items }).where(eq(instance.id, seeded.instanceId));
	const ctx: AgentContext = {
		...{ db: database.db, clock: systemClock, secretKey: SECRET_KEY, checkpointRoot: "/none", artifactRoot: "/none" },
		timing: { heartbeatMs: 1_000, stopGraceMs: 1_000, controlSilenceMs: 1_000, leaseMs: 0 },
		dataRemotes: async () => remotes,
	};
	const bootstrapSecret = bootstrapSecretOf(SECRET_KEY, seeded.instanceId);
	const machine = { instanceId: seeded.instanceId, bootstrapSecret, providerInstanceId, nonce: "n".repeat(24) };
	const stored = async () => {
		const [row] = await database.db.select().from(instance).where(eq(instance.id, seeded.instanceId));
		return (row?.preparation ?? []).map(({ name, state, bytes, problem }) => [name, state, bytes, problem]);
	};
	return { ...seeded, ctx, machine, stored, jobId };
}

describe("what a machine without a job prepares", () => {
	it("is ordered until it is reported, from the copy in its region", async () => {
		const uri = "s3://acme/set";
		const copies = [
			{ at: "aws:us-east-1", uri: "s3://acme-us/set" },
			{ at: "gcp:us-central1", uri: "gs://acme-set/set" },
		];
		await database.db.insert(setting).values({ key: DATA_SETS_SETTING, value: [{ uri, copies }] });
		const { ctx, machine, stored } = await aWaiting([item("image", "acme/train:1"), item("data", uri)]);
		expect((await awaitJob(ctx, machine)).prepare).toEqual({
			images: ["acme/train:1"],
			data: [{ uri, from: "s3://acme-us/set", sizeGiB: null }],
		});
		const failed = { kind: "data" as const, name: uri, bytes: null, digest: null, problem: "access denied" };
		await recordPrepared(ctx, { ...machine, items: [ready("image", "acme/train:1"), failed, ready("image", "other")] });
		expect(await stored()).toEqual([
			["acme/train:1", "ready", 7, null],
			[uri, "failed", null, "access denied"],
		]);
		expect((await awaitJob(ctx, machine)).prepare).toBeNull();
		await recordPrepared(ctx, { ...machine, items: [ready("data", uri)] });
		expect((await stored())[1]).toEqual([uri, "failed", null, "access denied"]);
	});

	it("needs no credentials of a data remote", async () => {
		const { ctx, machine, stored } = await aWaiting([item("data", "rclone://lake/set")], { lake: { type: "s3", secret: "x" } });
		const { prepare } = await awaitJob(ctx, machine);
		expect(prepare).toEqual({ images: [], data: [] });
		expect(await stored()).toEqual([
			["rclone://lake/set", "skipped", null, 'it needs the data remote "lake": its credentials are sent only to a job'],
		]);
	});

	it("does not change once the machine has a job, nor without its secret", async () => {
		const { ctx, machine, stored, instanceId, jobId, attemptId } = await aWaiting([item("image", "a")]);
		const wrong = { ...machine, bootstrapSecret: "x".repeat(43), items: [ready("image", "a")] };
		await expect(recordPrepared(ctx, wrong)).rejects.toMatchObject({ code: "unauthenticated" });
		expect((await awaitJob(ctx, machine)).assigned).toBe(false);
		await database.db.transaction((tx) => assignWarm(tx, { instanceId, jobId, attemptId, lifeMs: 600_000, nowMs: systemClock.nowMs() }));
		await recordPrepared(ctx, { ...machine, items: [ready("image", "a")] });
		expect(await stored()).toEqual([["a", "pending", null, null]]);
		expect(await awaitJob(ctx, machine)).toMatchObject({ assigned: true, prepare: null });
	});
});
