import { and, eq, inArray } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attempt } from "#server/db/schema/attempt.ts";
import { jobMonth } from "#server/db/schema/charge.ts";
import { takenPrice } from "#server/db/schema/work-sum.ts";
import { LOST_STATES } from "#server/domain/lost-work.ts";
import { reason } from "#server/domain/reasons.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { ledgerCalendar, setLedgerZone } from "#server/services/core/ledger-calendar.ts";
import { type JobSpend, spendByJob } from "#server/services/reporting/spend/by-job.ts";
import type { SpendFilters } from "#server/services/reporting/spend/filters.ts";
import { lostWork } from "#server/services/reporting/spend/lost-work.ts";
import { ledgerMonth } from "#server/services/reporting/statement/month.ts";
import { readBurstWaits } from "#server/services/reporting/statement/read-work.ts";
import { chargesOf } from "./charges-of.ts";
import { ledgerCheck } from "./check.ts";
import { meterAll } from "./meter.ts";
import { refundCharge } from "./refund.ts";
import * as test from "./testing/books.ts";

/** T0 is 2026-11-10T10:00Z; the ledger counts Berlin's days, which begin at 23:00 UTC. */
let books: test.Books;
const FROM = Date.UTC(2026, 8, 30, 22);
const TO = Date.UTC(2026, 11, 31, 23);
const ways = ["failed", "interrupted", "evicted", "lost", "cancelled"] as const;

beforeAll(async () => {
	books = await test.openBooks();
	// Placed before the calendar is chosen, so sums counted by UTC until then are counted again.
	const early = await test.addMachine(books, { team: "vision" });
	await setLedgerZone(books, "Europe/Berlin");
	for (let n = 0; n < 12; n++) {
		const machine = await test.addMachine(books, {
			...{ team: n % 3 === 0 ? "risk" : "nlp", project: n % 2 === 0 ? "fraud" : "bert", region: n % 3 === 1 ? "eu-west-1" : "us-east-1" },
			...{ capacityType: n % 5 === 0 ? "on_demand" : "spot", microUsdPerHour: BigInt(1_000_000 - n * 1_000) },
		});
		books.clock.advance(HOUR_MS);
		await test.terminate(books, machine.instanceId);
		await meterAll(books);
		const state = ways[n % ways.length] ?? "failed";
		await books.db
			.update(attempt)
			.set({ state, reason: reason("spot_interruption"), finishedAt: new Date(books.clock.nowMs()) })
			.where(eq(attempt.id, machine.attemptId));
		if (n === 5) {
			const [first] = await chargesOf(books, machine.jobId);
			await refundCharge(books, { chargeId: first?.id ?? "", amountUsd: "0.25", reason: "the disk was slow" });
		}
		books.clock.advance(4 * DAY_MS);
	}
	await test.terminate(books, early.instanceId);
	await meterAll(books);
});
afterAll(() => books.database.drop());

/** Computes the sums from the attempts themselves. */
async function byHand(filters: { team?: string; region?: string; capacityType?: "spot" | "on_demand" }, fromMs: number, toMs: number) {
	const rows = await books.db
		.select()
		.from(attempt)
		.where(
			and(
				inArray(attempt.state, [...LOST_STATES]),
				filters.team ? eq(attempt.team, filters.team) : undefined,
				filters.capacityType ? eq(attempt.capacityType, filters.capacityType) : undefined,
			),
		);
	const kept = rows.filter((r) => {
		const at = r.finishedAt?.getTime() ?? 0;
		return at >= fromMs && at < toMs && (filters.region === undefined || r.placement.region === filters.region);
	});
	return [kept.length, kept.reduce((sum, r) => sum + r.costMicroUsd, 0n), kept.reduce((sum, r) => sum + r.gpuMs, 0n)];
}

