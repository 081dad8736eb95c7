import { usdToMicro } from "../../kernel/money.ts";
import type { OfferAccelerator } from "../offers.ts";
import type { SourceNote } from "../source.ts";
import { type CsvRow, required, requiredNumber } from "./csv.ts";
import { catalogueSource } from "./sources.ts";
import { machinesOfChip } from "./tpus.ts";

export type OfferProvider = "aws" | "azure" | "gcp";

/** The catalog's accelerator names per cloud. Names missing here are excluded from the snapshot. */
const ACCELERATORS: Record<string, OfferAccelerator> = {
	A100: "A100-40GB",
	"A100-80GB": "A100-80GB",
	A10G: "A10G-24GB",
	B200: "B200-180GB",
	H100: "H100-80GB",
	H200: "H200-141GB",
	L4: "L4-24GB",
	L40S: "L40S-48GB",
	T4: "T4-16GB",
	"TPU-v5p": "TPU-v5p",
	"TPU-v6e": "TPU-v6e",
	V100: "V100-16GB",
	"V100-32GB": "V100-32GB",
};

const AWS_FAMILIES = new Set(["g4dn", "g5", "g6", "g6e", "p3", "p3dn", "p4d", "p4de", "p5", "p5e", "p5en", "p6-b200"]);

/** Why a row of the raw catalog is not in the snapshot. */
export type Skipped = "family" | "accelerator" | "fraction_of_gpu" | "stale_price" | "no_price" | "no_memory";

export interface OfferFile {
	provider: OfferProvider;
	sources: SourceNote[];
	/** name → [accelerator, gpus, vcpus, memoryGiB] */
	types: Record<string, [OfferAccelerator, number, number, number]>;
	/** See `offers.ts` for the columns. */
	rows: (string | null)[][];
}

/**
 * The letter form of an availability zone id: `use1-az2` in us-east-1 → `us-east-1b`.
 * AWS shuffles the letters per account, so any fixed mapping is a convention; ours is az1 = a.
 */
export function zoneNameOfId(region: string, zoneId: string): string {
	const number = /-az([1-9])$/.exec(zoneId)?.[1];
	if (number === undefined) throw new Error(`not an availability zone id: ${zoneId}`);
	return region + String.fromCharCode("a".charCodeAt(0) + Number(number) - 1);
}

function reasonToSkip(provider: OfferProvider, row: CsvRow): Skipped | null {
	if (provider === "aws" && !AWS_FAMILIES.has(required(row, "instance_type").split(".")[0] ?? "")) return "family";
	if (!ACCELERATORS[required(row, "accelerator")]) return "accelerator";
	if (!Number.isInteger(requiredNumber(row, "accelerator_count"))) return "fraction_of_gpu";
	if ((row.od_source ?? "").includes("STALE")) return "stale_price";
	if (row.on_demand_usd_h === "" || usdToMicro(required(row, "on_demand_usd_h")) <= 0n) return "no_price";
	if (row.memory_gib === "" || row.vcpus === "") return "no_memory";
	return null;
}

/** The spot price, or null if there is none: AWS reports spot = on-demand for a zone without spare capacity. */
function spotOf(row: CsvRow): string | null {
	const spot = row.spot_usd_h ?? "";
	if (spot === "" || usdToMicro(spot) <= 0n) return null;
	// The raw spot prices are rounded to four decimals, so 30.0978 corresponds to an on-demand price of 30.09784.
	const rounding = usdToMicro("0.0001");
	return usdToMicro(spot) + rounding >= usdToMicro(required(row, "on_demand_usd_h")) ? null : spot;
}

/** One cloud's part of the raw catalog as a snapshot file. `interruptions` maps `region/type` to a bucket of the Spot Advisor. */
export function convertOffers(
	provider: OfferProvider,
	catalogue: readonly CsvRow[],
	interruptions: ReadonlyMap<string, string>,
): { file: OfferFile; skipped: Map<Skipped, number> } {
	const sources = new Map<string, SourceNote>();
	const types: OfferFile["types"] = {};
	const rows: OfferFile["rows"] = [];
	const skipped = new Map<Skipped, number>();
	const sourceId = (text: string): string => {
		const note = catalogueSource(text);
		sources.set(note.id, note);
		return note.id;
	};
	for (const row of catalogue.filter((r) => r.cloud === provider).flatMap(machinesOfChip)) {
		const reason = reasonToSkip(provider, row);
		if (reason) {
			skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
			continue;
		}
		const type = required(row, "instance_type");
		const accelerator = ACCELERATORS[required(row, "accelerator")];
		if (!accelerator) throw new Error(`accelerator of ${type} is not known`);
		types[type] = [accelerator, requiredNumber(row, "accelerator_count"), requiredNumber(row, "vcpus"), requiredNumber(row, "memory_gib")];
		const region = required(row, "region");
		const rawZone = row.zone ?? "";
		const zone = rawZone === "" ? null : provider === "aws" ? zoneNameOfId(region, rawZone) : rawZone;
		const zoneId = provider === "aws" && rawZone !== "" ? rawZone : null;
		const spot = spotOf(row);
		rows.push([
			type,
			region,
			zone,
			zoneId,
			required(row, "on_demand_usd_h"),
			sourceId(required(row, "od_source")),
			spot,
			spot === null ? null : sourceId(required(row, "spot_source")),
			interruptions.get(`${region}/${type}`) ?? null,
		]);
	}
	rows.sort((a, b) => compareText(a.slice(0, 3).join(" "), b.slice(0, 3).join(" ")));
	return {
		file: { provider, sources: [...sources.values()].sort((a, b) => compareText(a.id, b.id)), types: sortKeys(types), rows },
		skipped,
	};
}

export function compareText(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}

function sortKeys<T>(record: Record<string, T>): Record<string, T> {
	return Object.fromEntries(Object.entries(record).sort(([a], [b]) => compareText(a, b)));
}
