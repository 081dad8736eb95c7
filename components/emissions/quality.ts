import { formatPercent } from "#components/ui/format-number.ts";

/** Total energy, and its measured and hourly-weighted parts. */
export interface EnergyParts {
	energyMilliWh: bigint;
	measuredEnergyMilliWh: bigint;
	hourlyGridMilliWh: bigint;
}

/** Data quality of an operational figure, such as "estimated, average grid" or "60% measured, hourly grid". */
export function energyQuality({ energyMilliWh, measuredEnergyMilliWh, hourlyGridMilliWh }: EnergyParts): string {
	return `${part(measuredEnergyMilliWh, energyMilliWh, "measured", "estimated")}, ${part(hourlyGridMilliWh, energyMilliWh, "hourly grid", "average grid")}`;
}

/** True if any energy is not metered; also true without energy. */
export function isEstimate({
	energyMilliWh,
	measuredEnergyMilliWh,
}: Pick<EnergyParts, "energyMilliWh" | "measuredEnergyMilliWh">): boolean {
	return measuredEnergyMilliWh < energyMilliWh || energyMilliWh <= 0n;
}

/** Below 0.5% counts as none, above 99.5% as all. */
function part(some: bigint, whole: bigint, word: string, otherwise: string): string {
	const share = shareOf(some, whole);
	return share < 0.005 ? otherwise : share > 0.995 ? word : `${formatPercent(share)} ${word}`;
}

/** 0 to 1; 0 if the total is 0. */
export function shareOf(some: bigint, whole: bigint): number {
	return whole > 0n ? Number(some) / Number(whole) : 0;
}
