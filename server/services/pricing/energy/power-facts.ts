import type { Interval } from "#server/accounting/calendar.ts";
import type { PoolPower, PowerFacts, PowerStep } from "#server/accounting/carbon.ts";
import type { DbOrTx } from "#server/db/client.ts";
import type { StoredOffer } from "#server/db/schema/instance.ts";
import { embodiedOfHome, embodiedOfMachine } from "#server/rates/accelerator-embodied.ts";
import { accelerator, resolveAlias } from "#server/rates/accelerators.ts";
import { gridZoneOf } from "#server/rates/carbon.ts";
import { type GridHours, gridHoursCache } from "./grid-hours.ts";
import { homeGrid } from "./home-grid.ts";
import type { MeasuredMinutes } from "./measured-minutes.ts";

interface CloudMachine {
	provider: string;
	region: string;
	instanceType: string;
	accelerator: string;
	gpus: number;
	offer: Pick<StoredOffer, "pue" | "gridGramsPerKwh">;
}

/** Known hours of the machines' grids over an interval, by zone. `cacheKey` is the database, even within a transaction. */
export async function gridHoursOfMachines(
	db: DbOrTx,
	cacheKey: object,
	machines: readonly Pick<CloudMachine, "provider" | "region">[],
	interval: Interval,
	nowMs: number,
): Promise<ReadonlyMap<string, GridHours>> {
	const zones = machines.flatMap((m) => gridZoneOf(m.provider, m.region) ?? []);
	return gridHoursCache(cacheKey).hoursOf(db, zones, interval, nowMs);
}

/**
 * Power data of a cloud machine: its agent's measurement, else full board power of its GPUs while it runs; PUE and yearly
 * average from its offer, and hourly values of its region where known. A cloud's power contract is unknown: null.
 */
export function powerOfMachine(
	machine: CloudMachine,
	grids: ReadonlyMap<string, GridHours>,
	measured: MeasuredMinutes | undefined,
): PowerFacts {
	const model = resolveAlias(machine.accelerator);
	const zone = gridZoneOf(machine.provider, machine.region);
	return {
		wattsPerGpu: model === null ? null : accelerator(model).boardWatts,
		pue: machine.offer.pue,
		gramsPerKwh: machine.offer.gridGramsPerKwh,
		hourlyMilligramsPerKwh: zone === null ? undefined : grids.get(zone),
		contractGramsPerKwh: null,
		embodiedGramsPerGpuHour: embodiedOfMachine({ ...machine, accelerator: model ?? machine.accelerator })?.gramsPerGpuHour ?? null,
		measured,
		load: "busy",
	};
}

/** Power data of an owned pool before its first rate card: its watts, its site's grid and PUE, and the bundled embodied emissions. */
export function powerOfPool(pool: {
	accelerator: string;
	wattsPerGpu: number;
	gpusPerNode: number;
	siteSettings: Record<string, unknown>;
}): PoolPower {
	const grid = homeGrid(pool.siteSettings);
	const model = resolveAlias(pool.accelerator) ?? pool.accelerator;
	return {
		wattsPerGpu: pool.wattsPerGpu,
		pue: grid.pue,
		gramsPerKwh: grid.gramsPerKwh,
		embodiedGramsPerGpuHour: embodiedOfHome({ accelerator: model, gpusPerNode: pool.gpusPerNode })?.gramsPerGpuHour ?? null,
	};
}

/** The pool, with its grid's hours added to all its power data. */
export function withGridHours<Pool extends { power: PoolPower; powerSteps?: readonly PowerStep[] }>(pool: Pool, hours: GridHours): Pool {
	if (hours.size === 0) return pool;
	const given = { hourlyMilligramsPerKwh: hours };
	return {
		...pool,
		power: { ...pool.power, ...given },
		powerSteps: (pool.powerSteps ?? []).map((step) => ({ ...step, power: { ...step.power, ...given } })),
	};
}

interface MeteredUse {
	startMs: number;
	endMs: number | null;
	meteredUntilMs: number | null;
}

/** The interval that metering these uses may charge or reverse. */
export function reachOf(uses: readonly MeteredUse[], interval: Interval): Interval {
	const done = uses.flatMap((use) => [
		use.meteredUntilMs ?? use.startMs,
		...(use.endMs === null ? [] : [Math.max(use.endMs, use.startMs)]),
	]);
	return { fromMs: Math.min(interval.fromMs, ...done), toMs: Math.max(interval.toMs, ...done) };
}

/** The known hours of a pool's grid over the interval that metering these uses may charge or reverse. */
export async function gridHoursOfPool(
	db: DbOrTx,
	cacheKey: object,
	pool: { gridZone: string },
	uses: readonly MeteredUse[],
	interval: Interval,
	nowMs: number,
): Promise<GridHours> {
	return (await gridHoursCache(cacheKey).hoursOf(db, [pool.gridZone], reachOf(uses, interval), nowMs)).get(pool.gridZone) ?? new Map();
}
