import type { OwnedAsset, OwnedRateCard } from "#server/domain/rate-card.ts";

/** A card that costs only what the arguments set. */
export function aCard(changes: { assets?: OwnedAsset[]; power?: Partial<OwnedRateCard["power"]>; staffUsd?: string } = {}): OwnedRateCard {
	return {
		assets: changes.assets ?? [],
		power: {
			busyWattsPerGpu: "0",
			idleWattsPerGpu: "0",
			pue: "1",
			electricityUsdPerKwh: "0",
			contractGramsPerKwh: null,
			...changes.power,
		},
		perYear: { rackUsd: "0", networkUsd: "0", supportUsd: "0", staffUsd: changes.staffUsd ?? "0" },
	};
}

/** $14,610 over four years, straight-line: $10 on each of 1,461 days. */
export function anAsset(changes: Partial<OwnedAsset> = {}): OwnedAsset {
	return {
		id: "nodes",
		name: "Nodes",
		inServiceOn: "2024-01-01",
		priceUsd: "14610",
		residualUsd: "0",
		lifeMonths: 48,
		method: { kind: "straight_line" },
		embodiedKg: null,
		source: null,
		...changes,
	};
}
