import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_AMOUNTS } from "#server/accounting/amounts.ts";
import { isEquivalent } from "#server/accounting/statement-diff.ts";
import { audit } from "#server/db/schema/audit.ts";
import { statement, statementSignature } from "#server/db/schema/statement.ts";
import { cutOfVersion } from "#server/domain/ledger-cut.ts";
import type { LostChoice } from "#server/domain/lost-work.ts";
import { type ChargesWith, chargesOfLine, LOST_OF_WASTE } from "#server/domain/statement-charges.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { Actor, ServiceContext } from "#server/services/core/context.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { rollbackPolicy } from "#server/services/governance/policy/rollback.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { postCharges } from "#server/services/ledger/charge/post-charges.ts";
import * as test from "#server/services/ledger/charge/testing/books.ts";
import { importRates } from "#server/services/pricing/currency/import-rates.ts";
import { setReportingCurrency } from "#server/services/pricing/currency/reporting-currency.ts";
import { listCharges } from "../spend/charges.ts";
import type { SpendFilters } from "../spend/filters.ts";
import { closeMonth } from "./close.ts";
import { statementCsv } from "./csv.ts";
import { getStatement } from "./get.ts";
import { listStatements } from "./list.ts";
import { noteVariance } from "./note.ts";
import { previewStatement } from "./preview.ts";
import { signStatement } from "./sign.ts";
import { aRefund } from "./testing/refund.ts";

/**
 * A ledger shared by all tests, November 2026: 2 GPUs at $0.60/h from 10 Nov 10:00 to 1 Dec 00:00 (494 h × 2 × 600,000 =
 * 592,800,000). risk uses one of them for 2 h (1,200,000) and a spot g5 for 1 h (404,200, list 1,006,000), interrupted;
 * nlp uses an on-demand g5 for 30 min (503,000). Closed on 3 December at 10:00.
 */
let books: test.Books;
const person = (role: "platform" | "finance" | "data_scientist", teams: string[] = [], id = `usr_${role}`): Actor => {
	return { kind: "person", accountId: id, name: `A ${role}`, role, teams, via: "session" };
};
const as = (actor: Actor): ServiceContext => ({ ...books, actor });
const finance = (): ServiceContext => as(person("finance"));
const MONTH = { month: "2026-11" };
const NOVEMBER = { fromMs: Date.UTC(2026, 10, 1), toMs: Date.UTC(2026, 11, 1) };

/** Monthly budgets in dollars. A budget with an id starting with "nlp" covers only that team. */
const publishCaps = (caps: Record<string, number>) => {
	const scope = (id: string) => (id.startsWith("nlp") ? 'job.team == "nlp"' : "true");
	const budgets = Object.entries(caps).map(
		([id, cap]) => `    - { id: ${id}, scope: '${scope(id)}', period: month, capUsd: ${cap}, atCap: hold }`,
	);
	const source = [
		"apiVersion: spillway/v1",
		"kind: Policy",
		"metadata: { name: default }",
		"spec:",
		"  rules: []",
		"  budgets:",
		...budgets,
	];
	return publishPolicy(books, { name: "default", source: source.join("\n"), message: "caps" });
};

beforeAll(async () => {
	books = await test.openBooks();
	await test.addPool(books, { gpus: 2 });
	const use = await test.addUse(books, { project: "fraud" });
	const spot = await test.addMachine(books);
	books.clock.advance(HOUR_MS);
	await test.terminate(books, spot.instanceId);
	await test.endAttempt(books, spot.attemptId, "interrupted");
	const demanded = await test.addMachine(books, {
		...{ team: "nlp", project: "", class: "experimental", region: "eu-west-1" },
		capacityType: "on_demand",
		microUsdPerHour: 1_006_000n,
	});
	books.clock.advance(HOUR_MS / 2);
	await test.terminate(books, demanded.instanceId);
	books.clock.advance(HOUR_MS / 2);
	await test.endUse(books, use.allocationId);
	await meterAll(books);
	await publishCaps({ "cloud-month": 0.5, "nlp-month": 0.6 });
	await publishCaps({ "cloud-month": 9 });
	books.clock.advance(HOUR_MS);
	await rollbackPolicy(books, { name: "default", version: 1, message: "nine dollars were a slip" });
	books.clock.advance(Date.UTC(2026, 11, 3, 10) - books.clock.nowMs());
	await meterAll(books);
});
afterAll(() => books.database.drop());

