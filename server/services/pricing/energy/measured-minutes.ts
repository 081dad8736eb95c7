import { and, gte, inArray, lt } from "drizzle-orm";
import type { Interval } from "#server/accounting/calendar.ts";
import { MEASURED_LATE_MS, type MeasuredMinute } from "#server/accounting/carbon.ts";
import type { DbOrTx } from "#server/db/client.ts";
import { gpuMinute } from "#server/db/schema/gpu-minute.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";

export type MeasuredMinutes = ReadonlyMap<number, MeasuredMinute>;

/**
 * Agent measurements of these machines' GPUs for charges of the interval. Machines without measurements are omitted.
 */
export async function measuredMinutes(
	db: DbOrTx,
	instanceIds: readonly string[],
	{ fromMs, toMs }: Interval,
): Promise<ReadonlyMap<string, MeasuredMinutes>> {
	if (instanceIds.length === 0) return new Map();
	const rows = await db
		.select()
		.from(gpuMinute)
		.where(
			and(
				inArray(gpuMinute.instanceId, [...instanceIds]),
				gte(gpuMinute.minute, new Date(fromMs - MEASURED_LATE_MS - MINUTE_MS)),
				lt(gpuMinute.minute, new Date(toMs - MEASURED_LATE_MS)),
			),
		);
	const byInstance = new Map<string, Map<number, MeasuredMinute>>();
	for (const { instanceId, minute, gpus, utilisationPermille, milliwatts } of rows) {
		const minutes = byInstance.get(instanceId) ?? new Map<number, MeasuredMinute>();
		minutes.set(minute.getTime(), { wattsPerGpu: milliwatts === null ? null : milliwatts / 1_000 / gpus, utilisationPermille });
		byInstance.set(instanceId, minutes);
	}
	return byInstance;
}
