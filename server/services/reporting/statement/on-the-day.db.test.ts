import { and, eq, isNull } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { channel, delivery } from "#server/db/schema/alert.ts";
import { audit } from "#server/db/schema/audit.ts";
import { statement } from "#server/db/schema/statement.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { postCharges } from "#server/services/ledger/charge/post-charges.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { closeMonth } from "./close.ts";
import { changeClosingDay } from "./closing-day.ts";
import { getStatement } from "./get.ts";
import { listStatements } from "./list.ts";
import { runStatementDay } from "./on-the-day.ts";
import { aRefund } from "./testing/refund.ts";

/** One GPU-hour of risk on 10 November; one company channel, one channel of risk, and others not subscribed to statements. */
let books: test.Books;
beforeAll(async () => {
	books = await test.openBooks();
	const { instanceId } = await test.addMachine(books);
	books.clock.advance(HOUR_MS);
	await test.terminate(books, instanceId);
	await meterAll(books);
	const base = { kind: "email" as const, recipients: ["cfo@example.test"], createdAt: new Date(test.T0), createdBy: "system:seed" };
	await books.db.insert(channel).values([
		{ ...base, id: "chan_company", name: "Finance", topics: ["statement", "money_at_risk"] },
		{ ...base, id: "chan_risk", name: "Risk", topics: ["statement"], team: "risk" },
		{ ...base, id: "chan_nlp", name: "NLP", topics: ["statement"], team: "nlp" },
		{ ...base, id: "chan_off", name: "Off", topics: ["statement"], enabled: false },
		{ ...base, id: "chan_alerts", name: "Alerts", topics: ["money_at_risk"] },
	]);
});
afterAll(() => books.database.drop());

const until = (ms: number): void => books.clock.advance(ms - books.clock.nowMs());

describe("the day set", () => {
	it("defaults to the 3rd, and nothing happens before it", async () => {
		until(Date.UTC(2026, 11, 2, 23, 59));
		expect(await runStatementDay(books)).toEqual({ closed: null, deliveries: 0 });
		expect(await changeClosingDay(books, { day: 5 })).toEqual({ day: 5 });
		until(Date.UTC(2026, 11, 4, 23, 59));
		expect(await runStatementDay(books)).toEqual({ closed: null, deliveries: 0 });
	});

	it("requires permission to close months, appears in the list, is audited once, and cannot be day 31", async () => {
		const scientist: test.Books = {
			...books,
			actor: { kind: "person", accountId: "usr_1", name: "S", role: "data_scientist", teams: ["risk"], via: "session" },
		};
		await expect(changeClosingDay(scientist, { day: 1 })).rejects.toMatchObject({ code: "forbidden" });
		await expect(changeClosingDay(books, { day: 31 })).rejects.toThrow("must be a day from 1 to 28");
		await changeClosingDay(books, { day: 5 });
		const rows = await books.db.select().from(audit).where(eq(audit.action, "statement.day"));
		expect(rows.map((r) => [r.before, r.after])).toEqual([[{ day: 3 }, { day: 5 }]]);
		expect((await listStatements(books)).closing).toEqual({ day: 5, mayChange: true });
		expect((await listStatements(scientist)).closing).toEqual({ day: 5, mayChange: false });
	});

	it("closes the month once with two concurrent schedulers, and sends each subscribed channel its statement once", async () => {
		until(Date.UTC(2026, 11, 5));
		await Promise.all([runStatementDay(books), runStatementDay(books)]);
		expect(await books.db.$count(statement)).toBe(2);
		const sent = await books.db.select().from(delivery).orderBy(delivery.channelId);
		expect(sent.map((d) => [d.channelId, d.message.title, d.message.link, d.state])).toEqual([
			["chan_company", "Statement of 2026-11 for the company", "/statements/2026-11", "pending"],
			["chan_risk", "Statement of 2026-11 for team risk", "/statements/2026-11?team=risk", "pending"],
		]);
		expect(sent[0]?.message.text).toBe("$0.40 in total: $0.00 owned hardware, $0.40 cloud.");
		expect((await getStatement(books, { month: "2026-11", team: "" })).shown?.closedBy).toBe("Spillway, on the day set");
		expect(await runStatementDay(books)).toEqual({ closed: null, deliveries: 0 });
	});

	it("sends a correction as well, with its reason", async () => {
		await books.db.transaction(async (tx) =>
			postCharges(tx, [await aRefund(books, { team: "risk", microUsd: -200_000n })], books.clock.nowMs()),
		);
		await closeMonth(books, { month: "2026-11", correction: "AWS refunded half an hour." });
		expect(await runStatementDay(books)).toEqual({ closed: null, deliveries: 2 });
		const waiting = await books.db
			.select()
			.from(delivery)
			.where(and(eq(delivery.channelId, "chan_company"), isNull(delivery.sentAt)));
		const [again, ...others] = waiting.filter(({ message }) => message.text.includes("replaces"));
		expect(others).toEqual([]);
		expect(again?.message.text).toBe(
			"$0.20 in total: $0.00 owned hardware, $0.20 cloud. It replaces version 1: AWS refunded half an hour.",
		);
	});

	it("writes no statement for a month without charges", async () => {
		until(Date.UTC(2027, 2, 6));
		expect(await runStatementDay(books)).toEqual({ closed: null, deliveries: 0 });
	});
});
