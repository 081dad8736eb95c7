import type { Db } from "#server/db/client.ts";
import type { OwnedRateCard } from "#server/domain/rate-card.ts";
import { microToUsdText, usdToMicro } from "#server/kernel/money.ts";
import { type PlanCard, shippedCard } from "#server/plan/compare/owned-money.ts";
import { cardsOfPool } from "#server/services/pricing/owned/pool-cards.ts";
import type { ReplayPool } from "#server/simulation/replay/types.ts";

type Part = { card: OwnedRateCard; gpus: number; source: string };

/**
 * One card for all owned pools: assets and yearly costs added up, and power by each pool's GPUs. Pools without a card use the shipped one.
 */
export async function loadCard(db: Db, pools: readonly ReplayPool[], fromMs: number): Promise<PlanCard> {
	const parts: Part[] = [];
	for (const pool of pools) {
		const gpus = pool.nodes * pool.gpusPerNode;
		if (gpus === 0) continue;
		const card = (await cardsOfPool(db, { siteId: pool.siteId, poolId: pool.id })).at(-1)?.card;
		parts.push(card ? { card, gpus, source: `Rate card of ${pool.id}.` } : shippedCard(pool.accelerator, gpus, fromMs));
	}
	const gpus = parts.reduce((sum, part) => sum + part.gpus, 0);
	const models = [...new Set(pools.map(({ accelerator }) => accelerator))];
	return {
		card: mergeCards(parts, gpus),
		gpus,
		accelerator: models[0] ?? "",
		source: [...new Set(parts.map(({ source }) => source))].join(" "),
	};
}

function mergeCards(parts: readonly Part[], gpus: number): OwnedRateCard {
	const mean = (pick: (card: OwnedRateCard) => string): string =>
		microToUsdText(parts.reduce((sum, { card, gpus: n }) => sum + usdToMicro(pick(card)) * BigInt(n), 0n) / BigInt(Math.max(1, gpus)));
	const sum = (pick: (card: OwnedRateCard) => string): string =>
		microToUsdText(parts.reduce((total, { card }) => total + usdToMicro(pick(card)), 0n));
	return {
		assets: parts.flatMap(({ card }) => card.assets),
		power: {
			busyWattsPerGpu: mean(({ power }) => power.busyWattsPerGpu),
			idleWattsPerGpu: mean(({ power }) => power.idleWattsPerGpu),
			pue: mean(({ power }) => power.pue),
			electricityUsdPerKwh: mean(({ power }) => power.electricityUsdPerKwh),
			contractGramsPerKwh: null,
		},
		perYear: {
			rackUsd: sum(({ perYear }) => perYear.rackUsd),
			networkUsd: sum(({ perYear }) => perYear.networkUsd),
			supportUsd: sum(({ perYear }) => perYear.supportUsd),
			staffUsd: sum(({ perYear }) => perYear.staffUsd),
		},
	};
}