describe("sums of wasted work", () => {
	it.each<[string, SpendFilters, { team?: string; region?: string; capacityType?: "spot" | "on_demand" }]>([
		["of all", {}, {}],
		["of a team", { team: ["nlp"] }, { team: "nlp" }],
		["of a region", { region: ["eu-west-1"] }, { region: "eu-west-1" }],
		[
			"of a region of a team, on spot",
			{ region: ["us-east-1"], team: ["risk"], capacityType: ["spot"] },
			{ region: "us-east-1", team: "risk", capacityType: "spot" },
		],
		["of two dimensions", { region: ["us-east-1"], provider: ["aws"] }, { region: "us-east-1" }],
	])("%s equal those of the attempts, over months, days and hours", async (_, filters, plain) => {
		for (const [fromMs, toMs] of [
			[FROM, TO],
			[Date.UTC(2026, 9, 31, 23), Date.UTC(2026, 10, 30, 23)],
			[Date.UTC(2026, 10, 14, 10), Date.UTC(2026, 11, 8, 3)],
		] as const) {
			const { items, totalMicroUsd } = await lostWork(books, { fromMs, toMs, filters });
			const [attempts, cost, gpuMs] = await byHand(plain, fromMs, toMs);
			expect(attempts).toBeGreaterThan(0);
			expect([items.reduce((n, i) => n + i.attempts, 0), totalMicroUsd, items.reduce((n, i) => n + i.gpuMs, 0n)]).toEqual([
				attempts,
				cost,
				gpuMs,
			]);
		}
	});

	it("equal what the nightly check computes, also after a refund and a change of calendar", async () => {
		expect((await ledgerCheck(books)).differences).toEqual([]);
	});

	it("contain the jobs that left home, by team, and the lowest price of the month at which a machine was taken", async () => {
		const calendar = await ledgerCalendar(books.db);
		const waits = await readBurstWaits(books.db, ledgerMonth("2026-11", calendar), null);
		expect(waits.map((w) => [w.team, w.jobs, w.withoutHome])).toEqual([
			["nlp", 4, 4],
			["risk", 2, 2],
			["vision", 1, 1],
		]);
		const [spot] = await books.db
			.select()
			.from(takenPrice)
			.where(
				and(
					eq(takenPrice.region, "us-east-1"),
					eq(takenPrice.capacityType, "spot"),
					eq(takenPrice.monthStart, new Date(Date.UTC(2026, 10, 30, 23))),
				),
			);
		expect(spot?.microUsdPerHour).toBe(989_000n);
	});

	it.each([
		["from September to November, with one job reaching over the end", Date.UTC(2026, 8, 15), Date.UTC(2026, 10, 15)],
		["from November to January, which holds it whole", Date.UTC(2026, 10, 15), Date.UTC(2027, 0, 15)],
		["from December to February, into which it reaches", Date.UTC(2026, 11, 15), Date.UTC(2027, 1, 15)],
		["of December alone", Date.UTC(2026, 11, 15), Date.UTC(2026, 11, 16)],
	])("most expensive jobs %s, page by page, match the jobs' months", async (_, fromMs, toMs) => {
		const found: [string, bigint][] = [];
		let cursor: string | null = null;
		let range = { fromMs, toMs };
		do {
			const page: JobSpend = await spendByJob(books, { fromMs, toMs, limit: 3, ...(cursor === null ? {} : { cursor }) });
			found.push(...page.items.map((i): [string, bigint] => [i.key, i.totalMicroUsd]));
			[cursor, range] = [page.nextCursor, page];
		} while (cursor !== null);
		const sums = new Map<string, bigint>();
		for (const m of await books.db.select().from(jobMonth)) {
			if (m.monthStart.getTime() < range.fromMs || m.monthStart.getTime() >= range.toMs) continue;
			sums.set(m.jobId, (sums.get(m.jobId) ?? 0n) + m.effectiveMicroUsd);
		}
		const wanted = [...sums].sort(([a, x], [b, y]) => Number(y - x) || (a < b ? -1 : 1));
		expect(wanted.length).toBeGreaterThan(3);
		expect(found).toEqual(wanted);
	});

	it("do not deadlock when two transactions end attempts of two teams in opposite order", async () => {
		const teams = ["red", "blue", "blue", "red"];
		const ids: string[] = [];
		for (const team of teams) ids.push((await test.addMachine(books, { team })).attemptId);
		const end = (own: string[]) =>
			books.db.transaction(async (tx) => {
				for (const id of own)
					await tx
						.update(attempt)
						.set({ state: "failed", costMicroUsd: 5n, reason: reason("spot_interruption"), finishedAt: new Date(books.clock.nowMs()) })
						.where(eq(attempt.id, id));
			});
		await Promise.all([end(ids.slice(0, 2)), end(ids.slice(2))]);
		const { differences } = await ledgerCheck(books);
		expect(differences.filter((d) => d.granularity === "work")).toEqual([]);
	});
});
