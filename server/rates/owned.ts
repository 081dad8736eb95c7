import { z } from "zod";
import { assert } from "../kernel/assert.ts";
import { type MicroUsd, mulDivFloor, usdToMicro } from "../kernel/money.ts";
import { ACCELERATOR_NAMES, type AcceleratorName, accelerator, acceleratorName } from "./accelerators.ts";
import raw from "./data/owned-rates.json" with { type: "json" };
import { isoDate } from "./source.ts";

/** A setting of the rate card. `assumed` ones must be shown as such: "from the rate card", not measured. */
const settingSchema = z.strictObject({
	value: z.string().regex(/^\d+(\.\d{1,6})?$/),
	basis: z.enum(["sourced", "assumed"]),
	source: z.string().min(1),
});
export type OwnedSetting = z.infer<typeof settingSchema>;

const cardSchema = z.strictObject({
	name: z.string().min(1),
	asOf: isoDate,
	formula: z.string().min(1),
	settings: z.strictObject({
		/** Hours over which the purchase is depreciated. */
		lifeHours: settingSchema,
		pue: settingSchema,
		electricityUsdPerKwh: settingSchema,
		hostPriceUsdPerGpu: settingSchema,
		hostWattsPerGpu: settingSchema,
		staffUsdPerYear: settingSchema,
		gpusPerStaff: settingSchema,
	}),
	gpuPriceUsd: z.partialRecord(acceleratorName, settingSchema),
});
export type OwnedRateCard = z.infer<typeof cardSchema>;

export interface OwnedRate {
	accelerator: AcceleratorName;
	/** Fully loaded hourly cost of owning one GPU, used or not: the sum of `parts`. */
	microUsdPerGpuHour: MicroUsd;
	parts: { depreciation: MicroUsd; power: MicroUsd; staff: MicroUsd };
	/** Board plus its share of the host, W, before PUE. */
	wattsPerGpu: number;
	pue: number;
	/** All inputs, with their sources. */
	settings: ({ name: string } & OwnedSetting)[];
	card: string;
	asOf: string;
}

const SCALE = 1_000_000n;
const HOURS_PER_YEAR = 8_760n;

/** Decimal text as integer millionths, parsed like money. */
function millionths(setting: OwnedSetting): bigint {
	return usdToMicro(setting.value);
}

/**
 * Straight-line hourly cost of one GPU, by the formula stated on the card; each part is rounded down to the
 * micro-dollar. null when the card has no purchase price for the model.
 */
export function deriveOwnedRate(card: OwnedRateCard, name: AcceleratorName): OwnedRate | null {
	const gpuPrice = card.gpuPriceUsd[name];
	if (!gpuPrice) return null;
	const { settings } = card;
	assert(millionths(settings.lifeHours) > 0n && millionths(settings.gpusPerStaff) > 0n, "life and GPUs per person must be above zero");
	assert(millionths(settings.pue) >= SCALE, "PUE is at least 1");
	const price = millionths(gpuPrice) + millionths(settings.hostPriceUsdPerGpu);
	const depreciation = mulDivFloor(price, SCALE, millionths(settings.lifeHours)).quotient;
	const watts = BigInt(Math.round(accelerator(name).boardWatts)) * SCALE + millionths(settings.hostWattsPerGpu);
	// watts, PUE and $/kWh are in millionths each, and 1 kW is 1,000 W.
	const power = mulDivFloor(watts * millionths(settings.pue), millionths(settings.electricityUsdPerKwh), 1_000n * SCALE * SCALE).quotient;
	const staff = mulDivFloor(millionths(settings.staffUsdPerYear), SCALE, millionths(settings.gpusPerStaff) * HOURS_PER_YEAR).quotient;
	return {
		accelerator: name,
		microUsdPerGpuHour: depreciation + power + staff,
		parts: { depreciation, power, staff },
		wattsPerGpu: Number(watts) / 1e6,
		pue: Number(settings.pue.value),
		settings: [
			{ name: "gpuPriceUsd", ...gpuPrice },
			...Object.entries(settings).map(([key, setting]) => ({ name: key, ...setting })),
			{ name: "boardWatts", value: `${accelerator(name).boardWatts}`, basis: "sourced", source: accelerator(name).boardWattsSource },
		],
		card: card.name,
		asOf: card.asOf,
	};
}

let rates: Map<AcceleratorName, OwnedRate> | undefined;

function load(): Map<AcceleratorName, OwnedRate> {
	if (rates) return rates;
	const card = ownedRateCard();
	rates = new Map(
		ACCELERATOR_NAMES.flatMap((name) => {
			const rate = deriveOwnedRate(card, name);
			return rate ? [[name, rate] as const] : [];
		}),
	);
	return rates;
}

/** The card shipped with the project; a site may override its values. */
export function ownedRateCard(): OwnedRateCard {
	return cardSchema.parse(raw);
}

/** The shipped card's rate for a model; null when it has no purchase price for it. */
export function ownedRate(name: AcceleratorName): OwnedRate | null {
	return load().get(name) ?? null;
}
