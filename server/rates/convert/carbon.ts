import { type CsvRow, optionalNumber, required, requiredNumber } from "./csv.ts";
import { compareText } from "./offers.ts";

/** [provider, region, zone, grams per kWh, PUE, year, source, PUE source]; `source` and `PUE source` are keys of `sources`. */
export type CarbonRow = [string, string, string | null, number, number, number, string, string];

export interface CarbonFile {
	sources: Record<string, { title: string; url: string; licence: string }>;
	/** `provider/region` of the raw table without an average. */
	withoutAverage: string[];
	rows: CarbonRow[];
}

const GSF = "https://github.com/Green-Software-Foundation/real-time-cloud";
const SOURCES: CarbonFile["sources"] = {
	gsf: {
		title: "Green Software Foundation real-time-cloud, Cloud_Region_Metadata (annual average, Electricity Maps or provider)",
		url: GSF,
		licence: "GSF/JDF document terms",
	},
	"gsf-zone": {
		title: "As gsf, by grid zone: the region is not in that table and was mapped to its zone by hand",
		url: GSF,
		licence: "GSF/JDF document terms",
	},
	google: {
		title: "Google Cloud region carbon info 2024",
		url: "https://github.com/GoogleCloudPlatform/region-carbon-info",
		licence: "Apache-2.0",
	},
	ccf: {
		title: "Cloud Carbon Footprint, provider average PUE (2024-03-25)",
		url: "https://github.com/cloud-carbon-footprint/cloud-carbon-footprint",
		licence: "Apache-2.0",
	},
	"provider-2022": { title: "Region figure published by the provider for 2022, in gsf", url: GSF, licence: "GSF/JDF document terms" },
	"provider-2023": { title: "Region figure published by the provider for 2023, in gsf", url: GSF, licence: "GSF/JDF document terms" },
	"provider-2024": { title: "Region figure published by the provider for 2024, in gsf", url: GSF, licence: "GSF/JDF document terms" },
};

function averageSource(text: string): string {
	if (text.startsWith("GSF real-time-cloud")) return "gsf";
	if (text.startsWith("zone figure")) return "gsf-zone";
	if (text.startsWith("Google region-carbon-info")) return "google";
	throw new Error(`no description for the carbon source "${text}"; add it to convert/carbon.ts`);
}

function pueSource(text: string): string {
	if (text === "CCF provider average") return "ccf";
	const year = /^provider region figure (2022|2023|2024)$/.exec(text)?.[1];
	if (year === undefined) throw new Error(`no description for the PUE source "${text}"; add it to convert/carbon.ts`);
	return `provider-${year}`;
}

export function convertCarbon(regions: readonly CsvRow[]): CarbonFile {
	const rows: CarbonRow[] = [];
	const withoutAverage: string[] = [];
	for (const row of regions) {
		const grams = optionalNumber(row, "avg_g_per_kwh");
		const provider = required(row, "cloud");
		const region = required(row, "region");
		if (grams === null) {
			withoutAverage.push(`${provider}/${region}`);
			continue;
		}
		rows.push([
			provider,
			region,
			row.zone === "" ? null : required(row, "zone"),
			grams,
			requiredNumber(row, "pue"),
			requiredNumber(row, "avg_year"),
			averageSource(required(row, "avg_source")),
			pueSource(required(row, "pue_source")),
		]);
	}
	rows.sort((a, b) => compareText(`${a[0]}/${a[1]}`, `${b[0]}/${b[1]}`));
	return { sources: SOURCES, withoutAverage, rows };
}

export interface PueFile {
	source: { title: string; url: string; licence: string; asOf: string };
	onPremises: number;
	providers: Record<string, number>;
}

export function convertPue(rows: readonly CsvRow[]): PueFile {
	const value = (provider: string): number => {
		const row = rows.find((r) => r.provider === provider);
		if (!row) throw new Error(`pue_averages.csv has no row for ${provider}`);
		return requiredNumber(row, "pue");
	};
	return {
		source: {
			title: "Cloud Carbon Footprint, footprint estimation constants",
			url: "https://github.com/cloud-carbon-footprint/cloud-carbon-footprint",
			licence: "Apache-2.0",
			asOf: "2024-03-25",
		},
		onPremises: value("on_premise_default"),
		providers: { aws: value("aws"), azure: value("azure"), gcp: value("gcp") },
	};
}
