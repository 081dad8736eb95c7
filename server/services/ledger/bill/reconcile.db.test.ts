import { gzipSync } from "node:zlib";
import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connect } from "#server/db/client.ts";
import { alert } from "#server/db/schema/alert.ts";
import { bill, reconciliation } from "#server/db/schema/bill.ts";
import { charge } from "#server/db/schema/charge.ts";
import { instance } from "#server/db/schema/instance.ts";
import { keptMachine } from "#server/db/schema/kept-machine.ts";
import { setLedgerZone } from "#server/services/core/ledger-calendar.ts";
import { addUploadPart } from "#server/services/core/upload.ts";
import { listCharges } from "#server/services/reporting/spend/charges.ts";
import { ledgerCheck } from "../charge/check.ts";
import { meterAll } from "../charge/meter.ts";
import { meterKept } from "../charge/meter-kept.ts";
import { addMachine, type Books, chargedTo, openBooks, readInstance, readJob, T0, terminate } from "../charge/testing/books.ts";
import { readReconciliationHistory } from "./history.ts";
import { importBill } from "./import.ts";
import { importUploadedBill } from "./import-uploaded.ts";
import { reconcileMonth } from "./reconcile.ts";
import { readReconciliation } from "./reconciliation.ts";
import { listResourceLines } from "./resource-lines.ts";

const HOUR = 3_600_000;
const HEAD =
	"BilledCost,BillingCurrency,BillingPeriodStart,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,ContractedCost,EffectiveCost,ListCost,ProviderName,ResourceId,Tags,ConsumedQuantity,ConsumedUnit,InvoiceId";

let books: Books;
beforeEach(async () => {
	books = await openBooks();
});
afterEach(() => books.database.drop());

interface Line {
	cost: string;
	resource?: string;
	hour?: number;
	hours?: string;
	unit?: string;
	category?: string;
	tag?: string;
	invoice?: string;
	list?: string;
}

const iso = (ms: number) => new Date(ms).toISOString();

function aLine({
	cost,
	resource = "NULL",
	hour = 0,
	hours = "1",
	unit = "Hours",
	category = "Usage",
	tag,
	invoice = "NULL",
	list = cost,
}: Line): string {
	const tags = tag === undefined ? "NULL" : `"{""spillway:instance"": ""${tag}""}"`;
	const period = `${iso(T0 + hour * HOUR)},${iso(T0 + (hour + 1) * HOUR)}`;
	return `${cost},USD,2026-11-01T00:00:00Z,${category},${period},${cost},${cost},${list},AWS,${resource},${tags},${hours},${unit},${invoice}`;
}

async function reconciled(...lines: Line[]): Promise<void> {
	const bytes = Buffer.from([HEAD, ...lines.map(aLine)].join("\n"));
	await importBill(books, {
		fileName: "aws.csv",
		bytes: (async function* () {
			yield bytes;
		})(),
	});
	await again();
}

async function again(options: { final?: boolean } = {}): Promise<void> {
	books.clock.advance(60_000);
	await reconcileMonth(books, { month: "2026-11", ...options });
}

/** One on-demand machine at $1/h for three hours, metered to its end. */
async function threeHours() {
	const machine = await addMachine(books, { capacityType: "on_demand", microUsdPerHour: 1_000_000n, onDemandMicroUsdPerHour: 1_000_000n });
	books.clock.advance(3 * HOUR);
	await terminate(books, machine.instanceId);
	await meterAll(books);
	const { providerInstanceId } = await readInstance(books, machine.instanceId);
	return { ...machine, resource: providerInstanceId ?? "" };
}

const rows = () => books.db.select().from(reconciliation).orderBy(reconciliation.resourceId);
const corrections = () =>
	books.db
		.select({ correction: charge.correction, kind: charge.kind, effective: charge.effectiveMicroUsd, gpuMs: charge.gpuMs })
		.from(charge)
		.where(isNotNull(charge.correction));

async function expectSoundLedger(): Promise<void> {
	expect((await ledgerCheck(books)).differences).toEqual([]);
}

