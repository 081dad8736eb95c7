import type { Offer } from "#server/domain/capacity.ts";
import type { ThroughputPrior } from "#server/scheduling/throughput/types.ts";
import type { ScenarioDocument } from "./scenario-document.ts";

export interface ScenarioContext {
	doc: ScenarioDocument;
	facts: ShippedFacts;
	seed: number;
	startMs: number;
	read: ReadNamedFile;
}

/** Facts that ship with the project and that a scenario may use. Passed as data because this folder does not import server/rates. */
export interface ShippedFacts {
	/** Every offer of the catalog, at its snapshot's price. */
	offers(observedAtMs: number): Offer[];
	/** The rate card's figures for a model; null if it has no purchase price for it. */
	ownedRate(accelerator: string): { microUsdPerGpuHour: bigint; wattsPerGpu: number; pue: number } | null;
	/** Average PUE of an on-premises machine room. */
	onPremisesPue: number;
	/** Yearly average of a grid zone, gCO2e/kWh; null if unknown. */
	gridZone(zone: string): number | null;
	/** The models that a name may refer to. */
	acceleratorsNamed(name: string): readonly string[];
	boardWatts: Readonly<Record<string, number>>;
	/** Public measurements of training speed. */
	throughputPrior: ThroughputPrior;
}

/** Reads the file at a path named in a scenario; `at` is the field that names it. */
export type ReadNamedFile = (file: string, at: readonly (string | number)[]) => { text: string; name: string };