const total = (sums: { effectiveMicroUsd: string }): bigint => BigInt(sums.effectiveMicroUsd);

/** Every amount of a statement, with the sum of the charges that it links to. */
async function amountsAndCharges(team: string, version: number): Promise<[string, bigint, bigint][]> {
	const { content } = await getStatement(finance(), { ...MONTH, team, version });
	const asOf = cutOfVersion(content);
	const { fromMs, toMs } = content;
	const ofTeam = team === "" ? {} : { team: [team] };
	const charged = async ({ withoutIdle, ...filters }: ChargesWith & SpendFilters, more: { jobId?: string; lost?: LostChoice } = {}) => {
		const part = {
			filters: { ...filters, ...ofTeam },
			withoutIdle: withoutIdle === true,
			limit: 1,
			...(asOf === null ? {} : { asOf }),
			...more,
		};
		return (await listCharges(finance(), { fromMs, toMs, ...part })).totals.effectiveMicroUsd;
	};
	const found: [string, bigint, bigint][] = [["total", total(content.totals), await charged({})]];
	for (const { key, sums } of content.lines) found.push([key, total(sums), await charged(chargesOfLine(key))]);
	for (const { line, project, sums, provider, capacityType, accelerator } of content.items) {
		const one = {
			provider: [provider],
			capacityType: [capacityType],
			accelerator: [accelerator],
			...(team === "" ? {} : { project: [project] }),
		};
		found.push([`item ${line}`, total(sums), await charged({ ...chargesOfLine(line), ...one })]);
	}
	for (const { key, sums } of content.byProject) found.push([`project ${key}`, total(sums), await charged({ project: [key] })]);
	for (const { jobId, sums } of content.topJobs) found.push([jobId, total(sums), await charged({}, { jobId })]);
	for (const { key, microUsd } of content.waste)
		found.push([
			`waste ${key}`,
			BigInt(microUsd),
			await (key === "idle" ? charged(chargesOfLine("idle")) : charged({}, { lost: LOST_OF_WASTE[key] })),
		]);
	return found;
}
const expectAmountsOfCharges = async (team: string, count: number, version = 0) => {
	const found = await amountsAndCharges(team, version);
	expect(found).toHaveLength(count);
	for (const [name, amount, charged] of found) expect([name, charged]).toEqual([name, amount]);
};

