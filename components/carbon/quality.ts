import { formatPercent } from "#components/ui/format-number.ts";

/** Energy and the parts of it that are measured and weighed by the hour. */
export interface EnergyParts {
	energyMilliWh: bigint;
	measuredEnergyMilliWh: bigint;
	hourlyGridMilliWh: bigint;
}

/** "estimated, average grid" · "60% measured, hourly grid": what stands behind an operational figure. */
export function energyQuality({ energyMilliWh, measuredEnergyMilliWh, hourlyGridMilliWh }: EnergyParts): string {
	return `${part(measuredEnergyMilliWh, energyMilliWh, "measured", "estimated")}, ${part(hourlyGridMilliWh, energyMilliWh, "hourly grid", "average grid")}`;
}

/** Not all of the energy was read from a meter, so what is reckoned from it is an estimate; so is all that has no energy. */
export function isEstimate({
	energyMilliWh,
	measuredEnergyMilliWh,
}: Pick<EnergyParts, "energyMilliWh" | "measuredEnergyMilliWh">): boolean {
	return measuredEnergyMilliWh < energyMilliWh || energyMilliWh <= 0n;
}

/** Below half a percent is none, above 99.5% all. */
function part(some: bigint, whole: bigint, word: string, otherwise: string): string {
	const share = shareOf(some, whole);
	return share < 0.005 ? otherwise : share > 0.995 ? word : `${formatPercent(share)} ${word}`;
}

/** 0 to 1; 0 of nothing. */
export function shareOf(some: bigint, whole: bigint): number {
	return whole > 0n ? Number(some) / Number(whole) : 0;
}