describe("the history of reconciliations", () => {
	it("lists, in Auckland's ledger: +$0.30, nothing, then a credit, a tax and $1.00 of time less $1.05 of price, each with the charges of UTC's November", async () => {
		await setLedgerZone(books, "Pacific/Auckland");
		// Auckland's November ends on 30 November, 11:00 UTC; the bill's continues.
		books.clock.advance(Date.UTC(2026, 10, 30, 22) - T0);
		const { resource, instanceId } = await threeHours();
		const shift = (Date.UTC(2026, 10, 30, 22) - T0) / HOUR;
		const first = { cost: "1.3", resource, hour: shift };
		await reconciled(first, { cost: "1", resource, hour: shift + 1 });
		await again();
		await reconciled(
			{ cost: "-1", category: "Credit", hour: shift - 300 },
			{ cost: "0.01", category: "Tax", hour: shift - 301 },
			{ cost: "-0.05", resource, hour: shift + 1 },
		);
		const { runs, truncated } = await readReconciliationHistory(books, { month: "2026-11" });
		expect(truncated).toBe(false);
		const posted = runs.map(({ posted }) => posted.map((p) => [p.provider, p.what, p.charges, p.effectiveMicroUsd]));
		expect(posted).toEqual([
			[
				["aws", "corrections", 2, "-50000"],
				["aws", "invoice_items", 2, "-990000"],
			],
			[],
			[["aws", "corrections", 1, "300000"]],
		]);
		expect(runs.map(({ by, final }) => [by, final])).toEqual(Array(3).fill(["system:seed", false]));
		expect(runs.map((run) => run.since)).toEqual([runs[1]?.at, runs[2]?.at, null]);
		// Uses the same queries as the page's links.
		const month = { fromMs: Date.UTC(2026, 10, 1), toMs: Date.UTC(2026, 11, 1) };
		for (const { at, since, posted } of runs)
			for (const { what, charges, effectiveMicroUsd } of posted) {
				const of =
					what === "corrections"
						? {
								correction: ["bill_price" as const, "bill_time" as const, "bill_unknown" as const],
								filters: { kind: ["adjustment" as const] },
							}
						: { filters: { kind: ["credit" as const, "tax" as const] } };
				const { totals } = await listCharges(books, { ...month, asOf: at, ...(since === null ? {} : { since }), ...of });
				expect([Number(totals.charges), totals.effectiveMicroUsd.toString()]).toEqual([charges, effectiveMicroUsd]);
			}
		// The machine ran until 01:00 on 1 December, so two of its three hours are in the bill's month.
		const { totals } = await listCharges(books, { ...month, cause: instanceId });
		expect(totals.effectiveMicroUsd).toBe(2_250_000n);
		expect(await readReconciliationHistory(books, { month: "2026-11", provider: "gcp" })).toMatchObject({
			runs: [{ posted: [] }, { posted: [] }, { posted: [] }],
		});
		await expectSoundLedger();
	});
});