describe("before it is closed", () => {
	it("494 h × 2 × 600,000 = 592,800,000 owned, 1,200,000 of it used; cloud 404,200 + 503,000; nothing is stored", async () => {
		const content = await previewStatement(finance(), { ...MONTH, team: "" });
		expect(total(content.totals)).toBe(593_707_200n);
		expect(content.sides.map((s) => [s.key, total(s.sums)])).toEqual([
			["owned", 592_800_000n],
			["cloud", 907_200n],
		]);
		expect(content.lines.map((l) => [l.key, total(l.sums)])).toEqual([
			["owned", 1_200_000n],
			["idle", 591_600_000n],
			["spot", 404_200n],
			["on_demand", 503_000n],
		]);
		expect(content.previousTotals).toBeNull();
		expect(content.byTeam.map((t) => t.key)).toEqual(["", "risk", "nlp"]);
		expect(await books.db.$count(statement)).toBe(0);
	});

	it("each line, item, project, job and waste amount is the sum of its linked charges, for the company and for a team", async () => {
		await expectAmountsOfCharges("", 1 + 4 + 4 + 2 + 3 + 4);
		await expectAmountsOfCharges("risk", 1 + 2 + 2 + 1 + 2 + 4);
	});

	it("spot saved 1,006,000 − 404,200 = 601,800; interrupted work is 404,200 of waste, idle 591,600,000", async () => {
		const { savings, waste } = await previewStatement(finance(), { ...MONTH, team: "" });
		expect(savings.find((s) => s.key === "spot_against_on_demand")?.microUsd).toBe("601800");
		expect(Object.fromEntries(waste.map((w) => [w.key, w.microUsd]))).toEqual({
			failed: "0",
			interrupted: "404200",
			cancelled: "0",
			idle: "591600000",
		});
	});

	it("a team sees only its own part: 1,200,000 + 404,200 for risk, without idle hardware", async () => {
		const content = await previewStatement(as(person("data_scientist", ["risk"])), { ...MONTH, team: "risk" });
		expect(total(content.totals)).toBe(1_604_200n);
		expect(content.byTeam).toEqual([]);
		expect(content.topJobs.map((j) => [j.team, total(j.sums)])).toEqual([
			["risk", 1_200_000n],
			["risk", 404_200n],
		]);
	});

	it("is hidden from other teams, and the company's is hidden from data scientists", async () => {
		const scientist = as(person("data_scientist", ["nlp"]));
		await expect(previewStatement(scientist, { ...MONTH, team: "risk" })).rejects.toMatchObject({ code: "forbidden" });
		await expect(getStatement(scientist, { ...MONTH, team: "" })).rejects.toMatchObject({ code: "forbidden" });
		expect(await listStatements(scientist)).toMatchObject({ team: "nlp", teams: ["nlp"] });
		await expect(closeMonth(scientist, MONTH)).rejects.toMatchObject({ code: "forbidden" });
		await expect(listStatements(as(person("data_scientist")))).resolves.toMatchObject({ team: null, items: [] });
	});

	it("rejects a month that is not over, a month without charges and an invalid month", async () => {
		await expect(closeMonth(finance(), { month: "2026-12" })).rejects.toMatchObject({ code: "conflict" });
		await expect(closeMonth(finance(), { month: "2026-01" })).rejects.toMatchObject({ code: "conflict" });
		await expect(closeMonth(finance(), { month: "2026-13" })).rejects.toThrow();
		await expect(getStatement(finance(), { month: "2026-1", team: "" })).rejects.toThrow();
	});
});

describe("closing", () => {
	it("writes one audited version each for the company, nlp and risk when called twice at once", async () => {
		const closings = await Promise.allSettled([closeMonth(finance(), MONTH), closeMonth(as(person("platform")), MONTH)]);
		expect(closings.map((c) => c.status).sort()).toEqual(["fulfilled", "rejected"]);
		const rows = await books.db.select().from(statement);
		expect(rows.map((r) => [r.team, r.version]).sort()).toEqual([
			["", 1],
			["nlp", 1],
			["risk", 1],
		]);
		expect(await books.db.$count(audit, eq(audit.action, "statement.close"))).toBe(3);
	});

	it("passes every check: the teams and amounts without a team add up to the company", async () => {
		const view = await getStatement(finance(), { ...MONTH, team: "" });
		expect(view.checks.map((c) => [c.key, c.ok])).toEqual([
			["lines_add_up", true],
			["projects_add_up", true],
			["teams_add_up", true],
			["bills_explained", null],
		]);
		expect(view).toMatchObject({ state: "closed", over: true, intact: true, changedSince: null });
		expect(view.others.map((o) => [o.team, o.totalMicroUsd])).toEqual([
			["nlp", "503000"],
			["risk", "1604200"],
		]);
	});

	it.each(["", "risk", "nlp"])("stores the same content for %j as its preview", async (team) => {
		const { content } = await getStatement(finance(), { ...MONTH, team });
		expect(isEquivalent(await previewStatement(finance(), { ...MONTH, team }), content)).toBe(true);
	});

	it("writes nothing when repeated without a reason or without a change", async () => {
		await expect(closeMonth(finance(), MONTH)).rejects.toMatchObject({ code: "invalid_input" });
		await expect(closeMonth(finance(), { ...MONTH, correction: "for the sake of it" })).rejects.toMatchObject({ code: "conflict" });
		expect(await books.db.$count(statement)).toBe(3);
	});

	it("stores statements that cannot be changed", async () => {
		await expect(books.db.update(statement).set({ closedBy: "somebody" })).rejects.toThrow();
	});
});

