import { checkpoint } from "#server/db/schema/checkpoint.ts";
import { setting } from "#server/db/schema/setting.ts";
import { site } from "#server/db/schema/site.ts";
import { importBill } from "#server/services/ledger/bill/import.ts";
import { reconcileMonth } from "#server/services/ledger/bill/reconcile.ts";
import { meterAll } from "#server/services/ledger/charge/meter.ts";
import {
	addMachine,
	addPool,
	addUse,
	type Books,
	endUse,
	openBooks,
	readInstance,
	terminate,
} from "#server/services/ledger/charge/testing/books.ts";

const HOUR = 3_600_000;
/** The evening of 30 November. */
const START = Date.UTC(2026, 10, 30, 18);
const iso = (ms: number) => new Date(ms).toISOString();

/**
 * One evening of a company with every kind of charge: spot and on-demand machines, one under a partly used reservation, owned
 * GPUs used and idle, egress to home, machine ends discovered late (within the month and after it), and a bill with a
 * different price, a credit, a tax and an unknown machine.
 */
export async function smallLedger(): Promise<Books> {
	const books = await openBooks(START);
	await books.db.insert(site).values({ id: "aws", name: "AWS account", provider: "aws", settings: {} });
	await books.db.insert(setting).values({
		key: "commitments",
		value: [
			{
				...{ id: "cr-1", siteId: "aws", kind: "reservation", region: "us-east-1", instanceType: "g5.xlarge", accelerator: "A10G-24GB" },
				...{ instances: 2, upfrontMicroUsd: "0", hourlyMicroUsd: "1200000", from: iso(START), to: iso(START + 24 * HOUR) },
			},
		],
	});
	await addPool(books);
	await addMachine(books, { team: "risk", diskMicroUsdPerMonth: 8_000_000n });
	const onDemand = await addMachine(books, { team: "vision", capacityType: "on_demand", microUsdPerHour: 1_006_000n });
	await addMachine(books, { team: "risk", capacityType: "reserved", diskMicroUsdPerMonth: 8_000_000n });
	const late = await addMachine(books, { team: "vision", diskMicroUsdPerMonth: 8_000_000n });
	const use = await addUse(books, { team: "risk", slots: [0, 1] });
	books.clock.advance(1.7 * HOUR);
	const sent = { files: 1, bytes: 5n * 1_073_741_824n, completedMs: 0n, createdAt: new Date(books.clock.nowMs()) };
	await books.db.insert(checkpoint).values({ id: "ckp_1", jobId: onDemand.jobId, attemptId: onDemand.attemptId, ...sent });
	await endUse(books, use.allocationId);
	await meterAll(books);
	books.clock.advance(1.3 * HOUR);
	await meterAll(books);
	await terminate(books, onDemand.instanceId, START + 2.5 * HOUR);
	await meterAll(books);
	books.clock.advance(5 * HOUR);
	await meterAll(books);
	// In December, a machine is found to have ended in November.
	await terminate(books, late.instanceId, START + 4.5 * HOUR);
	await meterAll(books);
	await takeBill(books, (await readInstance(books, onDemand.instanceId)).providerInstanceId ?? "");
	return books;
}

async function takeBill(books: Books, resource: string): Promise<void> {
	const head =
		"BilledCost,BillingCurrency,BillingPeriodStart,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,ContractedCost,EffectiveCost,ListCost,ProviderName,ResourceId,Tags,ConsumedQuantity,ConsumedUnit,ChargeDescription,ServiceName,ServiceCategory";
	const line = (cost: string, category: string, id: string, tags: string) =>
		`${cost},USD,2026-11-01T00:00:00Z,${category},${iso(START)},${iso(START + HOUR)},${cost},${cost},${cost},AWS,${id},${tags},1,Hours,NULL,Amazon Elastic Compute Cloud,Compute`;
	const lines = [
		line("1.106", "Usage", resource, "NULL"),
		line("-0.50", "Credit", "NULL", "NULL"),
		line("0.19", "Tax", "NULL", "NULL"),
		line("2", "Usage", "i-orphan", '"{""spillway:instance"": ""ins_unknown""}"'),
	];
	const bytes = Buffer.from([head, ...lines].join("\n"));
	await importBill(books, {
		fileName: "aws.csv",
		bytes: (async function* () {
			yield bytes;
		})(),
	});
	await reconcileMonth(books, { month: "2026-11" });
}