describe("a bill that agrees with the ledger", () => {
	it("matches 3 x $1 billed with 3 h x $1 metered by resource id, by ARN and by tag, and posts nothing", async () => {
		const { resource, instanceId } = await threeHours();
		await reconciled(
			{ cost: "1", resource, hour: 0 },
			{ cost: "1", resource: `arn:aws:ec2:us-east-1:123456789012:instance/${resource}`, hour: 1 },
			{ cost: "1", tag: instanceId, hour: 2 },
		);
		expect(await rows()).toMatchObject([
			{ state: "matched", instanceId, estimatedMicroUsd: 3_000_000n, billedMicroUsd: 3_000_000n, adjustedMicroUsd: 0n },
		]);
		expect(await corrections()).toEqual([]);
		expect((await books.db.select().from(bill))[0]?.reconciledAt).not.toBeNull();
	});

	it("matches a machine of 3 x $1 and its disk of 3 x $0.01 by a tagged volume line; without the tag the disk stays an estimate", async () => {
		const given = { capacityType: "on_demand", microUsdPerHour: 1_000_000n, onDemandMicroUsdPerHour: 1_000_000n } as const;
		const machines = await Promise.all([1, 2].map(() => addMachine(books, { ...given, diskMicroUsdPerMonth: 7_200_000n })));
		books.clock.advance(3 * HOUR);
		for (const { instanceId } of machines) await terminate(books, instanceId);
		await meterAll(books);
		const lines = await Promise.all(
			machines.map(async ({ instanceId }, n): Promise<Line[]> => {
				const resource = (await readInstance(books, instanceId)).providerInstanceId ?? "";
				const time = [0, 1, 2].map((hour) => ({ cost: "1", resource, hour }));
				const volume = { cost: "0.03", resource: `vol-${n}`, hours: "0.416666", unit: "GB-Mo", hour: 2 };
				return [...time, n === 0 ? { ...volume, tag: instanceId } : volume];
			}),
		);
		await reconciled(...lines.flat());
		const found = new Map((await rows()).map((r) => [r.instanceId, r]));
		const [tagged, untagged] = machines.map((m) => found.get(m.instanceId));
		expect(tagged).toMatchObject({ state: "matched", estimatedMicroUsd: 3_030_000n, billedMicroUsd: 3_030_000n });
		expect(untagged).toMatchObject({ state: "matched", estimatedMicroUsd: 3_000_000n, facts: { disksNotOnBillMicroUsd: "30000" } });
		expect(await corrections()).toEqual([]);
		await expectSoundLedger();
	});

	it.each([
		["Google", "gcp", "Google Cloud", "us-central1-a/4242", "//compute.googleapis.com/projects/7/zones/us-central1-a/instances/4242"],
		["Google", "gcp", "Google Cloud", "us-central1-a/4242", "//compute.googleapis.com/projects/7/zones/us-central1-a/instance/4242"],
		["Azure", "azure", "Microsoft", "Spw/spw-1", "/subscriptions/7/resourcegroups/spw/providers/microsoft.compute/virtualmachines/spw-1"],
	] as const)("matches a machine of %s by its path when the label is missing: 3 x $1", async (_, provider, name, id, resource) => {
		const { instanceId } = await threeHours();
		await books.db.transaction(async (tx) => {
			// Charges are changed only here, so that one ledger serves all clouds.
			await tx.execute(sql`set local session_replication_role = 'replica'`);
			await tx.update(instance).set({ provider, providerInstanceId: id }).where(eq(instance.id, instanceId));
			await tx.update(charge).set({ provider });
		});
		const lines = [0, 1, 2].map((hour) => aLine({ cost: "1", resource, hour }).replace(",AWS,", `,${name},`));
		await importBill(books, {
			fileName: "bill.csv",
			bytes: (async function* () {
				yield Buffer.from([HEAD, ...lines].join("\n"));
			})(),
		});
		await again();
		expect(await rows()).toMatchObject([{ state: "matched", instanceId, provider, billedMicroUsd: 3_000_000n }]);
	});

	it("compares a bill up to the second hour with two of the three hours", async () => {
		const { resource } = await threeHours();
		await reconciled({ cost: "1", resource, hour: 0 }, { cost: "1", resource, hour: 1 });
		expect(await rows()).toMatchObject([{ state: "matched", estimatedMicroUsd: 2_000_000n }]);
	});
});

describe("a bill that differs from the ledger", () => {
	it("posts 3 x $0.10 = $0.30 of price for 3 x $1.10 billed, in the instance, the job and the month", async () => {
		const { resource, instanceId, jobId } = await threeHours();
		await reconciled(...[0, 1, 2].map((hour) => ({ cost: "1.10", resource, hour })));
		expect(await rows()).toMatchObject([{ state: "price_variance", adjustedMicroUsd: 300_000n, facts: { priceMicroUsd: "300000" } }]);
		expect(await corrections()).toEqual([{ correction: "bill_price", kind: "adjustment", effective: 300_000n, gpuMs: 0n }]);
		expect(await chargedTo(books, { instanceId })).toBe(3_300_000n);
		expect((await readInstance(books, instanceId)).costMicroUsd).toBe(3_300_000n);
		expect((await readJob(books, jobId)).costMicroUsd).toBe(3_300_000n);
		await expectSoundLedger();
	});

	it("posts $1 of time for 4 h at $1 billed and 3 h metered, and reverses it when a new bill has -$1", async () => {
		const { resource, instanceId } = await threeHours();
		await reconciled(...[0, 1, 2, 3].map((hour) => ({ cost: "1", resource, hour })));
		expect(await rows()).toMatchObject([{ state: "time_variance", adjustedMicroUsd: 1_000_000n, facts: { timeMicroUsd: "1000000" } }]);
		await reconciled({ cost: "-1", resource, hour: 3, hours: "-1" });
		expect(await chargedTo(books, { instanceId })).toBe(3_000_000n);
		expect((await corrections()).map((c) => c.effective)).toEqual([1_000_000n, -1_000_000n]);
		await expectSoundLedger();
	});

	it("posts nothing twice when reconciled or imported again", async () => {
		const { resource, instanceId } = await threeHours();
		const lines = [0, 1, 2].map((hour) => ({ cost: "1.10", resource, hour }));
		await reconciled(...lines);
		await again();
		await reconciled(...lines);
		expect(await corrections()).toHaveLength(1);
		expect(await chargedTo(books, { instanceId })).toBe(3_300_000n);
		expect(await rows()).toHaveLength(1);
	});
});

