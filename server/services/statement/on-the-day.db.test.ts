import { and, eq, isNull } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { channel, delivery } from "#server/db/schema/alert.ts";
import { setting } from "#server/db/schema/setting.ts";
import { statement } from "#server/db/schema/statement.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { meterAll } from "../ledger/meter.ts";
import { postCharges } from "../ledger/post-charges.ts";
import * as test from "../ledger/testing/books.ts";
import { closeMonth } from "./close.ts";
import { getStatement } from "./get.ts";
import { statementsOnTheDay } from "./on-the-day.ts";
import { aRefund } from "./testing/refund.ts";

/** One GPU-hour of risk on 10 November; one channel of the company, one of risk, and others that want no statements. */
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
	it("nothing happens before it: the 3rd, unless another day is set", async () => {
		until(Date.UTC(2026, 11, 2, 23, 59));
		expect(await statementsOnTheDay(books)).toEqual({ closed: null, deliveries: 0 });
		await books.db.insert(setting).values({ key: "statement_day", value: 5 });
		until(Date.UTC(2026, 11, 4, 23, 59));
		expect(await statementsOnTheDay(books)).toEqual({ closed: null, deliveries: 0 });
	});

	it("two schedulers at once close the month once, and each channel that asked gets its statement once", async () => {
		until(Date.UTC(2026, 11, 5));
		await Promise.all([statementsOnTheDay(books), statementsOnTheDay(books)]);
		expect(await books.db.$count(statement)).toBe(2);
		const sent = await books.db.select().from(delivery).orderBy(delivery.channelId);
		expect(sent.map((d) => [d.channelId, d.message.title, d.message.link, d.state])).toEqual([
			["chan_company", "Statement of 2026-11 for the company", "/statements/2026-11", "pending"],
			["chan_risk", "Statement of 2026-11 for team risk", "/statements/2026-11?team=risk", "pending"],
		]);
		expect(sent[0]?.message.text).toBe("$0.40 in all: $0.00 owned hardware, $0.40 cloud.");
		expect((await getStatement(books, { month: "2026-11", team: "" })).shown?.closedBy).toBe("Spillway, on the day set");
		expect(await statementsOnTheDay(books)).toEqual({ closed: null, deliveries: 0 });
	});

	it("a correction is sent as well, with its reason", async () => {
		await books.db.transaction(async (tx) =>
			postCharges(tx, [await aRefund(books, { team: "risk", microUsd: -200_000n })], books.clock.nowMs()),
		);
		await closeMonth(books, { month: "2026-11", correction: "AWS refunded half an hour." });
		expect(await statementsOnTheDay(books)).toEqual({ closed: null, deliveries: 2 });
		const waiting = await books.db
			.select()
			.from(delivery)
			.where(and(eq(delivery.channelId, "chan_company"), isNull(delivery.sentAt)));
		const [again, ...others] = waiting.filter(({ message }) => message.text.includes("replaces"));
		expect(others).toEqual([]);
		expect(again?.message.text).toBe("$0.20 in all: $0.00 owned hardware, $0.20 cloud. It replaces version 1: AWS refunded half an hour.");
	});

	it("a month without charges has no statement", async () => {
		until(Date.UTC(2027, 2, 6));
		expect(await statementsOnTheDay(books)).toEqual({ closed: null, deliveries: 0 });
	});
});
