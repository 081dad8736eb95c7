import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { offer } from "#server/db/schema/offer.ts";
import { site } from "#server/db/schema/site.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import { quarantineOf } from "#server/domain/quarantine.ts";
import { fakeOffer } from "#server/providers/fake/fake-offers.ts";
import { shippedListPrice } from "#server/rates/shipped-list-price.ts";
import { listOffers } from "./list.ts";
import { refreshOffers } from "./refresh.ts";

const NOW_MS = Date.UTC(2026, 10, 10, 10);
let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	await database.db.insert(site).values({ id: "aws", name: "aws", provider: "aws", settings: {}, healthy: true });
});
afterAll(() => database.drop());

const p5 = { instanceType: "p5.48xlarge", accelerator: "H100-80GB", gpus: 8, region: "us-east-1" } as const;
const LIST = shippedListPrice({ provider: "aws", ...p5 }) ?? 0n;

async function read(microUsdPerHour: bigint, onDemandMicroUsdPerHour: bigint | null) {
	const priced = { microUsdPerHour, onDemandMicroUsdPerHour, priceSource: "a source" };
	const spot = fakeOffer({ ...p5, zone: "us-east-1a", capacityType: "spot", ...priced });
	await refreshOffers(database.db, [spot], NOW_MS);
	return (await listOffers(database.db, NOW_MS)).find((o) => o.id === spot.id);
}

it("replaces an implausible spot price by the list price, whatever else the source reports, and shows why", async () => {
	expect(LIST).toBeGreaterThan(1_000_000n);
	for (const [price, onDemand] of [
		[10n, LIST],
		[10n, 20n],
		[10n, null],
	] as const) {
		const kept = await read(price, onDemand);
		expect(kept).toMatchObject({ microUsdPerHour: LIST });
		expect(quarantineOf(kept?.priceSource ?? "")).toContain("below 5%");
	}
});

it("keeps the old price after a drop of more than ten times since the last read, and accepts a plausible one", async () => {
	const fair = (LIST * 9n) / 10n;
	expect(await read(fair, LIST)).toMatchObject({ microUsdPerHour: fair });
	expect(await read(LIST / 12n, LIST)).toMatchObject({ microUsdPerHour: LIST });
	expect(await read(LIST / 3n, LIST)).toMatchObject({ microUsdPerHour: LIST / 3n, priceSource: "a source" });
	expect(await database.db.$count(offer, eq(offer.siteId, "aws"))).toBe(1);
});
