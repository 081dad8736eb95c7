import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit } from "#server/db/schema/audit.ts";
import { store } from "#server/db/schema/store.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import { EMBEDDED_STORE } from "#server/domain/store.ts";
import { ManualClock } from "#server/kernel/clock.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { listStores } from "#server/services/capacity/store/list.ts";
import { setStorePrice } from "#server/services/capacity/store/set-price.ts";
import type { Actor, ServiceContext } from "#server/services/core/context.ts";
import { receiptOf } from "#server/services/ledger/charge/receipt.ts";
import { aSpec, seedJob } from "../agent/testing/seed.ts";
import { listArtifacts } from "./get.ts";
import { recordArtifact } from "./record.ts";

const GIB = 1_073_741_824;
const NOON = Date.parse("2026-11-10T12:00:00Z");
const STORE = "sto_models";

let database: TestDatabase;
let clock: ManualClock;
let made = 0;

beforeAll(async () => {
	database = await createTestDatabase();
	clock = new ManualClock(NOON);
	await database.db.insert(store).values({
		...{ id: STORE, team: "research", name: "models", isDefault: true, createdAt: new Date(NOON) },
		config: { kind: "s3", bucket: "acme-models", provider: "AWS", region: "eu-west-1", place: "aws:eu-west-1" },
	});
});
afterAll(() => database.drop());

function as(role: "platform" | "data_scientist" | "finance", teams: string[] = []): ServiceContext {
	const actor: Actor = { kind: "person", accountId: `usr_${role}`, name: role, role, teams, via: "token" };
	return { actor, db: database.db, clock, requestId: null };
}

/** A complete result of one file in a store. */
async function record(jobId: string, bytes: number, more: { storeId?: string; keepMs?: number } = {}): Promise<string> {
	made += 1;
	const id = `art_${String(made).padStart(24, "0")}_001_00`;
	const output = { name: `model${made}`, path: "out", kind: "model" as const, when: "success" as const, keepMs: more.keepMs ?? null };
	const files = [{ path: "w", bytes, sha256: "0".repeat(64) }];
	const storeId = more.storeId ?? null;
	await recordArtifact(database.db, { id, jobId, attemptId: `att_${made}`, team: "research", output, files, storeId, atMs: clock.nowMs() });
	return id;
}

describe("prices of stores", () => {
	it("are set by platform engineers and finance, from now on, and are in the audit log", async () => {
		expect((await listStores(as("finance"))).embeddedPrice).toEqual({
			...{ microUsdPerGiBMonth: null, microUsdPerGiBEgress: null, effectiveFrom: null },
		});
		const price = { id: EMBEDDED_STORE, usdPerGiBMonth: "0.01", usdPerGiBEgress: null };
		await expect(setStorePrice(as("data_scientist", ["research"]), price)).rejects.toMatchObject({ code: "forbidden" });
		await setStorePrice(as("finance"), price);
		// At the same instant the later one applies.
		await setStorePrice(as("platform"), { ...price, usdPerGiBMonth: "0" });
		const { embeddedPrice } = await listStores(as("platform"));
		expect(embeddedPrice).toMatchObject({ microUsdPerGiBMonth: 0n, microUsdPerGiBEgress: null, effectiveFrom: new Date(NOON + 1) });
		const entries = await database.db.select().from(audit).where(eq(audit.action, "store.price"));
		expect(entries.map(({ after }) => after)).toContainEqual({ usdPerGiBMonth: "0.01", usdPerGiBEgress: null });
	});

	it("are rejected for unknown stores and invalid dollar amounts", async () => {
		const platform = as("platform");
		await expect(setStorePrice(platform, { id: "sto_none", usdPerGiBMonth: "1", usdPerGiBEgress: null })).rejects.toMatchObject({
			code: "not_found",
		});
		for (const usdPerGiBMonth of ["-1", "0.0000001", "1e3", ""])
			await expect(setStorePrice(platform, { id: STORE, usdPerGiBMonth, usdPerGiBEgress: null })).rejects.toThrow(/usdPerGiBMonth/);
	});
});

describe("what a result costs", () => {
	it("is shown per month on the result and on the job's receipt, or reported as unknown without a price", async () => {
		const jobId = await seedJob(database.db, aSpec());
		await record(jobId, 10 * GIB, { storeId: STORE, keepMs: 30 * DAY_MS });
		const owner = as("data_scientist", ["research"]);
		expect((await listArtifacts(owner, jobId))[0]?.microUsdPerMonth).toBeNull();
		expect((await receiptOf(as("finance"), jobId)).kept).toMatchObject({ microUsdPerMonth: 0n, unpricedBytes: BigInt(10 * GIB) });
		await setStorePrice(as("finance"), { id: STORE, usdPerGiBMonth: "0.023", usdPerGiBEgress: "0.09" });
		expect((await listArtifacts(owner, jobId))[0]?.microUsdPerMonth).toBe("230000");
		const untilMs = clock.nowMs() + 30 * DAY_MS;
		expect((await receiptOf(as("finance"), jobId)).kept).toEqual({
			...{ count: 1, bytes: BigInt(10 * GIB), microUsdPerMonth: 230_000n, unpricedBytes: 0n, untilMs },
		});
	});
});
