import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { monthOfKey } from "#server/accounting/calendar.ts";
import { EXPORT_COLUMNS } from "#server/accounting/focus/columns.ts";
import { CONTRACT_COLUMNS } from "#server/accounting/focus/contract.ts";
import { instance } from "#server/db/schema/instance.ts";
import type { ExportVersion } from "#server/domain/focus-version.ts";
import { defined } from "#server/kernel/assert.ts";
import type { Books } from "#server/services/ledger/charge/testing/books.ts";
import { billingPeriodOf, exportFocus, type FocusInput } from "./focus.ts";
import { CHECKS, type World } from "./testing/checks.ts";
import { conformanceTable, type Requirement } from "./testing/conformance-table.ts";
import raw from "./testing/requirements.json" with { type: "json" };
import later from "./testing/requirements-1.3.json" with { type: "json" };
import { smallLedger } from "./testing/small-ledger.ts";

const requirementSchema = z.tuple([z.string(), z.string(), z.string(), z.string(), z.string()]);
const REQUIREMENTS = z.array(requirementSchema).parse(raw.rows);
const DOCUMENT = path.resolve(import.meta.dirname, "../../../../docs/focus.md");

const ADDED = z.array(requirementSchema).parse(later.rows);
const CONTRACT = z.array(requirementSchema).parse(later.contract);

let books: Books;
let world: World;
let worlds: Record<ExportVersion, World>;
let contracts: World;

async function exported(input: Omit<FocusInput, "month">): Promise<World["rows"]> {
	const parts: Buffer[] = [];
	for await (const chunk of (await exportFocus(books, { month: "2026-11", ...input })).chunks) parts.push(chunk);
	return parse(Buffer.concat(parts), { columns: true, cast: (cell, { quoting }) => (cell === "NULL" && !quoting ? null : cell) });
}

beforeAll(async () => {
	books = await smallLedger();
	const rows = await exported({});
	const offers = await books.db.select({ offer: instance.offer }).from(instance);
	world = {
		rows,
		period: billingPeriodOf(defined(monthOfKey("2026-11") ?? undefined, "month")),
		offers: new Set(offers.map((o) => o.offer.id)),
		documentation: readFileSync(DOCUMENT, "utf8"),
	};
	worlds = {
		"1.2": world,
		"1.3": { ...world, rows: await exported({ version: "1.3" }) },
		"1.4": { ...world, rows: await exported({ version: "1.4" }) },
	};
	contracts = { ...world, rows: await exported({ version: "1.3", dataset: "contract-commitment" }) };
});
afterAll(() => books.database.drop());

describe("the exported ledger", () => {
	it("has at least one row for everything that the sentences mention", () => {
		const seen = (column: string) => new Set(world.rows.map((row) => row[column]));
		expect([...seen("x_Kind")].sort()).toEqual(
			expect.arrayContaining(["adjustment", "commitment", "credit", "egress", "idle", "storage", "tax"]),
		);
		expect([...seen("ChargeCategory")].sort()).toEqual(["Adjustment", "Credit", "Tax", "Usage"]);
		expect([...seen("PricingCategory")]).toEqual(expect.arrayContaining(["Standard", "Dynamic", "Committed", null]));
		expect([...seen("CommitmentDiscountStatus")]).toEqual(expect.arrayContaining(["Used", "Unused", null]));
		expect([...seen("ChargeClass")]).toEqual(expect.arrayContaining(["Correction", null]));
		expect(world.rows.some((row) => Number(row["PricingQuantity"]) < 0 && row["ChargeClass"] === null)).toBe(true);
		expect(Object.keys(world.rows[0] ?? {})).toEqual(EXPORT_COLUMNS["1.2"]);
	});
});

const columnOf = (id: string): string => id.split(" ")[0] ?? "";
function check(of: World, [id, , , how]: Requirement): void {
	const [name = "", ...rest] = how.split(":");
	defined(CHECKS[name], `check ${name}`)(of, columnOf(id), rest.join(":"));
}

/** Checks every sentence against the rows and returns those that fail. */
function broken(of: World, requirements: readonly Requirement[]): string[] {
	return requirements.flatMap((requirement) => {
		const [id, level, sentence, how] = requirement;
		try {
			if (how !== "n/a") check(of, requirement);
			return [];
		} catch {
			return [`${id} (${level}): ${sentence}`];
		}
	});
}