describe("signing", () => {
	it("binds the hash that was read, counts one person once, and shows who closed the month", async () => {
		const { shown } = await getStatement(finance(), { ...MONTH, team: "risk" });
		const sha256 = shown?.sha256 ?? "";
		await expect(signStatement(finance(), { ...MONTH, team: "risk", sha256: "0".repeat(64) })).rejects.toMatchObject({
			code: "precondition_failed",
		});
		await signStatement(finance(), { ...MONTH, team: "risk", sha256 });
		await signStatement(finance(), { ...MONTH, team: "risk", sha256 });
		await signStatement(as(person("platform")), { ...MONTH, team: "risk", sha256 });
		expect(await books.db.$count(statementSignature)).toBe(2);
		const view = await getStatement(finance(), { ...MONTH, team: "risk" });
		expect(view.state).toBe("signed");
		expect(view.shown?.signatures.filter((s) => s.closedItToo)).toHaveLength(1);
		expect(await books.db.$count(audit, eq(audit.action, "statement.sign"))).toBe(2);
	});

	it("requires a platform or finance role and a closed month", async () => {
		const sha256 = "0".repeat(64);
		await expect(signStatement(as(person("data_scientist", ["risk"])), { ...MONTH, team: "risk", sha256 })).rejects.toMatchObject({
			code: "forbidden",
		});
		await expect(signStatement(finance(), { month: "2026-10", team: "", sha256 })).rejects.toMatchObject({ code: "not_found" });
		await expect(signStatement(books, { ...MONTH, team: "", sha256 })).rejects.toMatchObject({ code: "forbidden" });
	});
});

