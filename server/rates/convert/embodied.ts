import { instanceFamilyOf } from "../family.ts";
import { RATED_PROVIDERS, type RatedProvider } from "../offers.ts";
import { type CsvRow, required, requiredNumber } from "./csv.ts";
import { compareText } from "./offers.ts";

export interface EmbodiedFile {
	source: { title: string; url: string; licence: string; asOf: string };
	method: string;
	lifetimeHours: number;
	/** [provider, instance type, kg CO2e of the whole server, GPU part of it, vCPUs, vCPUs of the family's largest type] */
	rows: [string, string, number, number, number, number][];
}

/** `NC16as T4 v3` of the raw table is `Standard_NC16as_T4_v3` in the offers. */
function canonicalType(provider: string, name: string): string {
	return provider === "azure" ? `Standard_${name.replaceAll(" ", "_")}` : name;
}

function ratedProvider(name: string): RatedProvider {
	const found = RATED_PROVIDERS.find((provider) => provider === name);
	if (!found) throw new Error(`no such cloud among the rates: "${name}"`);
	return found;
}

/**
 * Rows for the instance types that also have a price. Only for those are the vCPUs known, which Cloud Carbon Footprint
 * uses to share a server among its instances (instance vCPUs / the family's largest).
 */
export function convertEmbodied(raw: readonly CsvRow[], catalogue: readonly CsvRow[]): EmbodiedFile {
	const vcpus = new Map<string, number>();
	const largest = new Map<string, number>();
	for (const row of catalogue.filter((r) => r.vcpus !== "")) {
		const provider = required(row, "cloud");
		const type = required(row, "instance_type");
		const count = requiredNumber(row, "vcpus");
		vcpus.set(`${provider}/${type}`, count);
		const family = `${provider}/${instanceFamilyOf(ratedProvider(provider), type)}`;
		largest.set(family, Math.max(count, largest.get(family) ?? 0));
	}
	const rows: EmbodiedFile["rows"] = [];
	for (const row of raw) {
		const provider = required(row, "cloud");
		const type = canonicalType(provider, required(row, "instance_type"));
		const own = vcpus.get(`${provider}/${type}`);
		const most = largest.get(`${provider}/${instanceFamilyOf(ratedProvider(provider), type)}`);
		if (own === undefined || most === undefined) continue;
		rows.push([provider, type, requiredNumber(row, "total_kgco2e_per_server"), requiredNumber(row, "additional_gpus_kgco2e"), own, most]);
	}
	rows.sort((a, b) => compareText(`${a[0]}/${a[1]}`, `${b[0]}/${b[1]}`));
	return {
		source: {
			title: "Cloud Carbon Footprint, embodied emissions per server",
			url: "https://github.com/cloud-carbon-footprint/ccf-coefficients",
			licence: "Apache-2.0",
			asOf: "2024-03-25",
		},
		method:
			"share of the server = vCPUs of the instance / vCPUs of the largest type of its family; spread evenly over lifetimeHours (CCF: 4 years)",
		lifetimeHours: 35_040,
		rows,
	};
}