describe("FOCUS 1.3 and 1.4", () => {
	it.each(["1.3", "1.4"] as const)("%s: exports its columns and satisfies the sentences shared with earlier versions", (version) => {
		const of = worlds[version];
		const columns: readonly string[] = EXPORT_COLUMNS[version];
		expect(Object.keys(of.rows[0] ?? {})).toEqual(columns);
		const isThere = ([id, , , how]: Requirement): boolean => how === "absent" || columns.includes(columnOf(id));
		expect(broken(of, [...REQUIREMENTS, ...ADDED].filter(isThere))).toEqual([]);
	});

	it("1.4 has no deprecated columns but the same charges", () => {
		expect(EXPORT_COLUMNS["1.3"].filter((name) => !EXPORT_COLUMNS["1.4"].includes(name))).toEqual(["ProviderName", "PublisherName"]);
		const ids = (version: ExportVersion) => worlds[version].rows.map((row) => [row["x_ChargeId"], row["EffectiveCost"], row["Tags"]]);
		expect(ids("1.4")).toEqual(ids("1.2"));
	});

	it("Contract Commitment: every sentence holds, and its ids match those of the charges", () => {
		expect(Object.keys(contracts.rows[0] ?? {})).toEqual(CONTRACT_COLUMNS);
		expect(broken(contracts, CONTRACT)).toEqual([]);
		expect(
			contracts.rows.map((row) => [row["ContractCommitmentId"], row["ContractCommitmentCost"], row["ContractCommitmentQuantity"]]),
		).toEqual([["cr-1", "28.8", "48"]]);
	});

	it("every sentence that does not apply has a reason and is listed in the document", () => {
		for (const [id, , , how, note] of [...ADDED, ...CONTRACT]) if (how === "n/a" || how === "absent") expect(note, id).not.toBe("");
		expect(world.documentation).toContain(conformanceTable(ADDED));
		expect(world.documentation).toContain(conformanceTable(CONTRACT));
	});

	it("fails the sentences that a broken row violates", () => {
		const [first] = worlds["1.3"].rows;
		const of = { ...world, rows: [{ ...first, HostProviderName: null, ContractApplied: '{"Elements":[{"ContractId":""}]}' }] };
		expect(broken(of, ADDED).map((line) => line.split(" (")[0])).toEqual(
			expect.arrayContaining(["HostProviderName 4", "HostProviderName 5", "ContractApplied 5"]),
		);
	});

	it.each([
		[{ version: "1.5" }, "version"],
		[{ dataset: "invoices" }, "dataset"],
		[{ version: "1.2", dataset: "contract-commitment" }, "version"],
	])("%j is rejected by the field %s", async (input, path) => {
		await expect(exported(input)).rejects.toMatchObject({ code: "invalid_input", fields: [{ path }] });
	});
});

describe("FOCUS 1.2", () => {
	for (const requirement of REQUIREMENTS) {
		const [id, level, sentence, how] = requirement;
		if (how !== "n/a") it(`${id} (${level}): ${sentence}`, () => check(world, requirement));
	}

	it("every sentence that does not apply says why", () => {
		for (const [id, , , how, note] of REQUIREMENTS) if (how === "n/a" || how === "absent") expect(note, id).not.toBe("");
		expect(REQUIREMENTS).toHaveLength(409);
	});

	it("docs/focus.md contains the current conformance table", () => {
		expect(world.documentation).toContain(conformanceTable(REQUIREMENTS));
	});

	it("a broken row fails the sentences about it", () => {
		const [first] = world.rows;
		const bad = {
			...world,
			rows: [{ ...first, BilledCost: "$1", ChargeClass: "Correction", BillingCurrency: "EUR", ServiceName: " ", RegionName: null }],
		};
		for (const [name, column, argument] of [
			["decimal", "BilledCost", ""],
			["string", "ServiceName", ""],
			["chargeClass", "ChargeClass", ""],
			["usd", "BillingCurrency", ""],
			["bothNull", "RegionName", "RegionId"],
			["present", "NoSuchColumn", ""],
		] as const) {
			expect(() => CHECKS[name]?.(bad, column, argument)).toThrow("does not hold");
		}
	});
});
