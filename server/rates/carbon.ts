import { z } from "zod";
import { assert, defined } from "../kernel/assert.ts";
import regionsRaw from "./data/carbon-regions.json" with { type: "json" };
import pueRaw from "./data/pue.json" with { type: "json" };
import { RATED_PROVIDERS, type RatedProvider } from "./offers.ts";
import { isoDate } from "./source.ts";

/** Yearly average carbon intensity of a place's power. */
export interface GridIntensity {
	/** g CO2e per kWh at the socket, before PUE. */
	gramsPerKwh: number;
	/** Energy of the data center per energy of its machines. */
	pue: number;
	/** The year averaged. */
	year: number;
	source: string;
	quality: "average";
}

const originSchema = z.strictObject({ title: z.string().min(1), url: z.url(), licence: z.string().min(1) });
const regionsSchema = z.strictObject({
	sources: z.record(z.string(), originSchema),
	/** `provider/region` without a known average. */
	withoutAverage: z.array(z.string()),
	/** provider, region, grid zone, g/kWh, PUE, year, source, PUE source */
	rows: z
		.array(
			z.tuple([
				z.enum(RATED_PROVIDERS),
				z.string().min(1),
				z.string().nullable(),
				z.number().positive().max(1500),
				z.number().min(1).max(3),
				z.number().int().min(2020).max(2100),
				z.string(),
				z.string(),
			]),
		)
		.min(1),
});
const pueSchema = z.strictObject({
	source: originSchema.extend({ asOf: isoDate }),
	onPremises: z.number().min(1).max(3),
	providers: z.record(z.enum(RATED_PROVIDERS), z.number().min(1).max(3)),
});

interface Index {
	byRegion: Map<string, GridIntensity>;
	byZone: Map<string, GridIntensity>;
	/** `provider/region` → grid zone. */
	zones: Map<string, string>;
	withoutAverage: readonly string[];
	pue: z.infer<typeof pueSchema>;
}
let index: Index | undefined;

function load(): Index {
	if (index) return index;
	const file = regionsSchema.parse(regionsRaw);
	const pue = pueSchema.parse(pueRaw);
	const byRegion = new Map<string, GridIntensity>();
	const zones = new Map<string, string>();
	const byZone = new Map<string, { intensity: GridIntensity; rank: number }>();
	for (const [provider, region, zone, gramsPerKwh, regionPue, year, sourceId] of file.rows) {
		const source = defined(file.sources[sourceId], `carbon source ${sourceId}`).title;
		const intensity: GridIntensity = { gramsPerKwh, pue: regionPue, year, source, quality: "average" };
		const key = `${provider}/${region}`;
		assert(!byRegion.has(key), `carbon-regions.json lists ${key} twice`);
		byRegion.set(key, intensity);
		if (zone !== null) zones.set(key, zone);
		// The clouds' tables average the same zone differently. Home uses AWS's figure if there is one, so that home and
		// the default cloud are comparable; otherwise the figure of the later year.
		const rank = (provider === "aws" ? 10_000 : 0) + year;
		if (zone !== null && rank > (byZone.get(zone)?.rank ?? 0)) byZone.set(zone, { rank, intensity: { ...intensity, pue: pue.onPremises } });
	}
	index = {
		byRegion,
		zones,
		byZone: new Map([...byZone].map(([zone, { intensity }]) => [zone, intensity])),
		withoutAverage: file.withoutAverage,
		pue,
	};
	return index;
}

/** The average of a cloud region; null when no source has one: show it as unknown, never as 0. */
export function gridIntensity(provider: RatedProvider, region: string): GridIntensity | null {
	return load().byRegion.get(`${provider}/${region}`) ?? null;
}

/** The grid zone of a cloud region, the key of hourly intensities; null when unknown. */
export function gridZoneOf(provider: string, region: string): string | null {
	return load().zones.get(`${provider}/${region}`) ?? null;
}

/** The average of a grid zone such as `US-MIDA-PJM` or `DE` with the PUE of a machine room at home; null when unknown. */
export function homeIntensity(zone: string): GridIntensity | null {
	return load().byZone.get(zone) ?? null;
}

export function listHomeZones(): readonly string[] {
	return [...load().byZone.keys()].sort();
}

/** `provider/region` of the source's regions that have no average. */
export function regionsWithoutAverage(): readonly string[] {
	return load().withoutAverage;
}

/** PUE of a machine room at home, or a cloud's average, with its source. */
export function averagePue(provider: RatedProvider | "on_premises"): { pue: number; source: string; asOf: string } {
	const { pue } = load();
	const value = provider === "on_premises" ? pue.onPremises : defined(pue.providers[provider], `PUE of ${provider}`);
	return { pue: value, source: pue.source.title, asOf: pue.source.asOf };
}
