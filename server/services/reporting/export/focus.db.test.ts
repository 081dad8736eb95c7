import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXPORT_COLUMNS } from "#server/accounting/focus/columns.ts";
import type { Actor } from "#server/services/core/context.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { addMachine, addPool, addUse, type Books, endUse, openBooks, T0, terminate } from "#server/services/ledger/charge/testing/books.ts";
import { exportFocus } from "./focus.ts";

const HOUR = 3_600_000;
let books: Books;
beforeAll(async () => {
	books = await openBooks();
	await addPool(books);
	await addMachine(books, { team: "risk", microUsdPerHour: 404_200n, diskMicroUsdPerMonth: 7_200_000n });
	const other = await addMachine(books, { team: "vision", capacityType: "on_demand", microUsdPerHour: 1_006_000n });
	const use = await addUse(books, { team: "risk", slots: [0, 1] });
	books.clock.advance(2.5 * HOUR);
	await endUse(books, use.allocationId);
	await terminate(books, other.instanceId);
	await meterAll(books);
});
afterAll(() => books.database.drop());

async function exported(month = "2026-11", actor: Actor = books.actor): Promise<Record<string, string>[]> {
	const { chunks } = await exportFocus({ ...books, actor }, { month });
	const parts: Buffer[] = [];
	for await (const chunk of chunks) parts.push(chunk);
	return parse(Buffer.concat(parts), { columns: true });
}

describe("exporting a month as FOCUS", () => {
	it("writes one row for each charge, with costs that add up to the ledger's", async () => {
		const rows = await exported();
		const [ledger] = await books.database
			.sql`select count(*)::int as n, sum(effective_micro_usd)::text as effective, sum(billed_micro_usd)::text as billed from charge`;
		const sum = (column: string) => rows.reduce((total, row) => total + Math.round(Number(row[column]) * 1e6), 0);
		expect(rows).toHaveLength(ledger?.n);
		expect(String(sum("EffectiveCost"))).toBe(ledger?.effective);
		expect(String(sum("BilledCost"))).toBe(ledger?.billed);
		expect(Object.keys(rows[0] ?? {})).toEqual(EXPORT_COLUMNS["1.2"]);
	});

	it("splits 2.5 h at $1.006 into 1.006 + 1.006 + 0.503, with quantity and price", async () => {
		const rows = (await exported()).filter((row) => row["SubAccountId"] === "vision");
		expect(rows.map((r) => [r["ChargePeriodStart"], r["PricingQuantity"], r["ListUnitPrice"], r["ContractedCost"]])).toEqual([
			["2026-11-10T10:00:00Z", "1", "1.006", "1.006"],
			["2026-11-10T11:00:00Z", "1", "1.006", "1.006"],
			["2026-11-10T12:00:00Z", "0.5", "1.006", "0.503"],
		]);
		expect(rows[0]).toMatchObject({ PricingCategory: "Standard", PricingUnit: "Hours", ProviderName: "AWS", RegionId: "us-east-1" });
	});

	it("splits 2.5 h of 100 GiB at $0.072 per GiB-month of 720 h into storage lines: 0.138889 + 0.138889 + 0.069444 GiB-months", async () => {
		const rows = (await exported()).filter((r) => r["x_Kind"] === "storage");
		expect(rows.map((r) => [r["ChargePeriodStart"], r["PricingQuantity"]?.slice(0, 8), r["ListUnitPrice"], r["EffectiveCost"]])).toEqual([
			["2026-11-10T10:00:00Z", "0.138888", "0.072", "0.01"],
			["2026-11-10T11:00:00Z", "0.138888", "0.072", "0.01"],
			["2026-11-10T12:00:00Z", "0.069444", "0.072", "0.005"],
		]);
		expect(rows[0]).toMatchObject({ ServiceCategory: "Storage", ServiceName: "Amazon Elastic Block Store", PricingUnit: "GiB-Months" });
		expect(rows[0]).toMatchObject({
			SkuId: "aws:disk:gp3",
			PricingCategory: "Standard",
			ChargeDescription: expect.stringMatching(/^100 GiB of gp3/),
		});
	});

	it("uses the on-demand price as the list price of spot and the spot price as its cost", async () => {
		const [row] = (await exported()).filter((r) => r["PricingCategory"] === "Dynamic");
		expect(row).toMatchObject({ ListUnitPrice: "1.006", ContractedUnitPrice: "0.4042", ListCost: "1.006", EffectiveCost: "0.4042" });
	});

	it("exports owned hardware with the site as provider, no billed cost, and idle capacity without a team", async () => {
		const rows = (await exported()).filter((r) => r["x_CapacityType"] === "owned");
		expect(new Set(rows.map((r) => `${r["ProviderName"]} ${r["BilledCost"]} ${r["RegionId"]} ${r["ResourceId"]}`))).toEqual(
			new Set(["Home 0 local local/gpu"]),
		);
		const idle = rows.filter((r) => r["x_Kind"] === "idle");
		expect(new Set(idle.map((r) => r["SubAccountId"]))).toEqual(new Set(["NULL"]));
		expect(idle[0]).toMatchObject({ PricingUnit: "GPU-Hours", PricingQuantity: "2", ContractedUnitPrice: "0.6", EffectiveCost: "1.2" });
	});

	it("returns only their own teams' rows to data scientists, and rejects callers without permission to read charges", async () => {
		const person = { kind: "person", accountId: "acc_1", name: "Ada", role: "data_scientist", teams: ["vision"], via: "token" } as const;
		expect(new Set((await exported("2026-11", person)).map((r) => r["SubAccountId"]))).toEqual(new Set(["vision"]));
	});

	it("returns only the header for a month without charges, and rejects an invalid month", async () => {
		const { chunks } = await exportFocus(books, { month: "2025-01" });
		const parts: Buffer[] = [];
		for await (const chunk of chunks) parts.push(chunk);
		expect(Buffer.concat(parts).toString()).toBe(`${EXPORT_COLUMNS["1.2"].join(",")}\r\n`);
		await expect(exportFocus(books, { month: "2026-13" })).rejects.toThrow("2026-11");
		expect(T0).toBe(Date.UTC(2026, 10, 10, 10));
	});

	it("is written in steps of at most 500 rows, so that other requests are not delayed", async () => {
		await books.database.sql`
			insert into charge select (jsonb_populate_record(c, jsonb_build_object('id', c.id || '_' || n))).* from charge c, generate_series(1, 200) n`;
		const { chunks } = await exportFocus(books, { month: "2026-11" });
		const rows: number[] = [];
		for await (const chunk of chunks) rows.push(chunk.toString().split("\r\n").length - 1);
		expect(rows.length).toBeGreaterThan(3);
		expect(Math.max(...rows)).toBe(500);
	});
});
