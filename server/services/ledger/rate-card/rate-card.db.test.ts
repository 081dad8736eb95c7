import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aCard } from "#server/accounting/testing/cards.ts";
import { audit } from "#server/db/schema/audit.ts";
import { rateCard } from "#server/db/schema/rate-card.ts";
import type { Role } from "#server/domain/vocabulary.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { timingSchema } from "#server/services/core/timing.ts";
import { loadSnapshot, SnapshotCache } from "#server/services/decision/snapshot/load.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { chargesOf } from "../charge/charges-of.ts";
import { ledgerCheck } from "../charge/check.ts";
import { meterAll } from "../charge/meter.ts";
import { settleAllocation } from "../charge/settle.ts";
import * as test from "../charge/testing/books.ts";
import { readPoolRates } from "./list.ts";
import { setRateCard } from "./set.ts";

let books: test.Books;
beforeEach(async () => {
	books = await test.openBooks();
});
afterEach(async () => {
	const check = await ledgerCheck(books);
	await books.database.drop();
	expect(check.differences).toEqual([]);
});

const key = { siteId: "local", poolId: "gpu" };
/** $35,040 a year is $4 an hour in 2026 (8,760 h): $1 per GPU-hour for the pool's four GPUs. */
const card = (staffUsd: string) => ({ card: aCard({ staffUsd }), message: "new contract" });
const at = (ms: number) => new Date(ms).toISOString();
const as = (role: Role) => ({
	...books,
	actor: { kind: "person", accountId: "usr_1", name: "Ada", role, teams: ["risk"], via: "session" } as const,
});