describe("amounts on one side only", () => {
	it("reports a machine missing from the bill, and reverses it when the bill is final", async () => {
		const { instanceId } = await threeHours();
		const other = await threeHours();
		await reconciled(...[3, 4, 5].map((hour) => ({ cost: "1", resource: other.resource, hour })));
		const missing = async () => (await rows()).find((r) => r.instanceId === instanceId);
		expect(await missing()).toMatchObject({ state: "not_billed", estimatedMicroUsd: 3_000_000n, adjustedMicroUsd: 0n });
		await again({ final: true });
		expect(await missing()).toMatchObject({ state: "not_billed", adjustedMicroUsd: -3_000_000n });
		expect(await chargedTo(books, { instanceId })).toBe(0n);
		await expectSoundLedger();
	});

	it("opens one alert for an unknown machine with our tag, adds one row and charges $2 once, to no team", async () => {
		await threeHours();
		const orphan = { resource: "i-orphan", tag: "ins_unknown" };
		await reconciled({ cost: "1", ...orphan, hour: 0 }, { cost: "1", ...orphan, hour: 1 });
		await again();
		const found = (await rows()).filter((r) => r.state === "billed_unknown");
		expect(found).toMatchObject([{ resourceId: "i-orphan", billedMicroUsd: 2_000_000n }]);
		const open = await books.db
			.select()
			.from(alert)
			.where(and(eq(alert.rule, "billed_unknown"), isNull(alert.closedAt)));
		expect(open).toMatchObject([
			{ subject: "2026-11:aws:i-orphan", facts: { billedMicroUsd: "2000000", taggedInstanceId: "ins_unknown" } },
		]);
		expect((await corrections()).filter((c) => c.correction === "bill_unknown")).toMatchObject([{ effective: 2_000_000n }]);
		await expectSoundLedger();
	});

	it("charges a machine kept after a restore once: the bill adds only what its metered charges lack", async () => {
		const { instanceId } = await threeHours();
		const { provider, siteId, region, instanceType, capacityType, accelerator, gpus } = await readInstance(books, instanceId);
		const launchedAt = new Date(T0);
		await books.db.insert(keptMachine).values({
			...{ id: "ins_kept", provider, siteId, region, instanceType, capacityType, accelerator, gpus, launchedAt, keptBy: "ada" },
			...{ providerInstanceId: "i-kept", microUsdPerHour: 1_500_000n, listMicroUsdPerHour: 1_500_000n, keptAt: launchedAt },
			...{ endedAt: new Date(T0 + HOUR), costMicroUsd: 0n },
		});
		await meterKept(books);
		await reconciled({ cost: "2", resource: "i-kept", tag: "ins_before_the_restore" });
		await again();
		expect((await corrections()).filter((c) => c.correction === "bill_unknown")).toMatchObject([{ effective: 500_000n }]);
		await expectSoundLedger();
	});

	it("ignores resources with neither our tag nor a known id: no row, no charge", async () => {
		const { resource } = await threeHours();
		await reconciled({ cost: "9", resource: "i-stranger" }, ...[0, 1, 2].map((hour) => ({ cost: "1", resource, hour })));
		expect(await rows()).toHaveLength(1);
		expect(await corrections()).toEqual([]);
	});
});

