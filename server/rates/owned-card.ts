import { IDLE_PERMILLE } from "../accounting/carbon.ts";
import type { OwnedRateCard } from "../domain/rate-card.ts";
import { assert } from "../kernel/assert.ts";
import { microToUsdText, mulDivFloor, usdToMicro } from "../kernel/money.ts";
import { type AcceleratorName, accelerator } from "./accelerators.ts";
import { type OwnedSetting, ownedRateCard } from "./owned.ts";

/** A card built from the shipped settings, and notes on their sources. */
export interface DefaultCard {
	card: OwnedRateCard;
	/** Names every setting that is assumed rather than sourced. */
	message: string;
}

const HOURS_PER_MONTH = 730n;
const MILLIONTHS = 1_000_000n;
const PERMILLE = 1_000n;

/**
 * The initial rate card of a new pool: the shipped settings (owned-rates.json) for this many GPUs of a model in
 * service since a date. Straight-line over 48 months to zero; idle boards draw 11.4% of their power, their hosts full
 * power; network and rack are part of the host's price. null when no purchase price of the model is on record.
 */
export function defaultOwnedCard(name: AcceleratorName, gpus: number, inServiceOn: string): DefaultCard | null {
	const { settings, gpuPriceUsd, name: cardName, asOf } = ownedRateCard();
	const gpuPrice = gpuPriceUsd[name];
	if (!gpuPrice) return null;
	const times = (setting: OwnedSetting): string => microToUsdText(usdToMicro(setting.value) * BigInt(gpus));
	const asset = (id: string, what: string, price: OwnedSetting) => ({
		...{ id, inServiceOn, residualUsd: "0", lifeMonths, method: { kind: "straight_line" as const }, embodiedKg: null },
		name: `${gpus} × ${what}${price.basis === "assumed" ? " (assumed price)" : ""}`,
		...{ priceUsd: times(price), source: price.source.slice(0, 500) },
	});
	const lifeMonths = Number(usdToMicro(settings.lifeHours.value) / (HOURS_PER_MONTH * MILLIONTHS));
	const board = usdToMicro(String(accelerator(name).boardWatts));
	const host = usdToMicro(settings.hostWattsPerGpu.value);
	assert(usdToMicro(settings.gpusPerStaff.value) > 0n, "GPUs per person must be above zero");
	const staff = mulDivFloor(usdToMicro(settings.staffUsdPerYear.value), BigInt(gpus) * MILLIONTHS, usdToMicro(settings.gpusPerStaff.value));
	const assumed = Object.entries(settings).flatMap(([key, setting]) => (setting.basis === "assumed" ? [key] : []));
	return {
		card: {
			assets: [asset("gpus", name, gpuPrice), asset("hosts", "share of a host", settings.hostPriceUsdPerGpu)],
			power: {
				busyWattsPerGpu: microToUsdText(board + host),
				idleWattsPerGpu: microToUsdText(mulDivFloor(board, IDLE_PERMILLE, PERMILLE).quotient + host),
				pue: settings.pue.value,
				electricityUsdPerKwh: settings.electricityUsdPerKwh.value,
				contractGramsPerKwh: null,
			},
			perYear: { rackUsd: "0", networkUsd: "0", supportUsd: "0", staffUsd: microToUsdText(staff.quotient) },
		},
		message: `Shipped card ${cardName} of ${asOf}. Assumed: in service since ${inServiceOn}, ${assumed.join(", ")}. Put your own figures in its place.`,
	};
}