describe("corrections", () => {
	it("show a 4,200 refund to nlp after closing as a change for nlp and the company, but not for risk", async () => {
		await books.db.transaction(async (tx) =>
			postCharges(tx, [await aRefund(books, { team: "nlp", microUsd: -4_200n })], books.clock.nowMs()),
		);
		expect((await getStatement(finance(), { ...MONTH, team: "nlp" })).changedSince).toEqual({ deltaMicroUsd: -4_200n, charges: 1 });
		const { items } = await listStatements(finance());
		expect(items.find((i) => i.month === "2026-11")).toMatchObject({
			state: "changed",
			closed: { version: 1, changedSince: { deltaMicroUsd: -4_200n } },
		});
		expect((await getStatement(finance(), { ...MONTH, team: "risk" })).state).toBe("signed");
	});

	it("write version 2 only of changed statements, with the reason, the previous hash and the difference by line", async () => {
		const before = await getStatement(finance(), { ...MONTH, team: "nlp" });
		const closed = await closeMonth(finance(), { ...MONTH, correction: "AWS refunded a failed start" });
		expect(closed.written.map((w) => [w.team, w.version])).toEqual([
			["", 2],
			["nlp", 2],
		]);
		expect(closed.unchanged).toEqual(["risk"]);
		const view = await getStatement(finance(), { ...MONTH, team: "nlp" });
		expect(view.content).toMatchObject({ version: 2, replaces: before.shown?.sha256 });
		expect(view.shown).toMatchObject({ version: 2, correction: "AWS refunded a failed start", totalMicroUsd: "498800", signatures: [] });
		expect(view.shown?.differences).toContainEqual({
			...{ section: "line", key: "adjustment", beforeMicroUsd: null, afterMicroUsd: "-4200", deltaMicroUsd: "-4200" },
		});
		expect(view.shown?.differences.at(-1)).toMatchObject({ section: "total", deltaMicroUsd: "-4200" });
		expect(view.changedSince).toBeNull();
	});

	it("keep every amount the sum of its charges after correcting a job and idle hardware, each in its line", async () => {
		const [idle] = (
			await listCharges(finance(), { fromMs: Date.UTC(2026, 10, 20), toMs: Date.UTC(2026, 10, 21), filters: { kind: ["idle"] } })
		).items;
		if (!idle) throw new Error("no idle charge");
		const { id: _, jobName: __, cause: ___, ...draft } = idle;
		const correction = { ...draft, dimensions: { ...idle.dimensions, kind: "adjustment" as const }, correction: "rate_card" as const };
		const cents = { listMicroUsd: 700n, contractedMicroUsd: 700n, effectiveMicroUsd: 700n, billedMicroUsd: 0n };
		await books.db.transaction((tx) => postCharges(tx, [{ ...correction, ...NO_AMOUNTS, ...cents }], books.clock.nowMs()));
		const { lines } = await previewStatement(finance(), { ...MONTH, team: "" });
		expect(lines.map((l) => [l.key, total(l.sums)])).toContainEqual(["idle", 591_600_700n]);
		expect(lines.map((l) => [l.key, total(l.sums)])).toContainEqual(["adjustment", -4_200n]);
		await expectAmountsOfCharges("", 1 + 5 + 5 + 2 + 4 + 4);
	});

	it("keep every amount of every closed version the sum of its charges at that time", async () => {
		await expectAmountsOfCharges("", 1 + 4 + 4 + 2 + 3 + 4, 1);
		await expectAmountsOfCharges("nlp", 1 + 1 + 1 + 1 + 1 + 4, 1);
		await expectAmountsOfCharges("", 1 + 5 + 5 + 2 + 4 + 4, 2);
		await expectAmountsOfCharges("nlp", 1 + 2 + 2 + 1 + 2 + 4, 2);
		await expectAmountsOfCharges("risk", 1 + 2 + 2 + 1 + 2 + 4, 1);
	});

	it("show later postings separately, also as a selection: -4,200 between the versions, 700 after both", async () => {
		const of = async (cuts: { asOf?: string; since?: string }) => listCharges(finance(), { ...NOVEMBER, ...cuts });
		const [first, between, later] = [
			await of({ asOf: "2026-11/1" }),
			await of({ since: "2026-11/1", asOf: "2026-11/2" }),
			await of({ since: "2026-11/2" }),
		];
		expect(first.later).toEqual({ charges: 2n, effectiveMicroUsd: -3_500n });
		expect(first.asOf).toEqual({ atMs: expect.any(Number), statement: { month: "2026-11", team: "", version: 1 } });
		expect(between.items.map((c) => [c.correction, c.effectiveMicroUsd])).toEqual([["refund", -4_200n]]);
		expect(later.items.map((c) => [c.correction, c.effectiveMicroUsd])).toEqual([["rate_card", 700n]]);
		const parts = first.totals.effectiveMicroUsd + between.totals.effectiveMicroUsd + later.totals.effectiveMicroUsd;
		expect(parts).toBe((await of({})).totals.effectiveMicroUsd);
	});

	it("end the pages of a version's charges with its last charge, with or without late charges among their hours", async () => {
		const ids = new Set<string>();
		let cursor: string | null | undefined;
		while (cursor !== null) {
			const page = await listCharges(finance(), {
				...NOVEMBER,
				asOf: "2026-11/1",
				limit: 200,
				...(cursor === undefined ? {} : { cursor }),
			});
			for (const { id } of page.items) ids.add(id);
			cursor = page.nextCursor;
			expect(page.items.every((c) => c.correction === null)).toBe(true);
			expect(page.totals.charges).toBe(BigInt((await getStatement(finance(), { ...MONTH, team: "", version: 1 })).content.charges));
		}
		expect(ids.size).toBe((await getStatement(finance(), { ...MONTH, team: "", version: 1 })).content.charges);
	});

	it("reject a version that was never written, another team's version and an invalid cut", async () => {
		const of = (asOf: string, ctx = finance()) => listCharges(ctx, { ...NOVEMBER, asOf });
		await expect(of("2026-11/9")).rejects.toMatchObject({ code: "not_found" });
		await expect(of("2026-11/1/risk", as(person("data_scientist", ["nlp"])))).rejects.toMatchObject({ code: "forbidden" });
		await expect(of("last week")).rejects.toMatchObject({ code: "invalid_input", fields: [{ path: "asOf" }] });
		expect((await of("2026-11-10T10:00:00Z")).totals.charges).toBe(0n);
	});

	it("keep the first version unchanged", async () => {
		const view = await getStatement(finance(), { ...MONTH, team: "nlp", version: 1 });
		expect(view).toMatchObject({ intact: true, shown: { version: 1, totalMicroUsd: "503000" } });
		await expect(getStatement(finance(), { ...MONTH, team: "nlp", version: 7 })).rejects.toMatchObject({ code: "not_found" });
	});
});

