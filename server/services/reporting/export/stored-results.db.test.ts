import { parse } from "csv-parse/sync";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { artifact } from "#server/db/schema/artifact.ts";
import { charge } from "#server/db/schema/charge.ts";
import { resultDelivery } from "#server/db/schema/delivery-target.ts";
import { store } from "#server/db/schema/store.ts";
import { defined } from "#server/kernel/assert.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { setStorePrice } from "#server/services/capacity/store/set-price.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { ledgerCheck } from "#server/services/ledger/charge/check.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import { meterStorage } from "#server/services/ledger/charge/meter-storage.ts";
import { receiptOf } from "#server/services/ledger/charge/receipt.ts";
import { addJob, type Books, openBooks, readBudget, T0 } from "#server/services/ledger/charge/testing/books.ts";
import { dueDeliveries, recordDelivered } from "#server/services/work/artifact/delivery.ts";
import { recordArtifact } from "#server/services/work/artifact/record.ts";
import { listCharges } from "../spend/charges.ts";
import { spendBy } from "../spend/spend-by.ts";
import { meterLag } from "../statement/meter-lag.ts";
import { exportFocus } from "./focus.ts";

const GIB = 1_073_741_824;
const NOVEMBER = { fromMs: Date.UTC(2026, 10, 1), toMs: Date.UTC(2026, 11, 1) };
const IN_CLOUD = "art_00000000000000000000000001_001_00";
const AT_HOME = "art_00000000000000000000000002_001_00";

let books: Books;
let jobId: string;

beforeAll(async () => {
	books = await openBooks();
	await publish(MONTH);
	await books.db.insert(store).values({
		...{ id: "sto_models", team: "risk", name: "models", isDefault: true, createdAt: new Date(T0) },
		config: { kind: "s3", bucket: "acme-models", provider: "AWS", region: "eu-west-1" },
	});
	await setStorePrice(books, { id: "sto_models", usdPerGiBMonth: "0.03", usdPerGiBEgress: "0.09" });
	await setStorePrice(books, { id: "embedded", usdPerGiBMonth: "0.003", usdPerGiBEgress: null });
	jobId = await addJob(books);
	for (const [id, storeId, to] of [
		[IN_CLOUD, "sto_models", "home:/models"],
		[AT_HOME, null, undefined],
	] as const) {
		const output = { name: id, path: "out", kind: "model" as const, when: "success" as const, keepMs: null, ...(to && { to }) };
		const files = [{ path: "w", bytes: 100 * GIB, sha256: "0".repeat(64) }];
		await recordArtifact(books.db, { id, jobId, attemptId: "att_1", team: "risk", output, files, storeId, atMs: T0 });
	}
});
afterAll(() => books.database.drop());

const MONTH = '    - { id: cloud-month, scope: "true", period: month, capUsd: 100, atCap: hold }';
const RISK = "    - { id: risk, scope: 'job.team == \"risk\"', period: month, capUsd: 50, atCap: hold }";
function publish(...budgets: string[]) {
	const head = ["apiVersion: spillway/v1", "kind: Policy", "metadata: { name: default }", "spec:", "  rules: []", "  budgets:"];
	return publishPolicy(books, { name: "default", message: "test", source: [...head, ...budgets].join("\n") });
}

const chargesOf = (artifactId: string, kind: "storage" | "egress" = "storage") =>
	books.db
		.select({ at: charge.periodStart, microUsd: charge.effectiveMicroUsd })
		.from(charge)
		.where(sql`${charge.artifactId} = ${artifactId} and ${charge.kind} = ${kind}`)
		.orderBy(charge.periodStart)
		.then((rows) => rows.map(({ at, microUsd }): [string, bigint] => [at.toISOString(), microUsd]));

it("a failed meter posts nothing, and two concurrent meters charge each ended day once: $3 a month is 10 cents a day", async () => {
	books.clock.advance(2 * DAY_MS + HOUR_MS);
	await books.database.sql`alter table charge add constraint fails check (kind <> 'storage') not valid`;
	await expect(meterStorage(books)).rejects.toThrow();
	await books.database.sql`alter table charge drop constraint fails`;
	expect(await books.db.$count(artifact, sql`metered_until is not null`)).toBe(0);
	expect(await meterLag(books.db, T0 + DAY_MS)).toBe(2);
	await Promise.all([meterStorage(books), meterStorage(books), meterAll(books)]);
	expect(await chargesOf(IN_CLOUD)).toEqual([
		["2026-11-10T23:00:00.000Z", 58_333n],
		["2026-11-11T23:00:00.000Z", 100_000n],
	]);
	expect(await chargesOf(AT_HOME)).toEqual([
		["2026-11-10T23:00:00.000Z", 5_833n],
		["2026-11-11T23:00:00.000Z", 10_000n],
	]);
	expect(await meterLag(books.db, Date.UTC(2026, 10, 12))).toBe(0);
});

