import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { account, apiToken } from "#server/db/schema/account.ts";
import { alert, delivery } from "#server/db/schema/alert.ts";
import { site } from "#server/db/schema/site.ts";
import { CHANNEL_TOPICS } from "#server/domain/alert.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { writeHeartbeat } from "#server/services/core/heartbeat.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { createChannel } from "#server/services/notification/channel/create.ts";
import { importRates } from "#server/services/pricing/currency/import-rates.ts";
import { setReportingCurrency } from "#server/services/pricing/currency/reporting-currency.ts";
import { runStatementDay } from "#server/services/reporting/statement/on-the-day.ts";
import { recordExpiries } from "../expiry/record.ts";
import { evaluateAlerts } from "./evaluate.ts";
import { watchLeader } from "./watch-leader.ts";

let books: test.Books;
beforeAll(async () => {
	books = await test.openBooks();
	for (const kind of ["slack", "webhook", "cloudevents"] as const)
		await createChannel(
			{ ...books, secret: "a secret of this test" },
			{ kind, name: kind, topics: [...CHANNEL_TOPICS], team: null, url: "https://hooks.example.com/x" },
		);
});
afterAll(() => books.database.drop());

const openRules = async (): Promise<string[]> => {
	const rows = await books.db.select().from(alert);
	return rows
		.filter(({ closedAt }) => closedAt === null)
		.map(({ rule, subject }) => `${rule} ${subject}`)
		.sort();
};

it("opens alerts for the platform team, sends them to every channel, and closes them", async () => {
	const nowMs = books.clock.nowMs();
	const { jobId } = await test.addMachine(books, { team: "risk" });
	const created = new Date(nowMs - DAY_MS);
	await books.db.insert(account).values({
		id: "usr_ci",
		email: "ci@example.test",
		name: "CI",
		role: "data_scientist",
		teams: ["risk"],
		service: true,
		createdAt: created,
	});
	const token = { accountId: "usr_ci", hash: "a", createdAt: created, expiresAt: new Date(nowMs + HOUR_MS) };
	await books.db.insert(apiToken).values([
		{ ...token, id: "tok_soon", name: "soon" },
		{ ...token, id: "tok_later", name: "later", hash: "b", expiresAt: new Date(nowMs + 300 * DAY_MS) },
		{ ...token, id: "tok_revoked", name: "revoked", hash: "c", revokedAt: new Date(nowMs) },
	]);
	await recordExpiries(books.db, [
		{
			subject: "url:a.example.com",
			what: "certificate",
			name: "The certificate of a.example.com",
			startsAtMs: null,
			expiresAtMs: nowMs + DAY_MS,
		},
	]);
	await books.database.sql`update attempt set state = 'staging', staging_at = ${created} where job_id = ${jobId}`;
	await books.db.update(site).set({ healthy: false, healthMessage: "timeout", unhealthySince: new Date(nowMs - 6 * MINUTE_MS) });
	const siteIds = (await books.db.select({ id: site.id }).from(site)).map(({ id }) => `site_unhealthy ${id}`);
	await evaluateAlerts(books);
	expect(await openRules()).toEqual(
		["credential_expiring token:tok_soon", "credential_expiring url:a.example.com", `job_stuck ${jobId}`, ...siteIds].sort(),
	);
	expect(await books.db.$count(delivery)).toBe(3 * (await openRules()).length);
	await books.db.update(site).set({ healthy: true, unhealthySince: null });
	await books.db
		.update(apiToken)
		.set({ revokedAt: new Date(nowMs) })
		.where(eq(apiToken.id, "tok_soon"));
	await recordExpiries(books.db, []);
	await books.database.sql`update attempt set staging_at = ${new Date(nowMs)} where job_id = ${jobId}`;
	await evaluateAlerts(books);
	expect(await openRules()).toEqual([]);
});

it("opens once from a web server when no scheduler leads, until one leads", async () => {
	expect(await watchLeader(books)).toBe(false);
	await writeHeartbeat(books.db, { instance: "a", atMs: books.clock.nowMs(), lastCycle: null });
	books.clock.advance(MINUTE_MS);
	expect(await watchLeader(books)).toBe(false);
	books.clock.advance(2 * MINUTE_MS);
	await Promise.all([watchLeader(books), watchLeader(books)]);
	expect(await watchLeader(books)).toBe(true);
	expect(await openRules()).toEqual(["no_leader scheduler"]);
	await evaluateAlerts(books);
	expect(await openRules()).toEqual([]);
});

it("opens when closing a month waits for exchange rates, links to them, and closes when they are imported", async () => {
	const { instanceId } = await test.addMachine(books, { team: "risk" });
	books.clock.advance(HOUR_MS);
	await test.terminate(books, instanceId);
	await meterAll(books);
	await importRates(books, { text: "date,currency,rate\n2026-09-01,EUR,0.9\n", message: "Treasury" });
	await setReportingCurrency(books, { currency: "EUR" });
	const waits = async () => (await openRules()).filter((rule) => rule.startsWith("rates_missing"));
	await evaluateAlerts(books);
	expect(await waits()).toEqual([]);
	books.clock.advance(Date.UTC(2026, 11, 3) - books.clock.nowMs());
	await meterAll(books);
	expect(await runStatementDay(books)).toMatchObject({ closed: null });
	await evaluateAlerts(books);
	expect(await waits()).toEqual(["rates_missing 2026-11/EUR/2026-11-10"]);
	const [opened] = await books.db.select().from(alert).where(eq(alert.rule, "rates_missing"));
	const sent = await books.db
		.select()
		.from(delivery)
		.where(eq(delivery.about, `alert:${opened?.id}`));
	expect(sent.map(({ message }) => message.link)).toEqual(Array.from({ length: 3 }, () => "/settings/currency"));
	await importRates(books, { text: "date,currency,rate\n2026-11-09,EUR,0.9\n", message: "Treasury" });
	await evaluateAlerts(books);
	expect(await waits()).toEqual([]);
	expect(await runStatementDay(books)).toMatchObject({ closed: "2026-11" });
});
