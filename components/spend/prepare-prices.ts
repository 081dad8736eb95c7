import type { MarkFill } from "#components/ui/meter.tsx";
import type { SpendPart } from "./drill.ts";
import { perGpuHour, type SpendPage } from "./prepare-table.ts";

/** Price per GPU-hour of a model from one source, in micro-dollars. */
export interface PriceRow {
	id: string;
	accelerator: string;
	/** Link to the charges it was computed from. */
	part: SpendPart;
	label: string;
	fill: MarkFill;
	microUsd: bigint;
	/** Owned only: price per hour used, including idle time. */
	asUsedMicroUsd: bigint | null;
}

/** Utilization above which owned hardware costs less than the cloud charged. */
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
 * Owned models first, then cloud prices by model. @param seesIdle false if idle hardware is not included; utilization
 * is then omitted.
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
