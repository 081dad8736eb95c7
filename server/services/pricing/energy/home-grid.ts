import { z } from "zod";
import { averagePue, homeIntensity } from "#server/rates/carbon.ts";

const settings = z.looseObject({ gridZone: z.string().default("DE"), pue: z.number().min(1).max(3).optional() });

/** Grid intensity and PUE of an owned site: its `gridZone` and `pue` settings, else the average for on-premises server rooms. */
export function homeGrid(siteSettings: Record<string, unknown>): {
	gramsPerKwh: number | null;
	/** Yearly average; null when none is known. */
	year: number | null;
	pue: number;
	zone: string;
} {
	const parsed = settings.parse(siteSettings);
	const average = homeIntensity(parsed.gridZone);
	return {
		gramsPerKwh: average?.gramsPerKwh ?? null,
		year: average?.year ?? null,
		pue: parsed.pue ?? averagePue("on_premises").pue,
		zone: parsed.gridZone,
	};
}
