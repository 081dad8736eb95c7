import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { readSpeeds } from "#server/services/capacity/site/pool-speed.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { readPoolRates } from "#server/services/ledger/rate-card/list.ts";
import { seedSites } from "./sites.ts";

let books: test.Books;
beforeEach(async () => {
	books = await test.openBooks();
});
afterEach(() => books.database.drop());

const settings = {
	SPILLWAY_HOST: "127.0.0.1",
	SPILLWAY_LOCAL_ACCELERATOR: "L40S-48GB",
	SPILLWAY_LOCAL_SLOTS: 4,
	SPILLWAY_LOCAL_SPEED: 1,
	SPILLWAY_AWS_REGIONS: ["us-east-1"],
	SPILLWAY_AWS_IMAGE_ID: "ami-1",
};

describe("the demo's sites", () => {
	it("start with the shipped card, which lists its assumptions; seeding again changes nothing", async () => {
		await seedSites(books, settings);
		await seedSites(books, settings);
		const { current, history, month } = await readPoolRates(books, { siteId: "local", poolId: "local" });
		expect(history).toHaveLength(1);
		expect(current?.message).toContain("Assumed");
		// 4 x ($8,500 + $8,000) / 1,461 days x 30 days of November.
		expect(Number(month?.depreciationMicroUsd) / 1e6).toBeCloseTo((66_000 / 1_461) * 30, 3);
		books.clock.advance(HOUR_MS);
		await meterAll(books);
		const idle = Number(await test.chargedTo(books, { poolId: "local" })) / 1e6;
		expect(idle).toBeCloseTo((4 * Number(month?.idleMicroUsdPerGpuHour)) / 1e6, 4);

		// Each start only sets the speed of this host.
		const speedAfter = async (SPILLWAY_LOCAL_SPEED: number): Promise<number[]> => {
			await seedSites(books, { ...settings, SPILLWAY_LOCAL_SPEED });
			const { of } = await readSpeeds(books.db);
			return ["local", "aws"].map((siteId) => of({ siteId, poolId: "local", accelerator: "L40S-48GB" }));
		};
		expect([await speedAfter(2), await speedAfter(1)]).toEqual([
			[2, 1],
			[1, 1],
		]);
	});
});
