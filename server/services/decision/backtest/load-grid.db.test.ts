import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pool, site } from "#server/db/schema/site.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { type Books, openBooks } from "#server/services/ledger/charge/testing/books.ts";
import { importIntensity } from "#server/services/pricing/energy/import-intensity.ts";
import { GridRecord } from "#server/simulation/replay/grid-record.ts";
import { forecastGrid } from "../snapshot/forecast-grid.ts";
import { loadGrid } from "./load-grid.ts";

/** Hours are recorded up to this time, with forecasts for two more days. */
let importedMs: number;
let books: Books;
beforeAll(async () => {
	books = await openBooks();
	const at = new Date(books.clock.nowMs());
	await books.db.insert(site).values({ id: "home", name: "home", provider: "local", settings: {}, healthy: true });
	await books.db.insert(pool).values({
		...{ id: "pool", siteId: "home", accelerator: "L40S-48GB", nodes: 1, gpusPerNode: 4, unavailableSlots: [] },
		...{ microUsdPerGpuHour: 1_000_000n, wattsPerGpu: 300, ownedSince: at },
	});
	importedMs = Math.floor(books.clock.nowMs() / DAY_MS) * DAY_MS;
	const lines = Array.from({ length: 42 * 24 }, (_, i) => {
		const at = new Date(importedMs - 40 * DAY_MS + i * HOUR_MS);
		return `DE,${at.toISOString()},${300 + 10 * at.getUTCHours() + (i % 7)}`;
	});
	await importIntensity(books, { text: ["zone,ts,g_per_kwh", ...lines, ""].join("\n"), source: "a grid operator" });
});
afterAll(() => books.database.drop());

describe("the coming hours of grids", () => {
	it.each([0, 1, 13, 23, 30, 47])("are forecast in a backtest as in the live loop, %i h after they were imported", async (hours) => {
		const nowMs = books.clock.nowMs() + hours * HOUR_MS + 7 * MINUTE_MS;
		const record = await loadGrid(books.db, { fromMs: nowMs - 5 * DAY_MS, toMs: nowMs });
		const live = await books.db.transaction((tx) => forecastGrid(tx, nowMs));
		expect(live.size).toBeGreaterThan(0);
		const ahead = record && new GridRecord(record).ahead(nowMs);
		expect(ahead && [...ahead]).toEqual([...live].map(([place, { hourly }]) => [place, hourly]));
	});

	it("are replaced by the actual hours for emissions", async () => {
		const record = await loadGrid(books.db, { fromMs: importedMs - DAY_MS, toMs: importedMs });
		const atMs = importedMs - 40 * DAY_MS + 39 * 24 * HOUR_MS;
		const [first, second] = [300 + ((39 * 24) % 7), 310 + ((39 * 24 + 1) % 7)];
		expect(record && new GridRecord(record).over("pool", null, atMs + HOUR_MS / 2, atMs + 2 * HOUR_MS)).toBeCloseTo(first / 2 + second, 9);
		expect(record && new GridRecord(record).over("nowhere", 400, 0, HOUR_MS)).toBe(400);
	});
});