describe("budgets against actual", () => {
	it("use the caps at the end of November, after the rollback: 907,200 − 500,000 = 407,200 over, and nlp 503,000 − 600,000 = 97,000 under", async () => {
		const of = async (team: string) =>
			(await previewStatement(finance(), { ...MONTH, team })).budgets.map((b) => [b.id, b.postedMicroUsd, b.varianceMicroUsd]);
		const nlp = ["nlp-month", "503000", "-97000"];
		expect(await of("")).toEqual([["cloud-month", "907200", "407200"], nlp]);
		expect(await of("nlp")).toEqual([nlp]);
		expect(await of("risk")).toEqual([]);
		await publishCaps({ "cloud-month": 7, "december-month": 1 });
		expect(await of("")).toEqual([["cloud-month", "907200", "407200"], nlp]);
	});
});

describe("writers concurrent with a close", () => {
	const refund = async (microUsd: bigint) => aRefund(books, { team: "nlp", microUsd });

	it("are included if they inserted before it, even with a fast clock, and excluded if they waited, even with a slow clock", async () => {
		const [ahead, behind] = [await refund(-11n), await refund(-13n)];
		const nowMs = books.clock.nowMs();
		const inserted = Promise.withResolvers<void>();
		const committing = Promise.withResolvers<void>();
		const first = books.db.transaction(async (tx) => {
			await postCharges(tx, [ahead], nowMs + HOUR_MS);
			inserted.resolve();
			await committing.promise;
		});
		await inserted.promise;
		const closing = closeMonth(finance(), { ...MONTH, correction: "two writers at once" });
		await lockWaiters(1);
		const second = books.db.transaction((tx) => postCharges(tx, [behind], nowMs - HOUR_MS));
		await lockWaiters(2);
		committing.resolve();
		await Promise.all([first, closing, second]);
		const { version } = (await getStatement(finance(), { ...MONTH, team: "nlp" })).versions[0] ?? { version: 0 };
		expect(version).toBe(3);
		const { items, later } = await listCharges(finance(), { ...NOVEMBER, filters: { team: ["nlp"] }, asOf: `2026-11/${version}/nlp` });
		expect(items.map((c) => c.effectiveMicroUsd)).toContain(-11n);
		expect(items.map((c) => c.effectiveMicroUsd)).not.toContain(-13n);
		expect(later).toEqual({ charges: 1n, effectiveMicroUsd: -13n });
		await expectAmountsOfCharges("nlp", 1 + 2 + 2 + 1 + 3 + 4, version);
		await expectAmountsOfCharges("", 1 + 5 + 5 + 2 + 5 + 4, (await getStatement(finance(), { ...MONTH, team: "" })).versions[0]?.version);
	});

	async function lockWaiters(count: number): Promise<void> {
		for (;;) {
			const [row] = await books.db.execute<{ waiting: number }>(
				sql`select count(*)::int as waiting from pg_locks where not granted and relation = 'charge'::regclass`,
			);
			if ((row?.waiting ?? 0) >= count) return;
		}
	}
});

