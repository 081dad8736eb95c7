import type { Charge } from "#server/domain/charge.ts";
import type { HomeElectricity, PricedTime } from "#server/domain/home-electricity.ts";
import { bucketStartMs } from "./calendar.ts";
import type { Electricity } from "./electricity.ts";

/** Sources of a pool's electricity prices. */
export interface PoolElectricity {
	/** In order of time; before the first one a flat price applies, without separate electricity. */
	cards: readonly { fromMs: number; electricity: Electricity }[];
	/** By the start of the UTC hour. */
	hours: ReadonlyMap<number, { microUsdPerKwh: bigint; source: string }>;
}

type Held = Pick<Charge, "allocationId" | "gpuMs" | "periodStartMs" | "periodEndMs">;

/**
 * Which of a job's home charges use the hourly price of electricity, and which the card's price. Charges are corrected
 * when a price or card arrives later, so current data determines their final amounts. null: no charge uses either.
 */
export function electricityOfCharges(
	charges: readonly Held[],
	poolOf: (allocationId: string) => PoolElectricity | null,
): HomeElectricity | null {
	const [hourly, card] = [new Average(), new Average()];
	const sources = new Set<string>();
	for (const { allocationId, gpuMs, periodStartMs, periodEndMs } of charges) {
		const pool = allocationId === null ? null : poolOf(allocationId);
		// Corrections of a price hold no slot.
		if (pool === null || gpuMs === 0n) continue;
		const gpus = gpuMs / BigInt(periodEndMs - periodStartMs);
		const known = pool.hours.get(bucketStartMs("hour", periodStartMs));
		for (const { fromMs, toMs, electricity } of underCards(pool.cards, periodStartMs, periodEndMs)) {
			if (known) hourly.add(gpus, toMs - fromMs, known.microUsdPerKwh * BigInt(toMs - fromMs));
			else card.add(gpus, toMs - fromMs, electricity.until(toMs) - electricity.until(fromMs));
			if (known) sources.add(known.source);
		}
	}
	const parts = { hourly: hourly.result(), card: card.result() };
	return parts.hourly === null && parts.card === null ? null : { ...parts, sources: [...sources] };
}

function underCards(cards: PoolElectricity["cards"], fromMs: number, toMs: number) {
	return cards.flatMap((card, i) => {
		const part = { fromMs: Math.max(fromMs, card.fromMs), toMs: Math.min(toMs, cards[i + 1]?.fromMs ?? toMs) };
		return part.fromMs < part.toMs ? [{ ...part, electricity: card.electricity }] : [];
	});
}

/** Prices weighted by GPU time; reversals have negative GPUs. */
class Average {
	#ms = 0;
	#gpuMs = 0n;
	#weighted = 0n;

	/** `priceMs`: the price of a kWh times how long it applied. */
	add(gpus: bigint, ms: number, priceMs: bigint): void {
		this.#ms += gpus < 0n ? -ms : ms;
		this.#gpuMs += gpus * BigInt(ms);
		this.#weighted += gpus * priceMs;
	}

	result(): PricedTime | null {
		if (this.#ms <= 0 || this.#gpuMs <= 0n) return null;
		return { ms: this.#ms, microUsdPerKwh: this.#weighted / this.#gpuMs };
	}
}
