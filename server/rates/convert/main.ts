/**
 * Creates server/rates/data/*.json (except owned-rates.json, which is written by hand) from a folder of raw csv files.
 * Run by hand: node server/rates/convert/main.ts <folder with prices/, carbon/ and spot/>
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { priceOutliers } from "../integrity.ts";
import { readOfferFile } from "../offers.ts";
import { convertAccelerators } from "./accelerators.ts";
import { convertCarbon, convertPue } from "./carbon.ts";
import { type CsvRow, parseCsv, required } from "./csv.ts";
import { convertEgress } from "./egress.ts";
import { convertEmbodied } from "./embodied.ts";
import { convertOffers, type OfferProvider } from "./offers.ts";

/** JSON with one array element or entry per line, so that a refresh gives a readable diff. */
export function toLines(value: Record<string, unknown>): string {
	const entries = Object.entries(value).map(([key, item]) => {
		if (Array.isArray(item)) return `${JSON.stringify(key)}: [\n${item.map((x) => JSON.stringify(x)).join(",\n")}\n]`;
		if (typeof item === "object" && item !== null) {
			const inner = Object.entries(item).map(([k, x]) => `${JSON.stringify(k)}: ${JSON.stringify(x)}`);
			return `${JSON.stringify(key)}: {\n${inner.join(",\n")}\n}`;
		}
		return `${JSON.stringify(key)}: ${JSON.stringify(item)}`;
	});
	return `{\n${entries.join(",\n")}\n}\n`;
}

function main(folder: string): void {
	const read = (path: string): CsvRow[] => parseCsv(readFileSync(join(folder, path), "utf8"));
	const write = (name: string, value: object): void => {
		writeFileSync(join(import.meta.dirname, "..", "data", name), toLines({ ...value }));
	};
	const catalogue = read("prices/catalog.csv");
	const advisor = read("spot/aws_spot_advisor_2025-06.csv");
	const interruptions = new Map(
		advisor.map((r) => [`${required(r, "region")}/${required(r, "instance_type")}`, required(r, "interruption_rate_month")]),
	);
	for (const provider of ["aws", "azure", "gcp"] satisfies OfferProvider[]) {
		const { file, skipped } = convertOffers(provider, catalogue, provider === "aws" ? interruptions : new Map());
		const outliers = priceOutliers(readOfferFile(file));
		if (outliers.length > 0) {
			const list = outliers.map(({ rate, what, ratio }) => `${rate.instanceType} in ${rate.zone ?? rate.region}: ${what} ×${ratio}`);
			throw new Error(`refused, look at these prices first:\n${list.join("\n")}`);
		}
		write(`${provider}-offers.json`, file);
		const left = [...skipped].map(([reason, count]) => `${reason} ${count}`).join(", ");
		console.log(`${provider}: ${file.rows.length} rows, ${Object.keys(file.types).length} types; left out: ${left}`);
	}
	write("accelerators.json", convertAccelerators(read("carbon/gpu_power.csv")));
	write("carbon-regions.json", convertCarbon(read("carbon/regions.csv")));
	write("pue.json", convertPue(read("carbon/pue_averages.csv")));
	write("embodied.json", convertEmbodied(read("carbon/embodied_kgco2e_ccf.csv"), catalogue));
	write("egress.json", convertEgress(read("prices/egress.csv")));
}

if (import.meta.main) {
	const folder = process.argv[2];
	if (folder === undefined) {
		console.error("which folder? node server/rates/convert/main.ts <folder with prices/, carbon/ and spot/>");
		process.exit(2);
	}
	main(folder);
}
