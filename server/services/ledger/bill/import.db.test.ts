import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { audit } from "#server/db/schema/audit.ts";
import { bill, billLine, billLineRestated } from "#server/db/schema/bill.ts";
import { type Books, openBooks } from "../charge/testing/books.ts";
import { exportBill } from "./export.ts";
import { importBill } from "./import.ts";
import { listBills } from "./list.ts";

const SAMPLE = readFileSync(path.join(import.meta.dirname, "testing/focus-sample-1.0.csv"));
const HEAD = [
	...["BilledCost", "BillingCurrency", "BillingPeriodStart", "ChargeCategory", "ChargePeriodStart", "ChargePeriodEnd"],
	...["ContractedCost", "EffectiveCost", "ListCost", "ProviderName", "ResourceId", "Tags"],
];

let books: Books;
beforeAll(async () => {
	books = await openBooks();
});
afterAll(() => books.database.drop());
beforeEach(async () => {
	// Deletes bill lines, which only tests do, so that all tests can share one database.
	await books.database.sql.begin(async (sql) => {
		await sql`set local session_replication_role = 'replica'`;
		await sql`truncate bill, bill_line, bill_line_restated`;
	});
});

/** Splits the text into pieces of a few bytes, as a network may deliver it. */
async function* inPieces(bytes: Uint8Array, size = 7): AsyncGenerator<Uint8Array> {
	for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function take(text: string | Uint8Array, fileName = "bill.csv") {
	books.clock.advance(1_000);
	return importBill(books, { fileName, bytes: inPieces(Buffer.from(text)) });
}

function aLine(changes: Record<string, string> = {}): string {
	const cells: Record<string, string> = {
		...{ BilledCost: "1.5", BillingCurrency: "USD", BillingPeriodStart: "2026-11-01T00:00:00Z", ChargeCategory: "Usage" },
		...{ ChargePeriodStart: "2026-11-10T10:00:00Z", ChargePeriodEnd: "2026-11-10T11:00:00Z", ContractedCost: "1.5", EffectiveCost: "1.5" },
		...{ ListCost: "2", ProviderName: "AWS", ResourceId: "i-1", Tags: "NULL" },
		...changes,
	};
	return HEAD.map((name) => cells[name]).join(",");
}

const file = (...lines: string[]) => [HEAD.join(","), ...lines].join("\n");

async function exported(id: string): Promise<string> {
	const parts: Buffer[] = [];
	for await (const chunk of (await exportBill(books, id)).chunks) parts.push(chunk);
	return Buffer.concat(parts).toString();
}

/** Lines that no later bill restated: their bills and billed nano-dollars. */
async function counting(): Promise<[string, bigint][]> {
	const gone = new Set((await books.db.select().from(billLineRestated)).map((r) => r.lineId));
	const lines = await books.db.select().from(billLine).orderBy(billLine.id);
	return lines.filter((line) => !gone.has(line.id)).map((line) => [line.billId, line.billedNanoUsd]);
}

describe("the FOCUS sample", () => {
	it("imports and exports with the same values in the same columns", async () => {
		const { bill: made } = await take(SAMPLE);
		expect(made).toMatchObject({ focusVersion: "1.0", rows: 20, repeatedRows: 0, providers: ["AWS", "Microsoft", "Oracle"] });
		expect(parse(await exported(made.id))).toEqual(parse(SAMPLE));
	});

	it("counts as the same bill when imported again, also gzipped, and changes nothing", async () => {
		const first = await take(SAMPLE);
		const again = await take(gzipSync(SAMPLE), "sample.csv.gz");
		expect(again).toEqual({ bill: first.bill, alreadyImported: true });
		expect(await books.db.$count(bill)).toBe(1);
		expect(await books.db.$count(billLine)).toBe(20);
	});
});

describe("lines", () => {
	it("counts lines that a re-issued bill repeats and imports only the new ones", async () => {
		await take(file(aLine(), aLine({ BilledCost: "2" })));
		const { bill: second } = await take(file(aLine(), aLine({ BilledCost: "2" }), aLine({ BilledCost: "3" })));
		expect(second).toMatchObject({ rows: 3, repeatedRows: 2, billedMicroUsd: "6500000" });
		expect(await books.db.$count(billLine)).toBe(3);
	});

	it("keeps every one of several equal lines in a file, and recognizes them in its re-issue", async () => {
		await take(file(aLine(), aLine()));
		const { bill: second } = await take(file(aLine(), aLine(), aLine()));
		expect(second.repeatedRows).toBe(2);
		expect(await books.db.$count(billLine)).toBe(3);
	});

	it("restates lines that a later bill replaces with other amounts: of $1.50, $2 and $4 the $1.50 became $1.75", async () => {
		const hour = (n: number, cost: string) => aLine({ BilledCost: cost, ResourceId: `i-${n}` });
		const { bill: first } = await take(file(hour(1, "1.5"), hour(2, "2"), hour(3, "4")));
		await take(file(hour(1, "1.75"), hour(2, "2"), hour(4, "9")));
		const gone = await books.db.select().from(billLineRestated);
		// The second file may be a part of the bill, so the third line stays although it is missing there.
		expect(gone.map((r) => r.lineId)).toEqual([`${first.id}_2`]);
	});

	it("does not restate lines reversed by a correction when the old line is next to it in the file", async () => {
		await take(file(aLine({ BilledCost: "1.5" })));
		await take(file(aLine({ BilledCost: "1.5" }), aLine({ BilledCost: "-1.5" }), aLine({ BilledCost: "1.75" })));
		expect(await books.db.$count(billLineRestated)).toBe(0);
		expect(await books.db.$count(billLine)).toBe(3);
	});

	it("restates the restating line when a line returns to its old amount: $1.50, then $1.75, then $1.50 from the very same file, is $1.50", async () => {
		const [a, b] = [file(aLine({ BilledCost: "1.5" })), file(aLine({ BilledCost: "1.75" }))];
		const { bill: first } = await take(a);
		const { bill: second } = await take(b);
		const { bill: third, alreadyImported } = await take(a);
		expect(alreadyImported).toBe(false);
		expect(third).toMatchObject({ sha256: first.sha256, rows: 1, repeatedRows: 0 });
		expect(await counting()).toEqual([[third.id, 1_500_000_000n]]);
		expect(await take(a)).toEqual({ bill: third, alreadyImported: true });
		const { bill: fourth } = await take(b);
		expect(second.sha256).toBe(fourth.sha256);
		expect(await counting()).toEqual([[fourth.id, 1_750_000_000n]]);
	});

	it("restates lines that return in part: of two at $1.50, one became $1.75 and is $1.50 again next to the unchanged one", async () => {
		const line = (BilledCost: string) => aLine({ BilledCost });
		const { bill: first } = await take(file(line("1.5"), line("1.5")));
		await take(file(line("1.5"), line("1.75")));
		const { bill: third } = await take(file(line("1.5"), line("1.5"), aLine({ ResourceId: "i-2" })));
		expect(third.repeatedRows).toBe(1);
		const lines = (await counting()).filter(([, cost]) => cost === 1_500_000_000n);
		expect(lines.map(([id]) => id).sort()).toEqual([first.id, third.id, third.id].sort());
	});

	it("restates nothing for another hour, resource or category", async () => {
		await take(file(aLine()));
		const others = [
			{ ResourceId: "i-2" },
			{ ChargeCategory: "Tax" },
			{ ChargePeriodEnd: "2026-11-10T12:00:00Z" },
			{ Tags: '"{""a"":""b""}"' },
		];
		await take(file(...others.map((other) => aLine({ ...other, BilledCost: "9" }))));
		expect(await books.db.$count(billLineRestated)).toBe(0);
	});

	it("parses money to the nano-dollar, also in E notation, and times with and without T and Z", async () => {
		await take(
			file(aLine({ BilledCost: "12.5E-7", ChargePeriodStart: "2026-11-10 10:00:00", ChargePeriodEnd: "2026-11-10" + "T11:00:00+00:00" })),
		);
		const [line] = await books.db.select().from(billLine);
		expect(line).toMatchObject({ billedNanoUsd: 1250n, periodStart: new Date("2026-11-10T10:00:00Z"), month: "2026-11" });
	});

	it("finds our tag under the keys that providers derive from it", async () => {
		const tags = (key: string) => `"{""${key}"": ""ins_1"", ""team"": ""risk""}"`;
		await take(
			file(
				aLine({ Tags: tags("spillway:instance") }),
				aLine({ Tags: tags("user:spillway:instance") }),
				aLine({ Tags: tags("spillway_instance") }),
			),
		);
		const lines = await books.db.select({ tag: billLine.taggedInstanceId }).from(billLine);
		expect(lines.map((l) => l.tag)).toEqual(["ins_1", "ins_1", "ins_1"]);
	});
});

describe("a file that cannot be", () => {
	const refused: [string, string | Uint8Array, RegExp][] = [
		["is not FOCUS", "a,b\n1,2\n", /Row 1, column BilledCost: not a FOCUS file/],
		["is in another currency", file(aLine(), aLine({ BillingCurrency: "EUR" })), /Row 3, column BillingCurrency: must be USD.*"EUR"/],
		["has a cost that is no number", file(aLine({ BilledCost: "$12" })), /Row 2, column BilledCost: must be a number.*"\$12"/],
		[
			"has a time in another zone",
			file(aLine({ ChargePeriodStart: "2026-11-10T10:00:00+02:00" })),
			/Row 2, column ChargePeriodStart: must be a time/,
		],
		[
			"has a day that its month does not have",
			file(aLine({ ChargePeriodStart: "2026-02-30T00:00:00Z" })),
			/Row 2, column ChargePeriodStart: must be a time.*"2026-02-30/,
		],
		[
			"is of a year that no report has",
			file(aLine({ BillingPeriodStart: "9999-11-01T00:00:00Z" })),
			/Row 2, column BillingPeriodStart: must be a time from 2000 to 2099/,
		],
		["has a cost beyond the database", file(aLine({ BilledCost: "-9e18" })), /Row 2, column BilledCost: must be a number up to/],
		["has a short record", `${file(aLine())}\n1,2,3\n`, /row 3 has 3 values, and the head has 12/],
		["ends within quotes", `${file()}\n"abc`, /row 2 has a quote that is not closed/],
		["is broken gzip", gzipSync(SAMPLE).subarray(0, 400), /gzip file is corrupt/],
		["is empty", "", /empty/],
		["holds a NUL", file(aLine({ ResourceId: "a\u0000b" })), /NUL/],
	];
	it.each(refused)("imported because it %s leaves nothing behind", async (_, text, message) => {
		await expect(take(text)).rejects.toMatchObject({ code: "invalid_input", message: expect.stringMatching(message) });
		expect([await books.db.$count(bill), await books.db.$count(billLine)]).toEqual([0, 0]);
	});
});

describe("permissions", () => {
	const scientist = { kind: "person", accountId: "acc_1", name: "Ada", role: "data_scientist", teams: ["risk"], via: "token" } as const;
	it("lets platform and finance import, and audits it", async () => {
		const { bill: made } = await importBill(
			{ ...books, actor: { ...scientist, role: "finance" } },
			{ fileName: "x.csv", bytes: inPieces(SAMPLE) },
		);
		const lines = await books.db.select().from(audit);
		expect(lines.at(-1)).toMatchObject({ action: "bill.import", actor: "account:acc_1", subject: made.id });
		await expect(importBill({ ...books, actor: scientist }, { fileName: "x.csv", bytes: inPieces(SAMPLE) })).rejects.toThrow(
			"does not allow",
		);
		await expect(listBills({ ...books, actor: scientist })).rejects.toThrow("does not allow");
	});
});
