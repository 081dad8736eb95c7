import type { DataRef } from "#server/domain/job.ts";
import type { Provider } from "#server/domain/vocabulary.ts";

/**
 * Countries of cloud regions, ISO 3166-1 in lower case, by the longest matching prefix of the region's name. From the providers' own region
 * lists (AWS, Azure and Google Cloud, as of 2026); a test checks it against the grid zones of the shipped carbon table.
 */
const COUNTRIES: Readonly<Record<"aws" | "azure" | "gcp", Readonly<Record<string, string>>>> = {
	aws: {
		...named("us", "us-"),
		...named("ca", "ca-"),
		...named("mx", "mx-"),
		...named("br", "sa-east-1"),
		...named("ie", "eu-west-1"),
		...named("gb", "eu-west-2"),
		...named("fr", "eu-west-3"),
		...named("de", "eu-central-1", "eusc-de-"),
		...named("ch", "eu-central-2"),
		...named("se", "eu-north-1"),
		...named("it", "eu-south-1"),
		...named("es", "eu-south-2"),
		...named("jp", "ap-northeast-1", "ap-northeast-3"),
		...named("kr", "ap-northeast-2"),
		...named("sg", "ap-southeast-1"),
		...named("au", "ap-southeast-2", "ap-southeast-4"),
		...named("id", "ap-southeast-3"),
		...named("my", "ap-southeast-5"),
		...named("nz", "ap-southeast-6"),
		...named("th", "ap-southeast-7"),
		...named("in", "ap-south-"),
		...named("hk", "ap-east-1"),
		...named("tw", "ap-east-2"),
		...named("cn", "cn-"),
		...named("bh", "me-south-1"),
		...named("ae", "me-central-1"),
		...named("il", "il-"),
		...named("za", "af-south-1"),
	},
	azure: {
		...named(
			"us",
			"eastus",
			"westus",
			"centralus",
			"northcentralus",
			"southcentralus",
			"westcentralus",
			"usgov",
			"usdod",
			"ussec",
			"usnat",
		),
		...named("ca", "canada"),
		...named("mx", "mexico"),
		...named("br", "brazil"),
		...named("cl", "chile"),
		...named("nl", "westeurope"),
		...named("ie", "northeurope"),
		...named("gb", "uk"),
		...named("fr", "france"),
		...named("de", "germany"),
		...named("ch", "switzerland"),
		...named("se", "sweden"),
		...named("no", "norway"),
		...named("dk", "denmark"),
		...named("fi", "finland"),
		...named("at", "austria"),
		...named("be", "belgium"),
		...named("it", "italy"),
		...named("es", "spain"),
		...named("pl", "poland"),
		...named("gr", "greece"),
		...named("jp", "japan"),
		...named("kr", "korea"),
		...named("sg", "southeastasia"),
		...named("hk", "eastasia"),
		...named("tw", "taiwan"),
		...named("au", "australia"),
		...named("nz", "newzealand"),
		...named("id", "indonesia"),
		...named("my", "malaysia"),
		...named("in", "centralindia", "southindia", "westindia", "indiasouth", "jioindia"),
		...named("cn", "china"),
		...named("ae", "uae"),
		...named("qa", "qatar"),
		...named("il", "israel"),
		...named("za", "southafrica"),
	},
	gcp: {
		...named("us", "us-"),
		...named("ca", "northamerica-northeast"),
		...named("mx", "northamerica-south"),
		...named("br", "southamerica-east"),
		...named("cl", "southamerica-west"),
		...named("be", "europe-west1"),
		...named("gb", "europe-west2"),
		...named("de", "europe-west3", "europe-west10"),
		...named("nl", "europe-west4"),
		...named("ch", "europe-west6"),
		...named("it", "europe-west8", "europe-west12"),
		...named("fr", "europe-west9"),
		...named("pl", "europe-central2"),
		...named("fi", "europe-north1"),
		...named("se", "europe-north2"),
		...named("es", "europe-southwest1"),
		...named("tw", "asia-east1"),
		...named("hk", "asia-east2"),
		...named("jp", "asia-northeast1", "asia-northeast2"),
		...named("kr", "asia-northeast3"),
		...named("sg", "asia-southeast1"),
		...named("id", "asia-southeast2"),
		...named("in", "asia-south1", "asia-south2"),
		...named("au", "australia-"),
		...named("qa", "me-central1"),
		...named("sa", "me-central2"),
		...named("il", "me-west1"),
		...named("za", "africa-south1"),
	},
};

function named(country: string, ...starts: string[]): Record<string, string> {
	return Object.fromEntries(starts.map((start) => [start, country]));
}

/** The 27 members of the European Union. */
const EU = "at be bg cy cz de dk ee es fi fr gr hr hu ie it lt lu lv mt nl pl pt ro se si sk".split(" ");
const AREAS_OF: Readonly<Record<string, readonly string[]>> = {
	...Object.fromEntries(EU.map((country) => [country, [country, "eu", "eea"]])),
	no: ["no", "eea"],
	gb: ["gb", "uk"],
	us: ["us", "usa"],
};

/**
 * The areas that contain a cloud region, in the notation of jobs (`eu`, `de`, `uk`, `us`); empty when the region is unknown.
 */
export function areasOf(provider: Provider, region: string): readonly string[] {
	const country = countryOf(provider, region);
	return country === null ? [] : (AREAS_OF[country] ?? [country]);
}

function countryOf(provider: Provider, region: string): string | null {
	if (provider !== "aws" && provider !== "azure" && provider !== "gcp") return null;
	const table = COUNTRIES[provider];
	let longest = "";
	for (const start of Object.keys(table)) if (start.length > longest.length && begins(region, start)) longest = start;
	return table[longest] ?? null;
}

/** A number at the end of `start` must match the whole number there: europe-west1 does not match europe-west15. */
function begins(region: string, start: string): boolean {
	return region.startsWith(start) && !(/\d$/.test(start) && /\d/.test(region.charAt(start.length)));
}

/**
 * The areas of the data set that excludes the region, or null when every data set may go there. A hard rule: each data set with areas must
 * allow one that contains the region; an unknown region is in none.
 */
export function outsideResidency(data: readonly DataRef[], provider: Provider, region: string): readonly string[] | null {
	const areas = areasOf(provider, region);
	return data.find((d) => d.residency.length > 0 && !d.residency.some((area) => areas.includes(area)))?.residency ?? null;
}
