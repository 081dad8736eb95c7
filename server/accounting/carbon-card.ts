import type { OwnedAsset, OwnedRateCard } from "#server/domain/rate-card.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { PoolPower, PowerStep } from "./carbon.ts";
import { depreciationOf } from "./depreciation.ts";
import { type Calendar, dayStartMs } from "./zone.ts";

/**
 * A pool's power and manufacturing emissions according to its rate cards, each from its effective time. A card's watts
 * include the host's share; its contract determines the market-based figure. Manufacturing: embodiedKg of every asset
 * within its life, spread evenly over that life (whatever its depreciation method) and over the pool's GPUs. Assets
 * without a figure are left out; if no asset in service has one, the base's figure applies. After an asset's life
 * nothing remains.
 */
export function powerSteps(
	cards: readonly { effectiveFromMs: number; card: OwnedRateCard }[],
	pool: { gpus: number; power: PoolPower },
	calendar: Calendar,
): PowerStep[] {
	return cards.flatMap(({ effectiveFromMs, card }, i) => {
		const untilMs = cards[i + 1]?.effectiveFromMs ?? Number.POSITIVE_INFINITY;
		const lives = card.assets.map((asset) => lifeOf(asset, calendar));
		const edges = lives.flatMap((life) => [life.fromMs, life.toMs]).filter((ms) => ms > effectiveFromMs && ms < untilMs);
		return [...new Set([effectiveFromMs, ...edges])]
			.sort((a, b) => a - b)
			.map((fromMs): PowerStep => ({ fromMs, power: { ...pool.power, ...powerOfCard(card), ...manufactureAt(lives, pool, fromMs) } }));
	});
}

function powerOfCard({ power }: OwnedRateCard): Partial<PoolPower> {
	return {
		wattsPerGpu: Number(power.busyWattsPerGpu),
		idleWattsPerGpu: Number(power.idleWattsPerGpu),
		...(power.measured ? { wattsAreMeasured: true } : {}),
		pue: Number(power.pue),
		contractGramsPerKwh: power.contractGramsPerKwh === null ? null : Number(power.contractGramsPerKwh),
	};
}

interface AssetLife {
	fromMs: number;
	toMs: number;
	/** For the whole asset, g CO2e; null: unknown. */
	gramsPerHour: number | null;
}

function lifeOf(asset: OwnedAsset, calendar: Calendar): AssetLife {
	const [whole] = depreciationOf({ ...asset, method: { kind: "straight_line" } });
	const [fromMs, toMs] = [dayStartMs(calendar, whole?.fromDay ?? 0), dayStartMs(calendar, whole?.toDay ?? 0)];
	return { fromMs, toMs, gramsPerHour: asset.embodiedKg === null ? null : (Number(asset.embodiedKg) * 1_000 * HOUR_MS) / (toMs - fromMs) };
}

function manufactureAt(lives: readonly AssetLife[], { gpus }: { gpus: number }, atMs: number): Partial<PoolPower> {
	const known = lives.filter((life) => life.gramsPerHour !== null);
	if (known.length === 0) return {};
	const inService = known.filter((life) => life.fromMs <= atMs && atMs < life.toMs);
	return { embodiedGramsPerGpuHour: inService.reduce((sum, life) => sum + (life.gramsPerHour ?? 0), 0) / gpus };
}
