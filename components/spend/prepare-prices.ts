import type { MarkFill } from "#components/ui/meter.tsx";
import type { SpendPart } from "./drill.ts";
import { perGpuHour, type SpendPage } from "./prepare-table.ts";

/** The price of a GPU-hour of one model from one source, in micro-dollars. */
export interface PriceRow {
	id: string;
	accelerator: string;
	/** Whose charges it was reckoned from. */
	part: SpendPart;
	label: string;
	fill: MarkFill;
	microUsd: bigint;
	/** Owned only: what it comes to with the idle time on the hours that were used. */
	asUsedMicroUsd: bigint | null;
}

/** When owning a model is the cheaper way: at this share of use it costs what the cloud took. */
export interface BreakEven {
	accelerator: string;
	share: number;
	busy: number;
}

const KINDS = [
	{ id: "spot", word: "spot", fill: "spot", money: "spotMicroUsd", time: "spotGpuMs" },
	{ id: "reserved", word: "reserved", fill: "reserved", money: "reservedMicroUsd", time: "reservedGpuMs" },
	{ id: "on_demand", word: "on demand", fill: "on_demand", money: "onDemandMicroUsd", time: "onDemandGpuMs" },
] as const;

/**
 * Owned models first, then what the clouds took, by model.
 * @param seesIdle false where idle hardware is not in the answer: then nothing is said of how busy a model was.
 */
export function preparePrices(spend: SpendPage["byAccelerator"], seesIdle: boolean): { rows: PriceRow[]; breakEven: BreakEven | null } {
	const owned: PriceRow[] = [];
	const cloud: PriceRow[] = [];
	let breakEven: BreakEven | null = null;
	for (const item of [...spend.items].sort((a, b) => a.key.localeCompare(b.key))) {
		const home = item.ownedMicroUsd + item.idleMicroUsd;
		const always = perGpuHour(home, item.ownedGpuMs + item.idleGpuMs);
		if (always !== null && home > 0n) {
			owned.push({
				id: `${item.key}-owned`,
				accelerator: item.key,
				part: "home",
				label: `Owned ${item.key || "other"}`,
				fill: "owned",
				microUsd: always,
				asUsedMicroUsd: seesIdle ? perGpuHour(home, item.ownedGpuMs) : null,
			});
			const away = perGpuHour(item.cloudMicroUsd, item.cloudGpuMs);
			if (seesIdle && away !== null && away > 0n)
				breakEven ??= {
					accelerator: item.key,
					share: Number(always) / Number(away),
					busy: Number(item.ownedGpuMs) / Number(item.ownedGpuMs + item.idleGpuMs),
				};
		}
		for (const kind of KINDS) {
			const price = perGpuHour(item[kind.money], item[kind.time]);
			if (price !== null && price > 0n)
				cloud.push({
					id: `${item.key}-${kind.id}`,
					accelerator: item.key,
					part: kind.id,
					label: `${item.key || "Other"}, ${kind.word}`,
					fill: kind.fill,
					microUsd: price,
					asUsedMicroUsd: null,
				});
		}
	}
	return { rows: [...owned, ...cloud], breakEven };
}
