import { z } from "zod";
import { assert } from "../kernel/assert.ts";
import { type MicroUsd, usdToMicro } from "../kernel/money.ts";
import raw from "./data/disks.json" with { type: "json" };
import { RATED_PROVIDERS, type RatedProvider } from "./offers.ts";
import { sourceNoteSchema, usdText } from "./source.ts";

/** Monthly price of a disk in a region: per GiB, or for a disk of the tier's size. */
export interface DiskRate {
	region: string;
	/** `gp3`, `P10 LRS`, `pd-balanced`. */
	type: string;
	/** Size of the tier; null: the price is per GiB. */
	tierGib: number | null;
	microUsdPerMonth: MicroUsd;
}

const fileSchema = z.strictObject({
	unit: z.string(),
	sources: z.array(sourceNoteSchema).min(1),
	/** provider, region, type, GiB of the tier or null, USD a month, source */
	rows: z
		.array(z.tuple([z.enum(RATED_PROVIDERS), z.string(), z.string(), z.number().int().positive().nullable(), usdText, z.string()]))
		.min(1),
});

/**
 * Dated disk prices served by the price lists of the emulated clouds. Sites never use them: a real site reads the
 * provider's own list, and disks without a price there are not counted.
 */
export function listDiskRates(provider: RatedProvider): DiskRate[] {
	const file = fileSchema.parse(raw);
	const sources = new Set(file.sources.map(({ id }) => id));
	return file.rows.flatMap(([of, region, type, tierGib, usd, source]): DiskRate[] => {
		assert(sources.has(source), `disks.json: ${source} is no source`);
		const microUsdPerMonth = usdToMicro(usd);
		assert(microUsdPerMonth > 0n, `disks.json: the price of ${type} in ${region} must be above zero`);
		return of === provider ? [{ region, type, tierGib, microUsdPerMonth }] : [];
	});
}