describe("the reconciliation", () => {
	it("sums $3 estimated, $3.30 billed and $0.30 corrected by provider, with nothing left, for callers who may read bills", async () => {
		const { resource } = await threeHours();
		await reconciled(...[0, 1, 2].map((hour) => ({ cost: "1.10", resource, hour })));
		const found = await readReconciliation(books, { month: "2026-11" });
		expect(found.providers).toEqual([
			{
				provider: "aws",
				...{ estimatedMicroUsd: "3000000", billedMicroUsd: "3300000", adjustedMicroUsd: "300000", unexplainedMicroUsd: "0" },
				resources: { matched: 0, not_billed: 0, billed_unknown: 0, price_variance: 1, time_variance: 0 },
			},
		]);
		expect(found.items).toMatchObject([{ resourceId: resource, state: "price_variance", adjustedMicroUsd: "300000" }]);
		expect((await readReconciliation(books, { month: "2026-11", state: "matched" })).items).toEqual([]);
		expect(await readReconciliation(books, { month: "2026-10" })).toMatchObject({ reconciledAt: null, providers: [], items: [] });
		const scientist = { kind: "person", accountId: "acc_1", name: "Ada", role: "data_scientist", teams: ["risk"], via: "token" } as const;
		await expect(readReconciliation({ ...books, actor: scientist }, { month: "2026-11" })).rejects.toThrow("does not allow");
	});
});

describe("the details of a row", () => {
	it("lists its bill lines, with restated ones marked, and its corrections as charges: $3.30 billed, of them $0.30 posted", async () => {
		const { resource, instanceId } = await threeHours();
		const arn = `arn:aws:ec2:us-east-1:1:instance/${resource}`;
		const hours = (cost: string) => [
			{ cost, resource, hour: 0 },
			{ cost, resource: arn, hour: 1 },
			{ cost, resource: "vol-1", tag: instanceId, hour: 2 },
		];
		await reconciled(...hours("1"), { cost: "7", resource: `${resource}9`, hour: 2 });
		await reconciled(...hours("1.10"));
		const found = await listResourceLines(books, { month: "2026-11", resourceId: resource, instanceId });
		expect(found.items.map((l) => [l.effectiveMicroUsd, l.rowNumber, l.restated])).toEqual([
			["1000000", 2, true],
			["1100000", 2, false],
			["1000000", 3, true],
			["1100000", 3, false],
			["1000000", 4, true],
			["1100000", 4, false],
		]);
		expect(found).toMatchObject({ effectiveMicroUsd: "3300000", truncated: false });
		const [row] = (await readReconciliation(books, { month: "2026-11", team: "risk", provider: "aws" })).items;
		expect(row).toMatchObject({ instanceId, billedMicroUsd: found.effectiveMicroUsd, adjustedMicroUsd: "300000" });
		expect((await readReconciliation(books, { month: "2026-11", team: "nlp" })).providers).toEqual([]);
		const november = { fromMs: Date.UTC(2026, 10), toMs: Date.UTC(2026, 11), cause: instanceId };
		const posted = await listCharges(books, { ...november, correction: ["bill_price", "bill_time"] });
		expect(posted.totals).toMatchObject({ effectiveMicroUsd: 300_000n, charges: 1n });
		expect((await listCharges(books, november)).totals.effectiveMicroUsd).toBe(3_300_000n);
	});

	it("lists, for an unknown machine, the lines with our tag and the charge that a line caused", async () => {
		await threeHours();
		await reconciled(
			{ cost: "1", resource: "i-orphan", tag: "ins_unknown" },
			{ cost: "1", resource: "i-orphan", tag: "ins_unknown", hour: 1 },
		);
		const { items } = await listResourceLines(books, { month: "2026-11", resourceId: "i-orphan" });
		expect(items).toHaveLength(2);
		const caused = await listCharges(books, { fromMs: Date.UTC(2026, 10), toMs: Date.UTC(2026, 11), cause: items[0]?.id ?? "" });
		expect(caused.items).toMatchObject([{ correction: "bill_unknown", effectiveMicroUsd: 2_000_000n }]);
	});
});

