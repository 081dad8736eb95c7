import { formatThreeDigits } from "#components/ui/format-number.ts";

export type QuantityText = { value: string; unit: string };

/** Formats grams of CO2 as g, kg or t with three significant digits. */
export function formatCarbonParts(grams: number | bigint): QuantityText {
	const g = Number(grams);
	const abs = Math.abs(g);
	if (abs < 999.5) return { value: abs > 0 && abs < 9.995 ? formatThreeDigits(g) : String(Math.round(g)).replace(/^-/, "−"), unit: "g" };
	if (abs < 999_500) return { value: formatThreeDigits(g / 1e3), unit: "kg" };
	return { value: formatThreeDigits(g / 1e6), unit: "t" };
}

/** Formats watt-hours as Wh, kWh or MWh. */
export function formatEnergyParts(wattHours: number | bigint): QuantityText {
	const wh = Number(wattHours);
	const abs = Math.abs(wh);
	if (abs < 999.5) return { value: formatThreeDigits(wh), unit: "Wh" };
	if (abs < 999_500) return { value: formatThreeDigits(wh / 1e3), unit: "kWh" };
	return { value: formatThreeDigits(wh / 1e6), unit: "MWh" };
}

export const joinQuantity = ({ value, unit }: QuantityText): string => `${value} ${unit}`;
