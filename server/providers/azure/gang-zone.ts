import { createHash } from "node:crypto";
import type { LaunchRequest } from "../driver.ts";
import type { AzureSku } from "./client.ts";
import { openZones } from "./offers.ts";

/**
 * The zone for all machines of a gang; null if the region has none. It is the same for each machine of an attempt on every call.
 * Another attempt may get another zone, for example after this one was full.
 */
export function gangZone(
	sizes: readonly AzureSku[],
	{ region, instanceType, attemptId }: Pick<LaunchRequest, "region" | "instanceType" | "attemptId">,
): string | null {
	const size = sizes.find(({ name }) => name.toLowerCase() === instanceType.toLowerCase());
	const zones = size ? openZones(size, region) : [];
	const zone = zones[createHash("sha256").update(attemptId).digest().readUInt32BE() % Math.max(1, zones.length)];
	return zone === undefined ? null : `${region}-${zone}`;
}
