import { cardCost, cardParts } from "#server/accounting/owned-cost.ts";
import { UTC } from "#server/accounting/zone.ts";
import { type OwnedAsset, type OwnedRateCard, ownedRateCardSchema } from "#server/domain/rate-card.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { microToUsdText, usdToMicro } from "#server/kernel/money.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { embodiedOfHome } from "#server/rates/accelerator-embodied.ts";
import { ACCELERATOR_NAMES } from "#server/rates/accelerators.ts";
import { defaultOwnedCard } from "#server/rates/owned-card.ts";

/** Cost of owning that many GPUs over a period, by the rate card. */
export interface OwnedMoney {
	depreciationMicroUsd: bigint;
	spaceMicroUsd: bigint;
	supportMicroUsd: bigint;
	staffMicroUsd: bigint;
	powerMicroUsd: bigint;
}

/** A rate card, and the number of GPUs it covers. */
export interface PlanCard {
	card: OwnedRateCard;
	gpus: number;
	accelerator: string;
	source: string;
}

/**
 * The shipped card for that many GPUs, in service since the start of the history.
 * @throws SpillwayError `precondition_failed` when no purchase price of the model is on record.
 */
export function shippedCard(accelerator: string, gpus: number, startMs: number): PlanCard {
	const name = ACCELERATOR_NAMES.find((known) => known === accelerator);
	const shipped = name ? defaultOwnedCard(name, gpus, new Date(startMs).toISOString().slice(0, 10)) : null;
	if (!shipped)
		throw new SpillwayError("precondition_failed", `The shipped rate card has no price for ${accelerator}.`, {
			fix: "Give your own card with --card FILE, or name another --accelerator.",
		});
	return { card: shipped.card, gpus, accelerator, source: shipped.message };
}

/** @throws SpillwayError `invalid_input` naming the field. */
export function readCard(text: string, file: string, { accelerator, gpus }: { accelerator: string; gpus: number }): PlanCard {
	let raw: unknown;
	try {
		raw = JSON.parse(text);
	} catch (cause) {
		throw new SpillwayError("invalid_input", `${file} is not JSON.`, { fix: "Write it as spillway rates shows a card.", cause });
	}
	const read = ownedRateCardSchema.safeParse(raw);
	if (read.success) return { card: read.data, gpus, accelerator, source: file };
	const [issue] = read.error.issues;
	throw new SpillwayError("invalid_input", `${file}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? "is wrong"}.`, {
		fix: "docs/costs.md describes a rate card.",
	});
}

/** The card for another number of the same GPUs: prices and yearly costs scale with them. */
export function scaledCard(plan: PlanCard, gpus: number): PlanCard {
	if (gpus === plan.gpus) return plan;
	const times = (usd: string): string => microToUsdText((usdToMicro(usd) * BigInt(gpus)) / BigInt(plan.gpus));
	const { card } = plan;
	const { rackUsd, networkUsd, supportUsd, staffUsd } = card.perYear;
	return {
		...plan,
		gpus,
		card: {
			...card,
			assets: card.assets.map((asset) => ({ ...asset, priceUsd: times(asset.priceUsd), residualUsd: times(asset.residualUsd) })),
			perYear: { rackUsd: times(rackUsd), networkUsd: times(networkUsd), supportUsd: times(supportUsd), staffUsd: times(staffUsd) },
		},
	};
}

/**
 * Owned cost between two moments: fixed parts as the ledger charges them (accounting/owned-cost.ts), and power for busy and idle GPU time
 * at the mean price of the card's week.
 */
export function ownedMoney(plan: PlanCard, span: { fromMs: number; toMs: number }, busyGpuMs: number): OwnedMoney {
	if (plan.gpus === 0) return { depreciationMicroUsd: 0n, spaceMicroUsd: 0n, supportMicroUsd: 0n, staffMicroUsd: 0n, powerMicroUsd: 0n };
	const parts = cardParts(plan.card, UTC, span);
	const cost = cardCost(plan.card, UTC);
	const idleMs = Math.max(0, plan.gpus * (span.toMs - span.fromMs) - busyGpuMs);
	const power = (load: "busy" | "idle", gpuMs: number): bigint => (cost.powerPerHour(load) * BigInt(Math.round(gpuMs))) / BigInt(HOUR_MS);
	return {
		depreciationMicroUsd: parts.depreciationMicroUsd,
		spaceMicroUsd: parts.rackMicroUsd + parts.networkMicroUsd,
		supportMicroUsd: parts.supportMicroUsd,
		staffMicroUsd: parts.staffMicroUsd,
		powerMicroUsd: power("busy", busyGpuMs) + power("idle", idleMs),
	};
}

export function sumOwned(money: OwnedMoney): bigint {
	return money.depreciationMicroUsd + cashOf(money);
}

/** Payments as they fall due: everything but depreciation, which was paid upfront. */
export function cashOf(money: OwnedMoney): bigint {
	return money.spaceMicroUsd + money.supportMicroUsd + money.staffMicroUsd + money.powerMicroUsd;
}

export function purchaseMicroUsd({ card }: PlanCard): bigint {
	return card.assets.reduce((sum: bigint, asset: OwnedAsset) => sum + usdToMicro(asset.priceUsd), 0n);
}

export function lifeMonths({ card }: PlanCard): number {
	return card.assets.reduce((most, asset) => Math.max(most, asset.lifeMonths), 1);
}

/** Remaining value of the owned GPUs after that many months, straight-line over the card's life and residual value. */
export function resaleMicroUsd({ card }: PlanCard, afterMonths: number): bigint {
	return card.assets.reduce((sum: bigint, { priceUsd, residualUsd, lifeMonths: life }: OwnedAsset) => {
		const [price, residual] = [usdToMicro(priceUsd), usdToMicro(residualUsd)];
		const left = BigInt(Math.max(0, life - afterMonths));
		return sum + residual + ((price - residual) * left) / BigInt(life);
	}, 0n);
}

/** Embodied emissions of the owned GPUs for that many GPU-hours, kg; null: not on record. */
export function ownedEmbodiedKg({ accelerator, gpus }: PlanCard, gpusPerNode: number, hours: number): number | null {
	const share = embodiedOfHome({ accelerator, gpusPerNode });
	return share === null ? null : (share.gramsPerGpuHour * gpus * hours) / 1000;
}

/** Emissions of idle owned GPUs, kg; the replay counts busy ones. null: the grid is unknown. */
export function idleCarbonKg({ card, gpus }: PlanCard, gridGramsPerKwh: number | null, hours: number, busyGpuMs: number): number | null {
	if (gridGramsPerKwh === null) return null;
	const idleHours = Math.max(0, gpus * hours - busyGpuMs / HOUR_MS);
	return (idleHours * Number(card.power.idleWattsPerGpu) * Number(card.power.pue) * gridGramsPerKwh) / 1e6;
}
