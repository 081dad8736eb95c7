import { describe, expect, it } from "vitest";
import { electricityWords } from "#server/domain/home-electricity.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { electricityOf } from "./electricity.ts";
import { electricityOfCharges, type PoolElectricity } from "./receipt-electricity.ts";
import { aCard } from "./testing/cards.ts";
import { UTC } from "./zone.ts";

const T0 = Date.UTC(2026, 10, 10, 10);
const cardAt = (hour: number, electricityUsdPerKwh: string) => {
	const power = { busyWattsPerGpu: "1000", idleWattsPerGpu: "100", pue: "1.5", electricityUsdPerKwh };
	return { fromMs: T0 + hour * HOUR_MS, electricity: electricityOf(aCard({ power }).power, UTC) };
};
const pool = (cards: PoolElectricity["cards"], hours: Record<number, [bigint, string]> = {}): PoolElectricity => ({
	cards,
	hours: new Map(
		Object.entries(hours).map(([hour, [microUsdPerKwh, source]]) => [T0 + Number(hour) * HOUR_MS, { microUsdPerKwh, source }]),
	),
});
const held = (hour: number, gpus: number, minutes = 60) => ({
	...{ allocationId: "alc_1", periodStartMs: T0 + hour * HOUR_MS, periodEndMs: T0 + hour * HOUR_MS + minutes * MINUTE_MS },
	gpuMs: BigInt(gpus * minutes * MINUTE_MS),
});

describe("electricity prices of a job at home", () => {
	it("$0.06 and $0.12 by the hour, then 30 min at the card's price: 2 h at (0.06 + 0.12) ÷ 2 = $0.09, 0.5 h at $0.11", () => {
		const of = pool([cardAt(0, "0.11")], { 0: [60_000n, "EPEX"], 1: [120_000n, "EPEX"], 5: [1n, "of no charge"] });
		const electricity = electricityOfCharges([held(0, 2), held(1, 2), held(2, 2, 30)], () => of);
		expect(electricity).toEqual({
			hourly: { ms: 2 * HOUR_MS, microUsdPerKwh: 90_000n },
			card: { ms: 30 * MINUTE_MS, microUsdPerKwh: 110_000n },
			sources: ["EPEX"],
		});
		expect(electricity && electricityWords(electricity)).toBe(
			"2 h at hourly prices ($0.09 a kWh on average; EPEX), 0.5 h at the rate card's ($0.11 a kWh)",
		);
	});

	it("an hour with 8 GPUs counts eight times as much as an hour with one: (8 × 0.1 + 1 × −0.08) ÷ 9 = $0.08", () => {
		const of = pool([cardAt(0, "0.11")], { 0: [100_000n, "a"], 1: [-80_000n, "b"] });
		expect(electricityOfCharges([held(0, 8), held(1, 1)], () => of)).toMatchObject({
			hourly: { microUsdPerKwh: 80_000n },
			card: null,
			sources: ["a", "b"],
		});
	});

	it("a correction reduces the time: 60 min charged and 20 reversed are 40; a correction of the price alone has no time", () => {
		const taken = { ...held(0, -1, 60), periodStartMs: T0 + 40 * MINUTE_MS, gpuMs: BigInt(-20 * MINUTE_MS) };
		const price = { ...held(0, 0), gpuMs: 0n };
		expect(electricityOfCharges([held(0, 1), taken, price], () => pool([cardAt(0, "0.2")]))?.card).toEqual({
			ms: 40 * MINUTE_MS,
			microUsdPerKwh: 200_000n,
		});
	});

	it("a card that starts within the hour: 15 min at a flat price, which has no electricity, 45 min at $0.20", () => {
		const cards = [cardAt(0.25, "0.20")];
		expect(electricityOfCharges([held(0, 1)], () => pool(cards))?.card).toEqual({ ms: 45 * MINUTE_MS, microUsdPerKwh: 200_000n });
		expect(electricityOfCharges([held(0, 1)], () => pool([]))).toBeNull();
		expect(electricityOfCharges([{ ...held(0, 1), allocationId: null }], () => pool(cards))).toBeNull();
	});
});
