import { afterAll, beforeAll, expect, it } from "vitest";
import { pool, site } from "#server/db/schema/site.ts";
import { createTestDatabase, type TestDatabase } from "#server/db/testing/database.ts";
import { ManualClock } from "#server/kernel/clock.ts";
import { systemContext } from "#server/services/core/context.ts";
import { listSites } from "./list.ts";

let database: TestDatabase;
beforeAll(async () => {
	database = await createTestDatabase();
	await database.db.insert(site).values({ id: "home", name: "Home", provider: "slurm", settings: {} });
	const rest = {
		siteId: "home",
		accelerator: "H100-80GB",
		gpusPerNode: 8,
		microUsdPerGpuHour: 1n,
		wattsPerGpu: 700,
		ownedSince: new Date(0),
	};
	await database.db.insert(pool).values([
		{ ...rest, id: "few", nodes: 2, unavailableSlots: [3, 4, 99] },
		{ ...rest, id: "many", nodes: 5_000, unavailableSlots: Array.from({ length: 800 }, (_, i) => i) },
	]);
});
afterAll(() => database.drop());

it("lists a small pool slot by slot, and for 5,000 nodes only sums and holders", async () => {
	const [home] = await listSites(systemContext(database.db, new ManualClock(0), "seed"));
	const [few, many] = home?.pools ?? [];
	expect(few).toMatchObject({ gpus: 16, busy: 0, unavailable: 2, holders: [] });
	expect(few?.slots.map((s) => s.state).slice(2, 6)).toEqual(["free", "unavailable", "unavailable", "free"]);
	expect(many).toMatchObject({ gpus: 40_000, busy: 0, unavailable: 800, slots: [], holders: [] });
	expect(JSON.stringify(home).length).toBeLessThan(3_000);
});
