import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ran, runCommand } from "#cli/testing/run-command.ts";
import { EXPORT_COLUMNS } from "#server/accounting/focus/columns.ts";
import { RestWorld } from "../testing/rest-world.ts";

const SAMPLE = path.resolve(import.meta.dirname, "../../services/ledger/bill/testing/focus-sample-1.0.csv");

let world: RestWorld;
let folder: string;
beforeAll(async () => {
	world = await RestWorld.open();
	folder = mkdtempSync(path.join(os.tmpdir(), "spillway-bill-"));
});
afterAll(() => world.close());

function spillway(...args: string[]): Promise<Ran> {
	const env = { SPILLWAY_TOKEN: world.tokens.finance, SPILLWAY_URL: world.url, SPILLWAY_HOME: folder };
	return runCommand(args, { cwd: folder, env });
}

describe("spillway bill", () => {
	it("imports a file, reports a duplicate as gzip, and lists, shows and downloads it", async () => {
		writeFileSync(path.join(folder, "again.csv.gz"), gzipSync(readFileSync(SAMPLE)));
		const first = await spillway("bill", "import", SAMPLE);
		expect(first, first.err).toMatchObject({ code: 0, out: expect.stringMatching(/^bill_\w+ {2}.*20 lines, -\$[\d.]+ billed\n$/) });
		const id = first.out.split(" ")[0] ?? "";
		expect((await spillway("bill", "import", "again.csv.gz")).out).toContain(`${id}  again.csv.gz  already imported; nothing changed`);
		expect((await spillway("bill", "ls")).out).toContain(id);
		expect((await spillway("bill", "show", id)).out).toMatch(/FOCUS 1\.0[\s\S]*AWS, Microsoft, Oracle/);
		const given = await spillway("bill", "export", id, "-o", "back.csv");
		expect(given.code).toBe(0);
		expect(parse(readFileSync(path.join(folder, "back.csv")))).toEqual(parse(readFileSync(SAMPLE)));
	});

	it("reports row and column of a broken file, or a missing file, in one line", async () => {
		const text = readFileSync(SAMPLE, "utf8").replace('"USD"', '"EUR"');
		writeFileSync(path.join(folder, "eur.csv"), text);
		const broken = await spillway("bill", "import", "eur.csv");
		expect(broken).toMatchObject({ code: 2, out: "", err: expect.stringMatching(/^spillway: .*must be USD[^\n]*\n$/) });
		expect(await spillway("bill", "import", "none.csv")).toMatchObject({ code: 2, err: "spillway: There is no file none.csv.\n" });
		expect((await spillway("bill", "burn")).err).toContain("There are: bill import FILE");
	});
});

describe("a month's reconciliation", () => {
	it("exists after an import, is refreshed on request, and is rejected for an invalid month", async () => {
		expect((await world.get("/reconciliations/2024-09", { as: "finance" })).json).toMatchObject({ month: "2024-09", items: [] });
		expect((await world.post("/reconciliations/2024-09", { final: true }, { as: "finance" })).status).toBe(200);
		expect((await world.get("/reconciliations/2024-13")).json).toMatchObject({ code: "invalid_input", fields: [{ path: "month" }] });
		expect((await world.post("/reconciliations/2024-09", {}, { as: "scientist" })).status).toBe(403);
		expect((await spillway("bill", "check", "2024-09", "--again")).out).toContain("Nothing of this month was reconciled");
	});
});

describe("the FOCUS export", () => {
	it("is the same file through REST and the command", async () => {
		const answer = await world.get("/exports/focus?month=2026-11&format=csv", { as: "finance" });
		expect(answer.status).toBe(200);
		expect(answer.headers.get("content-disposition")).toBe('attachment; filename="focus-1.2-2026-11.csv"');
		expect(answer.text).toBe(`${EXPORT_COLUMNS["1.2"].join(",")}\r\n`);
		expect((await spillway("export", "focus", "--month", "2026-11")).out).toBe(answer.text);
		const saved = await spillway("export", "focus", "--month", "2026-11", "-o", "out.csv");
		expect(saved).toMatchObject({ code: 0, out: "", err: `out.csv: ${answer.text.length} bytes\n` });
	});

	it("rejects an invalid month or format, naming the parameter", async () => {
		for (const [query, field] of [
			["month=2026-13", "month"],
			["", "month"],
			["month=2026-11&format=parquet", "format"],
			["moon=1", "moon"],
		]) {
			const answer = await world.get(`/exports/focus?${query}`);
			expect(answer).toMatchObject({ status: 400, json: { code: "invalid_input", fields: [{ path: field }] } });
		}
	});
});

describe("access to bills", () => {
	it("platform and finance can read bills; a data scientist can export but not import", async () => {
		for (const at of ["/invoices", "/invoices/bill_1", "/invoices/bill_1/lines"]) {
			expect((await world.get(at, { as: "scientist" })).status).toBe(403);
		}
		const refused = await world.post("/invoices", "a,b\n", { as: "scientist", headers: { "content-type": "text/csv" } });
		expect(refused).toMatchObject({ status: 403, json: { code: "forbidden" } });
		expect((await world.get("/exports/focus?month=2026-11", { as: "scientist" })).status).toBe(200);
		expect((await world.get("/invoices/bill_none")).json).toMatchObject({ code: "not_found" });
	});
});
