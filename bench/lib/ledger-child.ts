/**
 * Its own process, so that its peak memory belongs to one task: `export URL MONTH` streams a month as FOCUS, `import URL ROWS` imports a
 * bill with that many rows, generated as it is read. Prints {seconds, cpuSeconds, rows, peakRssMb}; the processor time shows on a busy
 * machine how long an idle one would take.
 */
import { connect } from "#server/db/client.ts";
import { systemClock } from "#server/kernel/clock.ts";
import { systemContext } from "#server/services/core/context.ts";
import { importBill } from "#server/services/ledger/bill/import.ts";
import { exportFocus } from "#server/services/reporting/export/focus.ts";

const COLUMNS = [
	...[
		"AvailabilityZone",
		"BilledCost",
		"BillingAccountId",
		"BillingAccountName",
		"BillingCurrency",
		"BillingPeriodEnd",
		"BillingPeriodStart",
	],
	...[
		"ChargeCategory",
		"ChargeClass",
		"ChargeDescription",
		"ChargeFrequency",
		"ChargePeriodEnd",
		"ChargePeriodStart",
		"CommitmentDiscountCategory",
	],
	...[
		"CommitmentDiscountId",
		"CommitmentDiscountName",
		"CommitmentDiscountStatus",
		"CommitmentDiscountType",
		"ConsumedQuantity",
		"ConsumedUnit",
	],
	...[
		"ContractedCost",
		"ContractedUnitPrice",
		"EffectiveCost",
		"InvoiceIssuerName",
		"ListCost",
		"ListUnitPrice",
		"PricingCategory",
		"PricingQuantity",
	],
	...[
		"PricingUnit",
		"ProviderName",
		"PublisherName",
		"RegionId",
		"RegionName",
		"ResourceId",
		"ResourceName",
		"ResourceType",
		"ServiceCategory",
	],
	...["ServiceName", "SkuId", "SkuPriceId", "SubAccountId", "SubAccountName", "Tags"],
];

const [mode, url = "", what = ""] = process.argv.slice(2);
const connection = connect(url, { max: 4 });
const ctx = systemContext(connection.db, systemClock);
const startedMs = performance.now();
const before = process.cpuUsage();
const rows = mode === "export" ? await exported(what) : await imported(Number(what));
const seconds = (performance.now() - startedMs) / 1_000;
const used = process.cpuUsage(before);
await connection.end();
// ru_maxrss is in kB on Linux.
process.stdout.write(
	JSON.stringify({ seconds, cpuSeconds: (used.user + used.system) / 1e6, rows, peakRssMb: process.resourceUsage().maxRSS / 1_024 }),
);

/** No value of our ledger has a line break, so lines are rows. */
async function exported(month: string): Promise<number> {
	const { chunks } = await exportFocus(ctx, { month });
	let lines = -1;
	for await (const chunk of chunks) for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
	return lines;
}

async function imported(count: number): Promise<number> {
	const { bill } = await importBill(ctx, { fileName: "bench.csv", bytes: billOf(count) });
	return bill.rows;
}

/** November's hours of ten thousand machines, about 700 bytes per row as in an AWS bill. */
async function* billOf(count: number): AsyncGenerator<Uint8Array> {
	yield Buffer.from(`${COLUMNS.join(",")}\n`);
	for (let at = 0; at < count; ) {
		const lines: string[] = [];
		for (const end = Math.min(count, at + 500); at < end; at++) lines.push(rowOf(at));
		yield Buffer.from(lines.join(""));
	}
}

function rowOf(n: number): string {
	const startMs = Date.UTC(2026, 10, 1 + (n % 30), Math.floor(n / 30) % 24);
	const cost = `${n % 97}.${String(n % 1_000_000).padStart(6, "0")}`;
	const values: Record<string, string> = {
		...{
			AvailabilityZone: "us-east-1a",
			BilledCost: cost,
			BillingAccountId: "123456789012",
			BillingAccountName: "Acme Research",
			BillingCurrency: "USD",
		},
		...{
			BillingPeriodStart: "2026-11-01T00:00:00Z",
			BillingPeriodEnd: "2026-12-01T00:00:00Z",
			ChargeCategory: "Usage",
			ChargeFrequency: "Usage-Based",
		},
		...{
			ChargeDescription: "$0.4042 per Linux/UNIX Spot Instance-hour in US East (N. Virginia)",
			ChargePeriodStart: new Date(startMs).toISOString(),
		},
		...{ ChargePeriodEnd: new Date(startMs + 3_600_000).toISOString(), ConsumedQuantity: "1", ConsumedUnit: "Hours", ContractedCost: cost },
		...{
			ContractedUnitPrice: "0.4042",
			EffectiveCost: cost,
			InvoiceIssuerName: '"Amazon Web Services, Inc."',
			ListCost: cost,
			ListUnitPrice: "1.006",
		},
		...{
			PricingCategory: "Dynamic",
			PricingQuantity: "1",
			PricingUnit: "Hours",
			ProviderName: "AWS",
			PublisherName: '"Amazon Web Services, Inc."',
		},
		...{
			RegionId: "us-east-1",
			RegionName: "US East (N. Virginia)",
			ResourceId: `i-${String(n % 10_000).padStart(17, "0")}`,
			ResourceType: "Instance",
		},
		...{
			ServiceCategory: "Compute",
			ServiceName: "Amazon Elastic Compute Cloud",
			SkuId: `SKU${n % 50}`,
			SkuPriceId: `SKU${n % 50}.JRTC`,
			SubAccountId: "210987654321",
		},
		...{ SubAccountName: "training", Tags: `"{""spillway/instance"":""ins_${n % 10_000}"",""n"":""${n}""}"` },
	};
	return `${COLUMNS.map((name) => values[name] ?? "").join(",")}\n`;
}
