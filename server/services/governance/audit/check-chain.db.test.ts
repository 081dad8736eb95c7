import { asc } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { alert } from "#server/db/schema/alert.ts";
import { DAY_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { writeAudit } from "#server/services/core/audit.ts";
import { type Books, openBooks } from "#server/services/ledger/charge/testing/books.ts";
import { listAlerts } from "#server/services/notification/alert/list.ts";
import { chainState, checkChain, readChainCheck } from "./check-chain.ts";
import { readHead } from "./head.ts";
import { newSealMemory, sealAudit } from "./seal.ts";
import { tamper } from "./testing/tamper.ts";

let books: Books;
beforeEach(async () => {
	books = await openBooks();
});
afterEach(() => books.database.drop());

async function sealed(lines: number): Promise<void> {
	for (let i = 0; i < lines; i++) await books.db.transaction((tx) => writeAudit(tx, books, { action: "a", subject: `s${i}` }));
	await sealAudit(books, newSealMemory());
	books.clock.advance(2 * MINUTE_MS);
}

describe("the scheduler's check of the chain", () => {
	it("checks new entries, and once a day the whole chain", async () => {
		await sealed(4);
		const first = await checkChain(books);
		expect(first).toMatchObject({ broken: null, verified: { sequence: 4 }, fullAtMs: first.checkedAtMs });
		// Links verified before are not verified again until the day is over.
		await tamper(books.db, "update audit set subject = 'other' where id = 2");
		await sealed(2);
		expect(await checkChain(books)).toMatchObject({ broken: null, verified: { sequence: 6 }, fullAtMs: first.fullAtMs });
		books.clock.advance(DAY_MS);
		expect((await checkChain(books)).broken).toEqual({ kind: "changed_line", sequence: 2, auditId: 2 });
		expect((await chainState(books)).lastCheck?.sentence).toMatch(/^Line 2 is not what seal 2 was made of/);
	});

	it("finds last entries that were deleted and rewritten in between, reports it until fixed, and keeps the remembered hash", async () => {
		await sealed(4);
		const { verified } = await checkChain(books);
		await tamper(books.db, "delete from audit where id > 2; delete from audit_seal where sequence > 2");
		await sealed(5);
		for (let round = 0; round < 2; round++) {
			expect(await checkChain(books)).toMatchObject({ broken: { kind: "cut_tail" }, verified });
		}
	});

	it("opens one alert with the position while the chain is broken, and closes it when it is fixed", async () => {
		const said = () => books.db.select().from(alert).orderBy(asc(alert.openedAt));
		await sealed(3);
		await checkChain(books);
		expect(await said()).toEqual([]);
		await tamper(books.db, "update audit set subject = 'other' where id = 2");
		books.clock.advance(DAY_MS);
		for (let round = 0; round < 2; round++) await checkChain(books);
		const about = { rule: "audit_chain_broken", subject: "audit", team: null, facts: { kind: "changed_line", sequence: 2, auditId: 2 } };
		expect(await said()).toMatchObject([{ ...about, closedAt: null }]);
		const [open] = (await listAlerts(books, {})).items;
		expect(open).toMatchObject({
			title: "The audit log's chain is broken",
			text: expect.stringMatching(/^Line 2 is not what seal 2 was made of/),
		});
		await tamper(books.db, "update audit set subject = 's1' where id = 2");
		books.clock.advance(MINUTE_MS);
		expect((await checkChain(books)).broken).toBeNull();
		expect(await said()).toMatchObject([{ ...about, closedAt: new Date(books.clock.nowMs()) }]);
		await tamper(books.db, "update audit set subject = 'again' where id = 1");
		books.clock.advance(DAY_MS);
		await checkChain(books);
		expect((await said()).map(({ closedAt }) => closedAt === null)).toEqual([false, true]);
	});

	it("reports nothing for an empty audit, and continues with the first entry", async () => {
		expect(await readChainCheck(books.db)).toBeNull();
		expect(await checkChain(books)).toMatchObject({ broken: null, verified: { sequence: 0 } });
		await sealed(1);
		const { verified } = await checkChain(books);
		expect(verified).toEqual({ sequence: 1, hash: (await readHead(books.db))?.hash });
	});
});
