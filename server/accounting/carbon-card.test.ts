import { describe, expect, it } from "vitest";
import { type OwnedAsset, type OwnedRateCard, ownedRateCardSchema } from "#server/domain/rate-card.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { footprintOfSteps, type PoolPower } from "./carbon.ts";
import { powerSteps } from "./carbon-card.ts";
import { calendarOf, UTC } from "./zone.ts";

const base: PoolPower = { wattsPerGpu: 500, pue: 1.5, gramsPerKwh: 300, embodiedGramsPerGpuHour: 9 };
const nodes: OwnedAsset = {
	id: "nodes",
	name: "Nodes",
	inServiceOn: "2024-01-01",
	priceUsd: "1000",
	residualUsd: "0",
	lifeMonths: 48,
	method: { kind: "declining_balance", ratePerYear: "0.4" },
	embodiedKg: "5232",
	source: null,
};
const card = (assets: OwnedAsset[], contractGramsPerKwh: string | null = null): OwnedRateCard =>
	ownedRateCardSchema.parse({
		assets,
		power: { busyWattsPerGpu: "640", idleWattsPerGpu: "120", pue: "1.25", electricityUsdPerKwh: "0.1", contractGramsPerKwh },
		perYear: { rackUsd: "0", networkUsd: "0", supportUsd: "0", staffUsd: "0" },
	});
const stepsOf = (assets: OwnedAsset[], fromMs = Date.UTC(2026, 0, 1)) =>
	powerSteps([{ effectiveFromMs: fromMs, card: card(assets) }], { gpus: 8, power: base }, UTC);

describe("power by rate cards", () => {
	it("takes watts, PUE and contract from the card, and the grid from the site", () => {
		const [step] = powerSteps([{ effectiveFromMs: 0, card: card([], "12.5") }], { gpus: 8, power: base }, UTC);
		expect(step?.power).toEqual({ ...base, wattsPerGpu: 640, idleWattsPerGpu: 120, pue: 1.25, contractGramsPerKwh: 12.5 });
	});

	it("5,232 kg over the 1,461 days from 2024-01-01 to 2028-01-01 (with a leap year) and 8 GPUs: 18.652 g per GPU-hour, whatever the depreciation method", () => {
		const [step] = stepsOf([nodes]);
		expect(step?.power.embodiedGramsPerGpuHour).toBeCloseTo(5_232_000 / (1_461 * 24) / 8, 9);
		expect(step?.power.embodiedGramsPerGpuHour).toBeCloseTo(18.652, 3);
	});

	it("counts an asset from its first day in service to the end of its life: +1,000 kg over 12 months / 8 in 2027, nothing from 2028 on", () => {
		const late = { ...nodes, id: "more", inServiceOn: "2027-01-01", lifeMonths: 12, embodiedKg: "1000" };
		const steps = stepsOf([nodes, late]).map((s) => [new Date(s.fromMs).toISOString().slice(0, 10), s.power.embodiedGramsPerGpuHour]);
		const first = 5_232_000 / (1_461 * 24) / 8;
		expect(steps).toEqual([
			["2026-01-01", first],
			["2027-01-01", expect.closeTo(first + 1_000_000 / (365 * 24) / 8, 9)],
			["2028-01-01", 0],
		]);
	});

	it("uses the model's figure when no asset has one, and only known figures when one of two has one", () => {
		const unknown = { ...nodes, id: "switch", embodiedKg: null };
		expect(stepsOf([unknown])[0]?.power.embodiedGramsPerGpuHour).toBe(9);
		expect(stepsOf([unknown, nodes])[0]?.power.embodiedGramsPerGpuHour).toBeCloseTo(18.652, 3);
	});

	it("days in service are those of the ledger's calendar", () => {
		const [, second] = powerSteps([{ effectiveFromMs: 0, card: card([nodes]) }], { gpus: 8, power: base }, calendarOf("Europe/Berlin"));
		expect(new Date(second?.fromMs ?? 0).toISOString()).toBe("2023-12-31T23:00:00.000Z");
	});
});

describe("a card that changes within an hour", () => {
	it("10:00 to 10:15 at 500 W × 1.5 = 187.5 Wh, then 640 W × 1.25 × 45 min = 600 Wh, doubled for two GPUs; the same for any split", () => {
		const t0 = Date.UTC(2026, 10, 10, 10);
		const steps = stepsOf([], t0 + HOUR_MS / 4);
		const of = (fromMs: number, toMs: number) => footprintOfSteps({ base, steps }, "busy", 2, { fromMs, toMs });
		expect(of(t0, t0 + HOUR_MS)).toMatchObject({ energyMilliWh: 2n * 787_500n, emissionsMilligrams: 2n * 236_250n });
		const cut = t0 + 1_234_567;
		expect(of(t0, cut).energyMilliWh + of(cut, t0 + HOUR_MS).energyMilliWh).toBe(2n * 787_500n);
		expect(of(t0, t0).energyMilliWh).toBe(0n);
	});
});
