import { eq, isNotNull, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { csvRecord } from "#server/accounting/focus/csv.ts";
import { bill, billLine, reconciliation } from "#server/db/schema/bill.ts";
import { charge } from "#server/db/schema/charge.ts";
import { instance } from "#server/db/schema/instance.ts";
import { meterAll } from "../charge/meter.ts";
import { addMachine, type Books, openBooks, readInstance, T0, terminate } from "../charge/testing/books.ts";
import { exportBill } from "./export.ts";
import { importBill } from "./import.ts";
import { reconcileMonth } from "./reconcile.ts";

/**
 * Files as the three providers write them: FOCUS columns in full plus their own, with each provider's formats of times, tags and ids. Built
 * from the published column definitions, without data from any account. A machine at $1 an hour runs from 10:00 to 13:00 on the 10th.
 */
const HOUR = 3_600_000;

const OF_1_0 = [
	...[
		"AvailabilityZone",
		"BilledCost",
		"BillingAccountId",
		"BillingAccountName",
		"BillingCurrency",
		"BillingPeriodEnd",
		"BillingPeriodStart",
	],
	...["ChargeCategory", "ChargeClass", "ChargeDescription", "ChargeFrequency", "ChargePeriodEnd", "ChargePeriodStart"],
	...["CommitmentDiscountCategory", "CommitmentDiscountId", "CommitmentDiscountName", "CommitmentDiscountStatus", "CommitmentDiscountType"],
	...["ConsumedQuantity", "ConsumedUnit", "ContractedCost", "ContractedUnitPrice", "EffectiveCost", "InvoiceIssuerName", "ListCost"],
	...["ListUnitPrice", "PricingCategory", "PricingQuantity", "PricingUnit", "ProviderName", "PublisherName", "RegionId", "RegionName"],
	...["ResourceId", "ResourceName", "ResourceType", "ServiceCategory", "ServiceName", "SkuId", "SkuPriceId", "SubAccountId"],
	...["SubAccountName", "Tags"],
];
const OF_1_1 = [
	...[...OF_1_0, "CapacityReservationId", "CapacityReservationStatus", "CommitmentDiscountQuantity", "CommitmentDiscountUnit"],
	...["ServiceSubcategory", "SkuMeter", "SkuPriceDetails"],
].sort();
const OF_1_2 = [
	...[...OF_1_1, "BillingAccountType", "InvoiceId", "PricingCurrency", "PricingCurrencyContractedUnitPrice"],
	...["PricingCurrencyEffectiveCost", "PricingCurrencyListUnitPrice", "SubAccountType"],
].sort();

type Cells = Record<string, string>;

const COMMON: Cells = {
	...{
		BillingAccountId: "1",
		BillingCurrency: "USD",
		ChargeCategory: "Usage",
		ChargeFrequency: "Usage-Based",
		PricingCategory: "Standard",
	},
	...{ BilledCost: "1", ContractedCost: "1", EffectiveCost: "1", ListCost: "1", ListUnitPrice: "1", ContractedUnitPrice: "1" },
	...{ ConsumedQuantity: "1", ConsumedUnit: "Hours", PricingQuantity: "1", PricingUnit: "Hours", ServiceCategory: "Compute" },
};

interface Provider {
	name: string;
	provider: "aws" | "azure" | "gcp";
	/** The id under which our driver lists the machine. */
	machine: string;
	version: "1.0" | "1.1" | "1.2";
	columns: string[];
	/** Lines for the three hours. */
	lines: (instanceId: string) => Cells[];
}

const time = (atMs: number, form: (iso: string) => string): string => form(new Date(atMs).toISOString());
const hours = (form: (iso: string) => string, cells: Cells): Cells[] =>
	[0, 1, 2].map((n) => ({ ...cells, ...period(T0 + n * HOUR, T0 + (n + 1) * HOUR, form) }));
const whole = (fromMs: number, toMs: number, form: (iso: string) => string, cells: Cells): Cells => {
	const three = Object.fromEntries(
		["BilledCost", "ContractedCost", "EffectiveCost", "ListCost", "ConsumedQuantity", "PricingQuantity"].map((c) => [c, "3"]),
	);
	return { ...cells, ...three, ...period(fromMs, toMs, form) };
};
function period(fromMs: number, toMs: number, form: (iso: string) => string): Cells {
	const [start, end] = [Date.UTC(2026, 10), Date.UTC(2026, 11)].map((ms) => time(ms, form));
	return {
		BillingPeriodStart: start ?? "",
		BillingPeriodEnd: end ?? "",
		ChargePeriodStart: time(fromMs, form),
		ChargePeriodEnd: time(toMs, form),
	};
}

const millis = (iso: string) => iso;
const minutes = (iso: string) => `${iso.slice(0, 16)}Z`;
const seconds = (iso: string) => `${iso.slice(0, 19)}Z`;
const bigQuery = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
const DAY: [number, number] = [Date.UTC(2026, 10, 10), Date.UTC(2026, 10, 11)];
const MONTH: [number, number] = [Date.UTC(2026, 10), Date.UTC(2026, 11)];

const AWS: Cells = {
	...COMMON,
	...{
		ProviderName: "AWS",
		PublisherName: "Amazon Web Services, Inc.",
		InvoiceIssuerName: "Amazon Web Services, Inc.",
		RegionId: "us-east-1",
	},
	...{
		ResourceId: "arn:aws:ec2:us-east-1:123456789012:instance/i-0abc",
		ServiceName: "Amazon Elastic Compute Cloud",
		SkuMeter: "BoxUsage:g5.xlarge",
	},
	...{ ChargeDescription: '$1.00 per "On Demand" Linux g5.xlarge, an hour', SkuPriceDetails: '{"InstanceType":"g5.xlarge"}' },
	...{ x_Discounts: "{}", x_Operation: "RunInstances", x_ServiceCode: "AmazonEC2" },
};
const AZURE: Cells = {
	...COMMON,
	...{ ProviderName: "Microsoft", PublisherName: "Microsoft", InvoiceIssuerName: "Microsoft", RegionId: "eastus", ConsumedUnit: "Hours" },
	ResourceId: "/subscriptions/7/resourcegroups/spw/providers/microsoft.compute/virtualmachines/spw-1",
	...{ ServiceName: "Virtual Machines", SkuPriceId: "-2", SubAccountName: "Unassigned", PricingUnit: "100 Hours", PricingQuantity: "0.01" },
	...{ x_BillingAccountId: "8611537", x_CostCenter: "", x_ResourceGroupName: "spw", x_SkuMeterName: "NC4as T4 v3", x_InvoiceIssuerId: "" },
};
const GOOGLE: Cells = {
	...COMMON,
	...{ ProviderName: "Google Cloud", PublisherName: "Google Cloud", InvoiceIssuerName: "Google Cloud", RegionId: "us-central1" },
	...{ ResourceId: "//compute.googleapis.com/projects/7/zones/us-central1-a/instances/4242", ServiceName: "Compute Engine" },
	...{ ConsumedUnit: "seconds", ConsumedQuantity: "3600", x_CostType: "regular", x_Project: '{"id":"p"}' },
};
const withOwn = (columns: string[], cells: Cells) => [...columns, ...Object.keys(cells).filter((name) => name.startsWith("x_"))];

const FILES: Provider[] = [
	{
		...{ name: "AWS, FOCUS 1.2 by the hour, by ARN", provider: "aws", machine: "i-0abc", version: "1.2", columns: withOwn(OF_1_2, AWS) },
		lines: () => hours(millis, AWS),
	},
	{
		...{ name: "AWS, FOCUS 1.2 by the day, by tag", provider: "aws", machine: "i-0abc", version: "1.2", columns: withOwn(OF_1_2, AWS) },
		lines: (id) => [
			whole(...DAY, millis, { ...AWS, ResourceId: "", Tags: JSON.stringify({ "user:spillway:instance": id, "aws:createdBy": "x" }) }),
		],
	},
	{
		...{ name: "AWS, FOCUS 1.2 by the month", provider: "aws", machine: "i-0abc", version: "1.2", columns: withOwn(OF_1_2, AWS) },
		lines: () => [whole(...MONTH, millis, AWS)],
	},
	{
		...{ name: "AWS, FOCUS 1.1", provider: "aws", machine: "i-0abc", version: "1.1", columns: OF_1_1 },
		lines: () => hours(seconds, AWS),
	},
	{
		...{ name: "Azure, FOCUS 1.2 by the day", provider: "azure", machine: "spw/spw-1", version: "1.2", columns: withOwn(OF_1_2, AZURE) },
		lines: () => [whole(...DAY, seconds, AZURE)],
	},
	{
		...{
			name: "Azure, FOCUS 1.0 with times to the minute",
			provider: "azure",
			machine: "Spw/spw-1",
			version: "1.0",
			columns: withOwn(OF_1_0, AZURE),
		},
		lines: (id) => [whole(...DAY, minutes, { ...AZURE, ResourceId: "", Tags: JSON.stringify({ "spillway-instance": id }) })],
	},
	{
		...{ name: "Google, FOCUS in BigQuery's text, by path", provider: "gcp", machine: "us-central1-a/4242", version: "1.0" },
		columns: withOwn(OF_1_0, GOOGLE),
		lines: () => hours(bigQuery, GOOGLE),
	},
	{
		...{ name: "Google, labels as records of key and value", provider: "gcp", machine: "us-central1-a/4242", version: "1.0" },
		columns: withOwn(OF_1_0, GOOGLE),
		lines: (id) =>
			hours(bigQuery, {
				...GOOGLE,
				ResourceId: "",
				Tags: JSON.stringify([
					{ key: "spillway-instance", value: id },
					{ key: "team", value: "risk" },
				]),
			}),
	},
];

let books: Books;
let instanceId = "";
beforeAll(async () => {
	books = await openBooks();
	const machine = await addMachine(books, { capacityType: "on_demand", microUsdPerHour: 1_000_000n, onDemandMicroUsdPerHour: 1_000_000n });
	instanceId = machine.instanceId;
	books.clock.advance(3 * HOUR);
	await terminate(books, instanceId);
	await meterAll(books);
	books.clock.advance(Date.UTC(2026, 11, 3) - books.clock.nowMs());
});
afterAll(() => books.database.drop());
beforeEach(async () => {
	// Deletes bills and charges, which only tests do, so that all files can share one ledger.
	await books.database.sql.begin(async (tx) => {
		await tx`set local session_replication_role = 'replica'`;
		await tx`truncate bill, bill_line, bill_line_restated, reconciliation`;
	});
});

const csv = (columns: readonly string[], lines: readonly Cells[]) =>
	[csvRecord(columns), ...lines.map((cells) => csvRecord(columns.map((name) => cells[name] ?? "")))].join("");

describe("a provider's file that agrees with the ledger", () => {
	it.each(FILES)("$name: 3 h x $1, matched, nothing posted, and returned unchanged", async (file) => {
		await books.db.transaction(async (tx) => {
			await tx.execute(sql`set local session_replication_role = 'replica'`);
			await tx.update(instance).set({ provider: file.provider, providerInstanceId: file.machine }).where(eq(instance.id, instanceId));
			await tx.update(charge).set({ provider: file.provider });
		});
		const text = csv(file.columns, file.lines(instanceId));
		books.clock.advance(60_000);
		const { bill: made } = await importBill(books, {
			fileName: "bill.csv",
			bytes: (async function* () {
				yield Buffer.from(text);
			})(),
		});
		expect(made).toMatchObject({ focusVersion: file.version, months: ["2026-11"], billedMicroUsd: "3000000" });
		await reconcileMonth(books, { month: "2026-11" });
		expect(await books.db.select().from(reconciliation)).toMatchObject([
			{
				state: "matched",
				provider: file.provider,
				instanceId,
				estimatedMicroUsd: 3_000_000n,
				billedMicroUsd: 3_000_000n,
				adjustedMicroUsd: 0n,
			},
		]);
		expect(await books.db.$count(charge, isNotNull(charge.correction))).toBe(0);
		expect(await books.db.$count(bill)).toBe(1);
		const parts: Buffer[] = [];
		for await (const chunk of (await exportBill(books, made.id)).chunks) parts.push(chunk);
		expect(Buffer.concat(parts).toString()).toBe(text);
		expect(await books.db.$count(billLine)).toBe(file.lines(instanceId).length);
		expect((await readInstance(books, instanceId)).costMicroUsd).toBe(3_000_000n);
	});
});
