import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { audit } from "#server/db/schema/audit.ts";
import { defined } from "#server/kernel/assert.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { type Books, openBooks } from "#server/services/ledger/charge/testing/books.ts";
import { newSealMemory, sealAudit } from "./seal.ts";
import { tamper } from "./testing/tamper.ts";

const text = readFileSync(new URL("../../../../docs/audit.md", import.meta.url), "utf8");
const blocks = (language: string): string[] =>
	[...text.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, "g"))].map((m) => m[1] ?? "");
const [shell = ""] = blocks("sh");
const [oneLink = "", wholeChain = ""] = blocks("sql");
const printed = defined(/^# ([0-9a-f]{64})/m.exec(shell)?.[1], "the hash of the example");

let books: Books;
beforeAll(async () => {
	books = await openBooks();
	await books.db.insert(audit).values({
		...{ at: new Date(books.clock.nowMs()), actor: "account:usr_pia", action: "budget.change_cap", subject: "cloud-month" },
		...{ before: { capUsd: "50000" }, after: { capUsd: "60000" }, requestId: "7c1e", via: "session" as const, source: "203.0.113.7" },
	});
	books.clock.advance(1_000);
	await sealAudit(books, newSealMemory());
});
afterAll(() => books.database.drop());

describe("docs/audit.md", () => {
	it("has a worked example that sha256sum confirms", () => {
		expect(execFileSync("sh", ["-c", shell], { encoding: "utf8" })).toBe(`${printed}  -\n`);
	});

	it("has the exact hash that the sealer computes for that entry, and the SQL that shows the hashed text", async () => {
		const [seal] = await books.db.execute<{ hash: string }>(sql`select hash from audit_seal`);
		expect(seal?.hash).toBe(printed);
		const [row] = await books.db.execute<Record<string, string>>(sql.raw(oneLink));
		expect(
			createHash("sha256")
				.update(Object.values(row ?? {})[0] ?? "")
				.digest("hex"),
		).toBe(printed);
	});

	it("has a statement that finds no break in an intact chain, and the first one in a broken chain", async () => {
		for (let i = 0; i < 5; i++) await books.db.transaction((tx) => writeAudit(tx, books, { action: "a", subject: `s${i}`, after: { i } }));
		await sealAudit(books, newSealMemory());
		expect([...(await books.db.execute(sql.raw(wholeChain)))]).toEqual([]);
		await tamper(books.db, "update audit set subject = 'other' where id = 4");
		expect(await books.db.execute(sql.raw(wholeChain))).toMatchObject([{ sequence: 4n }]);
		await tamper(books.db, "delete from audit_seal where sequence = 2");
		expect((await books.db.execute<{ sequence: bigint }>(sql.raw(wholeChain)))[0]).toMatchObject({ sequence: 3n });
	});
});