describe("a rate card", () => {
	it("sets the home price of decisions and quotes: the pool's own $0.60 before it takes effect, $1.00 per GPU-hour from then on", async () => {
		await test.addPool(books);
		const source = "apiVersion: spillway/v1\nkind: Policy\nmetadata: { name: default }\nspec: { rules: [] }\n";
		await publishPolicy(books, { name: "default", message: "test", source });
		const priceNow = async () => {
			const { snapshot } = await loadSnapshot({ ...books, timing: timingSchema.parse({}) }, new SnapshotCache());
			return snapshot.pools.map((pool) => pool.microUsdPerGpuHour);
		};
		await setRateCard(as("finance"), key, { ...card("35040"), effectiveFrom: at(test.T0 + HOUR_MS) });
		expect(await priceNow()).toEqual([600_000n]);
		books.clock.advance(HOUR_MS);
		expect(await priceNow()).toEqual([1_000_000n]);
		// Of two cards for one instant the newer applies, as in the charges.
		await setRateCard(as("finance"), key, card("70080"));
		expect(await priceNow()).toEqual([2_000_000n]);
	});

	it("splits a job from 10:00 to 11:00 when set at 10:30: 30 min × $0.60 + 30 min × $1 = $0.80 used, $2.40 idle, together $3.20", async () => {
		await test.addPool(books);
		const use = await test.addUse(books);
		books.clock.advance(30 * MINUTE_MS);
		const set = await setRateCard(as("finance"), key, card("35040"));
		expect(set).toMatchObject({ effectiveFrom: "2026-11-10T10:30:00.000Z", corrections: 0 });
		books.clock.advance(30 * MINUTE_MS);
		await test.endUse(books, use.allocationId);
		await meterAll(books);
		expect(await test.chargedTo(books, use)).toBe(800_000n);
		expect(await test.chargedTo(books, { poolId: "gpu" })).toBe(2_400_000n);
		expect((await test.readJob(books, use.jobId)).costMicroUsd).toBe(800_000n);
	});

	it("posts corrections when set at 12:00 to take effect at 10:30: + $0.60 for the job's 90 min at $1 instead of $0.60, and nothing rewritten", async () => {
		await test.addPool(books);
		const use = await test.addUse(books);
		for (let n = 0; n < 8; n++) {
			books.clock.advance(15 * MINUTE_MS);
			await meterAll(books);
		}
		const before = await chargesOf(books, use.jobId);
		const set = await setRateCard(as("finance"), key, { ...card("35040"), effectiveFrom: at(test.T0 + 30 * MINUTE_MS) });
		// Job and idle, in two hours: 4 entries; 4 GPUs × 90 min × $0.40 = $2.40.
		expect(set).toMatchObject({ corrections: 4, correctedMicroUsd: "2400000" });
		const after = await chargesOf(books, use.jobId);
		const corrections = after.filter((c) => c.correction === "rate_card");
		expect(corrections.map((c) => [at(c.periodStartMs), c.dimensions.kind, c.effectiveMicroUsd, c.billedMicroUsd])).toEqual([
			["2026-11-10T10:00:00.000Z", "adjustment", 200_000n, 0n],
			["2026-11-10T11:00:00.000Z", "adjustment", 400_000n, 0n],
		]);
		expect(after.filter((c) => c.correction === null)).toEqual(before);
		expect(await test.chargedTo(books, use)).toBe(300_000n + 1_500_000n);
		books.clock.advance(HOUR_MS);
		await meterAll(books);
		expect(await test.chargedTo(books, use)).toBe(2_800_000n);
		expect(await test.chargedTo(books, { poolId: "gpu" })).toBe(3n * 2_800_000n);
	});

	it("releases time at the new price for an end learned after the correction: 20 min × $1", async () => {
		await test.addPool(books);
		const use = await test.addUse(books);
		books.clock.advance(HOUR_MS);
		await meterAll(books);
		await setRateCard(as("platform"), key, { ...card("35040"), effectiveFrom: at(test.T0) });
		await test.endUse(books, use.allocationId, test.T0 + 40 * MINUTE_MS);
		await settleAllocation(books, use.allocationId);
		expect(await test.chargedTo(books, use)).toBe(666_666n);
		expect(await test.chargedTo(books, { poolId: "gpu" })).toBe(4_000_000n - 666_666n);
		// Setting the same figures again leaves nothing to correct.
		books.clock.advance(SECOND_MS);
		expect(await setRateCard(as("platform"), key, { ...card("35040"), effectiveFrom: at(test.T0) })).toMatchObject({ corrections: 0 });
	});

	it("applies the newer of two cards for one instant, with corrections from one to the other: - $1 an hour", async () => {
		await test.addPool(books);
		await setRateCard(as("finance"), key, { ...card("70080"), effectiveFrom: at(test.T0) });
		books.clock.advance(HOUR_MS);
		await meterAll(books);
		const set = await setRateCard(as("finance"), key, { ...card("35040"), effectiveFrom: at(test.T0) });
		expect(set).toMatchObject({ corrections: 1, correctedMicroUsd: "-4000000" });
		expect(await test.chargedTo(books, { poolId: "gpu" })).toBe(4_000_000n);
		expect((await readPoolRates(as("finance"), key)).current?.card.perYear.staffUsd).toBe("35040");
	});

	it("is audited with the card it replaces, listed with the resulting month, and rejected for callers without permission", async () => {
		await test.addPool(books);
		await setRateCard(as("finance"), key, card("35040"));
		books.clock.advance(SECOND_MS);
		await setRateCard(as("finance"), key, card("70080"));
		const [first, second] = await books.db.select().from(audit).where(eq(audit.action, "rate_card.set"));
		expect(first).toMatchObject({ subject: "local/gpu", actor: "account:usr_1", before: null });
		expect(second).toMatchObject({ before: { card: { perYear: { staffUsd: "35040" } } }, after: { message: "new contract" } });
		const rates = await readPoolRates(as("finance"), key);
		expect(rates.history.map((c) => c.card.perYear.staffUsd)).toEqual(["70080", "35040"]);
		// November: 720 h × $8 = $5,760, by 4 × 720 GPU-hours = $2.
		expect(rates.month).toMatchObject({ staffMicroUsd: "5760000000", busyMicroUsdPerGpuHour: "2000000" });
		await expect(setRateCard(as("data_scientist"), key, card("1"))).rejects.toMatchObject({ code: "forbidden" });
		await expect(readPoolRates(as("data_scientist"), key)).rejects.toMatchObject({ code: "forbidden" });
		await expect(books.db.delete(rateCard)).rejects.toThrow();
	});

	it("is rejected for an unknown pool, a far past, a higher value at the end than at the start, a PUE below 1 and a free pool", async () => {
		await test.addPool(books);
		const bad = (changes: object) => setRateCard(as("finance"), key, { ...card("1"), ...changes });
		await expect(setRateCard(as("finance"), { siteId: "local", poolId: "none" }, card("1"))).rejects.toMatchObject({ code: "not_found" });
		await expect(bad({ effectiveFrom: "2020-01-01" })).rejects.toMatchObject({ code: "invalid_input" });
		const asset = {
			id: "a",
			name: "a",
			inServiceOn: "2026-01-01",
			priceUsd: "1",
			residualUsd: "2",
			lifeMonths: 1,
			method: { kind: "straight_line" },
		};
		await expect(bad({ card: { ...aCard(), assets: [asset, asset] } })).rejects.toMatchObject({
			fields: [{ path: "card.assets.0.residualUsd" }, { path: "card.assets.1.id" }, { path: "card.assets.1.residualUsd" }],
		});
		await expect(bad({ card: aCard({ staffUsd: "5", power: { pue: "0.9" } }) })).rejects.toMatchObject({
			fields: [{ path: "card.power.pue" }],
		});
		await expect(bad({ card: aCard() })).rejects.toMatchObject({ fields: [{ path: "card" }] });
		await expect(bad({ card: aCard({ staffUsd: "-5" }) })).rejects.toThrow();
		expect(await books.db.$count(rateCard)).toBe(0);
	});
});
