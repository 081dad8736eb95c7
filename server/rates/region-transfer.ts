import { z } from "zod";
import { assert } from "../kernel/assert.ts";
import { type MicroUsd, usdToMicro } from "../kernel/money.ts";
import raw from "./data/region-transfer.json" with { type: "json" };
import { RATED_PROVIDERS } from "./offers.ts";
import { sourceNoteSchema, usdText } from "./source.ts";

const regions = z.array(z.string().min(1)).min(1);

const fileSchema = z.strictObject({
	unit: z.string(),
	sources: z.array(sourceNoteSchema).min(1),
	/**
	 * provider, origins, destinations, USD per GiB, source. `*`: all other regions of the provider that no earlier row lists; `same`: the
	 * other origins.
	 */
	rows: z.array(z.tuple([z.enum(RATED_PROVIDERS), regions, z.union([z.enum(["*", "same"]), regions]), usdText, z.string()])).min(1),
});

/** Price of data that leaves a region for another of the same cloud, without tiers. */
export interface RegionTransfer {
	/** `provider:region` */
	from: string;
	/** `provider:region`; null: all regions of the provider without an entry here. */
	to: string | null;
	microUsdPerGiB: MicroUsd;
}

let known: Map<string, RegionTransfer> | undefined;

function load(): Map<string, RegionTransfer> {
	if (known) return known;
	const file = fileSchema.parse(raw);
	const ids = new Set(file.sources.map(({ id }) => id));
	const found = new Map<string, RegionTransfer>();
	for (const [provider, origins, targets, usd, source] of file.rows) {
		const microUsdPerGiB = usdToMicro(usd);
		assert(ids.has(source) && microUsdPerGiB > 0n, "transfers between regions must have a listed source and a price above zero");
		for (const origin of origins) {
			const others = targets === "*" ? [null] : (targets === "same" ? origins : targets).filter((region) => region !== origin);
			for (const target of others) {
				const [from, to] = [`${provider}:${origin}`, target === null ? null : `${provider}:${target}`];
				assert(!found.has(keyOf(from, to)), `the transfer from ${from} to ${to ?? "other regions"} must be listed once`);
				found.set(keyOf(from, to), { from, to, microUsdPerGiB });
			}
		}
	}
	known = found;
	return found;
}

const keyOf = (from: string, to: string | null): string => `${from} ${to ?? "*"}`;

/** All listed prices. */
export function regionTransfers(): RegionTransfer[] {
	return [...load().values()];
}

/**
 * Price of data from one region to another of the same cloud, µ$ per GiB. Places are `provider:region`. Null for places of two clouds, for
 * one region, and for pairs without a certain price.
 */
export function regionTransferMicroUsdPerGiB(from: string, to: string): MicroUsd | null {
	if (from === to || from.split(":")[0] !== to.split(":")[0]) return null;
	return (load().get(keyOf(from, to)) ?? load().get(keyOf(from, null)))?.microUsdPerGiB ?? null;
}