it("charges a download once for its bytes, at the price of the store", async () => {
	const nowMs = books.clock.nowMs();
	const [due] = await dueDeliveries(books.db, nowMs, 1);
	const delivery = defined(due, "a delivery that is due");
	await Promise.all([recordDelivered(books.db, delivery, nowMs), recordDelivered(books.db, delivery, nowMs)]);
	expect((await chargesOf(IN_CLOUD, "egress")).map(([, microUsd]) => microUsd)).toEqual([9_000_000n]);
	expect(await books.db.$count(resultDelivery, eq(resultDelivery.state, "delivered"))).toBe(1);
});

it("charges a deleted result until its deletion, and then its lines are final", async () => {
	const deletedAt = new Date(T0 + 2 * DAY_MS + HOUR_MS);
	await books.db.update(artifact).set({ deletedAt }).where(eq(artifact.id, IN_CLOUD));
	await meterAll(books);
	// 2 days and 1 hour out of 30 days, at $3 per month.
	expect((await chargesOf(IN_CLOUD)).reduce((sum, [, microUsd]) => sum + microUsd, 0n)).toBe(204_166n);
	const { results, totals, kept } = await receiptOf(books, jobId);
	expect(results.map(({ kind, causeId, status, costMicroUsd }) => [kind, causeId, status, costMicroUsd])).toEqual(
		expect.arrayContaining([
			["storage", IN_CLOUD, "posted", 204_166n],
			["egress", IN_CLOUD, "posted", 9_000_000n],
			["storage", AT_HOME, "metered", 15_833n],
		]),
	);
	expect(totals.costMicroUsd).toBe(204_166n + 9_000_000n + 15_833n);
	expect(kept).toMatchObject({ count: 1, microUsdPerMonth: 300_000n, untilMs: null });
});

it("keeps all sums consistent: budgets as posted and recounted, spend by kind, and the underlying charges", async () => {
	const check = await ledgerCheck(books);
	expect(check.differences).toEqual([]);
	expect(check.totals.charges).toBe(9_219_999n);
	// The company's own store is not a cloud cost.
	expect((await readBudget(books, "cloud-month", "2026-11-01")).posted).toBe(9_204_166n);
	await publish(MONTH, RISK);
	expect((await readBudget(books, "risk", "2026-11-01")).posted).toBe(9_204_166n);
	for (const budget of ["cloud-month", "risk"]) {
		const { totals } = await listCharges(books, { ...NOVEMBER, budget, limit: 1 });
		expect(totals.effectiveMicroUsd).toBe(9_204_166n);
	}
	const { items } = await spendBy(books, { ...NOVEMBER, groupBy: "kind" });
	expect(new Map(items.map(({ key, totalMicroUsd }) => [key, totalMicroUsd]))).toEqual(
		new Map([
			["egress", 9_000_000n],
			["storage", 219_999n],
		]),
	);
	const behind = await listCharges(books, { ...NOVEMBER, cause: AT_HOME, limit: 10 });
	expect(behind.items.map(({ cause }) => cause)).toEqual([
		{ kind: "artifact", id: AT_HOME },
		{ kind: "artifact", id: AT_HOME },
	]);
});

it("exports them to FOCUS as storage and data transfer, with quantity and price", async () => {
	const { chunks } = await exportFocus(books, { month: "2026-11" });
	const parts: Buffer[] = [];
	for await (const chunk of chunks) parts.push(chunk);
	const rows: Record<string, string>[] = parse(Buffer.concat(parts), { columns: true });
	const of = (id: string, kind: string) => rows.filter((row) => row["ResourceId"] === id && row["x_Kind"] === kind);
	const [egress] = of(IN_CLOUD, "egress");
	expect(egress).toMatchObject({
		...{ ServiceCategory: "Networking", ServiceName: "AWS Data Transfer", ChargeCategory: "Usage", RegionId: "eu-west-1" },
		...{ PricingQuantity: "100", PricingUnit: "GiB", ListUnitPrice: "0.09", EffectiveCost: "9", BillingAccountName: "risk/models" },
	});
	const [, day] = of(IN_CLOUD, "storage");
	expect(day).toMatchObject({
		...{ ServiceCategory: "Storage", ServiceSubcategory: "Object Storage", ServiceName: "Amazon Simple Storage Service" },
		...{ PricingUnit: "GiB-Months", ListUnitPrice: "0.03", EffectiveCost: "0.1", ResourceType: "Result", SubAccountId: "risk" },
	});
	expect(Number(day?.["PricingQuantity"])).toBeCloseTo(100 / 30, 9);
	expect(of(AT_HOME, "storage")[0]).toMatchObject({
		ProviderName: "Embedded store",
		ServiceName: "Result Storage",
		ListUnitPrice: "0.003",
	});
});