describe("a re-issued bill", () => {
	it("gives $3.30, not $6.30, for 3 x $1.00 estimated, then 3 x $1.10 on the invoice; the same file a third time changes nothing", async () => {
		const { resource, instanceId } = await threeHours();
		const hours = (cost: string, invoice?: string) => [0, 1, 2].map((hour) => ({ cost, resource, hour, ...(invoice ? { invoice } : {}) }));
		await reconciled(...hours("1"));
		await reconciled(...hours("1.10", "inv-1"));
		await reconciled(...hours("1.10", "inv-1"));
		expect(await chargedTo(books, { instanceId })).toBe(3_300_000n);
		expect(await rows()).toMatchObject([{ billedMicroUsd: 3_300_000n, adjustedMicroUsd: 300_000n }]);
		await expectSoundLedger();
	});

	it("posts -$0.50 + $0.50 - $0.80, once, for a credit of -$0.50 that becomes -$0.80", async () => {
		await threeHours();
		await reconciled({ cost: "-0.50", category: "Credit" });
		await reconciled({ cost: "-0.80", category: "Credit" });
		await again();
		const credits = await books.db.select({ effective: charge.effectiveMicroUsd }).from(charge).where(eq(charge.kind, "credit"));
		expect(credits.map((c) => c.effective).toSorted((a, b) => Number(a - b))).toEqual([-800_000n, -500_000n, 500_000n]);
		await expectSoundLedger();
	});
});

describe("credits and taxes", () => {
	it("posts -$0.50 of credit and $0.19 of tax once, as charges of their kind with the line as cause", async () => {
		await threeHours();
		await reconciled(
			{ cost: "-0.50", category: "Credit" },
			{ cost: "0.19", category: "Tax" },
			{ cost: "-7", category: "Credit", resource: "i-stranger" },
		);
		await again();
		const found = await books.db.select().from(charge).where(isNotNull(charge.billLineId)).orderBy(charge.kind);
		expect(found.map((c) => [c.kind, c.effectiveMicroUsd, c.billedMicroUsd])).toEqual([
			["credit", -500_000n, -500_000n],
			["tax", 190_000n, 190_000n],
		]);
		await expectSoundLedger();
	});
});

describe("a bill uploaded by a page", () => {
	async function uploaded(name: string, content: Buffer): Promise<string> {
		const { id } = await addUploadPart(books, "bill:import", { name, at: 0, contentBase64: content.toString("base64") });
		return id;
	}

	it("previews the differences that its import then posts, and keeps nothing of a preview", async () => {
		const { resource } = await threeHours();
		const text = [`${HEAD},x_own`, `${aLine({ cost: "1.3", resource })},a`, `${aLine({ cost: "1", resource, hour: 1 })},b`].join("\n");
		const upload = async (preview: boolean) => importUploadedBill(books, { upload: await uploaded("aws.csv", gzipSync(text)), preview });
		books.clock.advance(60_000);
		const { preview } = await upload(true);
		expect(preview).toMatchObject({
			...{ alreadyImported: false, bill: { rows: 2, providers: ["AWS"], billedMicroUsd: "2300000" } },
			columns: { recognized: expect.arrayContaining(["BilledCost", "ResourceId"]), other: ["x_own"] },
		});
		expect(await books.db.$count(bill)).toBe(0);
		expect(await corrections()).toEqual([]);
		await upload(false);
		const posted = await readReconciliation(books, { month: "2026-11" });
		expect(posted.providers).toEqual(preview?.months[0]?.providers);
		expect(posted.providers[0]?.adjustedMicroUsd).not.toBe("0");
		const [run] = (await readReconciliationHistory(books, { month: "2026-11" })).runs;
		expect(run?.posted.map((p) => p.effectiveMicroUsd)).toEqual([posted.providers[0]?.adjustedMicroUsd]);
		expect(run?.posted).toEqual(preview?.months[0]?.posted);
		expect((await upload(true)).preview?.alreadyImported).toBe(true);
		await expectSoundLedger();
	});

	it("is previewed by more people at once than there are connections", async () => {
		const text = [HEAD, aLine({ cost: "1", resource: "i-1" })].join("\n");
		const id = await uploaded("aws.csv", Buffer.from(text));
		const few = connect(books.database.url, { max: 2 });
		const by = { ...books, db: few.db };
		const previews = await Promise.all(Array.from({ length: 6 }, () => importUploadedBill(by, { upload: id, preview: true })));
		expect(previews.map(({ bill: { rows } }) => rows)).toEqual([1, 1, 1, 1, 1, 1]);
		await few.end();
	});

	it("reports the row and column of an error, and imports nothing", async () => {
		const text = `${HEAD}\n${aLine({ cost: "a dollar", resource: "i-1" })}`;
		const wrong = importUploadedBill(books, { upload: await uploaded("a.csv", Buffer.from(text)), preview: true });
		await expect(wrong).rejects.toMatchObject({ code: "invalid_input", fields: [{ path: "BilledCost", line: 2 }] });
	});
});