describe("notes", () => {
	it("appear on the next version and require permission to close", async () => {
		await expect(
			noteVariance(as(person("data_scientist", ["risk"])), { ...MONTH, team: "risk", subject: "bill:aws", text: "no" }),
		).rejects.toMatchObject({ code: "forbidden" });
		await expect(noteVariance(finance(), { ...MONTH, subject: "weather", text: "rain" })).rejects.toThrow();
		await noteVariance(finance(), { ...MONTH, subject: "budget:cloud-month", text: "Release week" });
		expect(await books.db.$count(audit, eq(audit.action, "statement.note"))).toBe(1);
	});
});

describe("in the reporting currency", () => {
	const COMPANY = { ...MONTH, team: "" };
	const take = (lines: string) => importRates(books, { text: `date,currency,rate\n${lines}`, message: "Treasury" });
	/** Each day of November has a rate that is at most 31 days old. */
	const EUROS = "2026-11-09,EUR,0.5\n2026-11-20,EUR,0.25\n";

	it("shows a preview without rates in dollars with the reason, and rejects closing and an explicit currency", async () => {
		await take("2026-12-02,EUR,0.5\n");
		await setReportingCurrency(books, { currency: "EUR" });
		const { content, currencyProblem } = await getStatement(finance(), { ...COMPANY, version: 0 });
		expect(content.inCurrency).toBeUndefined();
		expect(currencyProblem).toMatch(/^No exchange rate for EUR on 2026-11-\d\d\.$/);
		await expect(getStatement(finance(), { ...COMPANY, version: 0, currency: "EUR" })).rejects.toThrow("No exchange rate for EUR");
		await expect(closeMonth(finance(), { ...MONTH, correction: "without rates" })).rejects.toThrow("No exchange rate for EUR");
	});

	it("freezes amounts and rates at closing: rates imported later change the preview but not the closed version", async () => {
		await take(EUROS);
		await books.db.transaction(async (tx) =>
			postCharges(tx, [await aRefund(books, { team: "nlp", microUsd: -2_000n })], books.clock.nowMs()),
		);
		const { written } = await closeMonth(finance(), { ...MONTH, correction: "A refund" });
		expect(written.map(({ team }) => team)).toEqual(["", "nlp"]);
		const closed = await getStatement(finance(), COMPANY);
		const converted = closed.content.inCurrency;
		if (!converted) throw new Error("not converted");
		expect(converted).toMatchObject({
			currency: "EUR",
			rates: [
				{ date: "2026-11-09", units: "0.5" },
				{ date: "2026-11-20", units: "0.25" },
			],
		});
		const sum = (list: readonly { micro: string }[]) => list.reduce((total, { micro }) => total + BigInt(micro), 0n).toString();
		for (const list of [converted.lines, converted.sides, converted.byTeam, converted.byProject])
			expect(sum(list)).toBe(converted.totalMicro);
		expect(statementCsv(closed)).toMatch(/\r\nconverted,Total,total,.*,EUR,\d+\.\d{6}\r\n/);

		await take("2026-11-09,EUR,0.9\n");
		const later = await getStatement(finance(), COMPANY);
		expect(later).toMatchObject({ intact: true, content: { inCurrency: converted } });
		expect((await getStatement(finance(), { ...COMPANY, version: 0 })).content.inCurrency?.totalMicro).not.toBe(converted.totalMicro);
		await expect(closeMonth(finance(), { ...MONTH, correction: "New rates" })).rejects.toThrow("has not changed");
		await expect(getStatement(finance(), { ...COMPANY, currency: "GBP" })).rejects.toThrow(/closed in USD and EUR, without rates for GBP/);
	});
});
