import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { monthOfKey } from "#server/accounting/calendar.ts";
import { EXPORT_COLUMNS } from "#server/accounting/focus/columns.ts";
import { instance } from "#server/db/schema/instance.ts";
import { defined } from "#server/kernel/assert.ts";
import type { Books } from "#server/services/ledger/charge/testing/books.ts";
import { billingPeriodOf, exportFocus } from "./focus.ts";
import { CHECKS, type World } from "./testing/checks.ts";
import { conformanceTable } from "./testing/conformance-table.ts";
import raw from "./testing/requirements.json" with { type: "json" };
import { smallLedger } from "./testing/small-ledger.ts";

const requirementSchema = z.tuple([z.string(), z.string(), z.string(), z.string(), z.string()]);
const REQUIREMENTS = z.array(requirementSchema).parse(raw.rows);
const DOCUMENT = path.resolve(import.meta.dirname, "../../../../docs/focus.md");

let books: Books;
let world: World;
beforeAll(async () => {
	books = await smallLedger();
	const parts: Buffer[] = [];
	for await (const chunk of (await exportFocus(books, { month: "2026-11" })).chunks) parts.push(chunk);
	const rows = parse(Buffer.concat(parts), { columns: true, cast: (cell, { quoting }) => (cell === "NULL" && !quoting ? null : cell) });
	const offers = await books.db.select({ offer: instance.offer }).from(instance);
	world = {
		rows: rows as World["rows"],
		period: billingPeriodOf(defined(monthOfKey("2026-11") ?? undefined, "month")),
		offers: new Set(offers.map((o) => o.offer.id)),
		documentation: readFileSync(DOCUMENT, "utf8"),
	};
}, 120_000);
afterAll(() => books.database.drop());

describe("the ledger that is exported", () => {
	it("has something of everything that sentences mention", () => {
		const seen = (column: string) => new Set(world.rows.map((row) => row[column]));
		expect([...seen("x_Kind")].sort()).toEqual(
			expect.arrayContaining(["adjustment", "commitment", "credit", "egress", "idle", "storage", "tax"]),
		);
		expect([...seen("ChargeCategory")].sort()).toEqual(["Adjustment", "Credit", "Tax", "Usage"]);
		expect([...seen("PricingCategory")]).toEqual(expect.arrayContaining(["Standard", "Dynamic", "Committed", null]));
		expect([...seen("CommitmentDiscountStatus")]).toEqual(expect.arrayContaining(["Used", "Unused", null]));
		expect([...seen("ChargeClass")]).toEqual(expect.arrayContaining(["Correction", null]));
		expect(world.rows.some((row) => Number(row["PricingQuantity"]) < 0 && row["ChargeClass"] === null)).toBe(true);
		expect(Object.keys(world.rows[0] ?? {})).toEqual(EXPORT_COLUMNS);
	});
});

describe("FOCUS 1.2", () => {
	for (const [id, level, sentence, how] of REQUIREMENTS) {
		if (how === "n/a") continue;
		const [name = "", ...rest] = how.split(":");
		it(`${id} (${level}): ${sentence}`, () => {
			defined(CHECKS[name], `check ${name}`)(world, id.split(" ")[0] ?? "", rest.join(":"));
		});
	}

	it("every sentence that does not apply says why", () => {
		for (const [id, , , how, note] of REQUIREMENTS) if (how === "n/a" || how === "absent") expect(note, id).not.toBe("");
		expect(REQUIREMENTS).toHaveLength(409);
	});

	it("docs/focus.md has the table of what holds and what does not apply", () => {
		expect(world.documentation).toContain(conformanceTable(REQUIREMENTS));
	});

	it("a broken row breaks the sentences about it", () => {
		const [first] = world.rows;
		const broken = {
			...world,
			rows: [{ ...first, BilledCost: "$1", ChargeClass: "Correction", BillingCurrency: "EUR", ServiceName: " ", RegionName: null }],
		};
		for (const [check, column, argument] of [
			["decimal", "BilledCost", ""],
			["string", "ServiceName", ""],
			["chargeClass", "ChargeClass", ""],
			["usd", "BillingCurrency", ""],
			["bothNull", "RegionName", "RegionId"],
			["present", "NoSuchColumn", ""],
		] as const) {
			expect(() => CHECKS[check]?.(broken, column, argument)).toThrow("does not hold");
		}
	});
});
