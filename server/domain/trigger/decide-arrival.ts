import { GIB } from "../../kernel/units.ts";
import type { DataSource } from "./trigger.ts";

/** New objects at a location: those not yet used by a firing of this version. */
export interface Arrival {
	files: number;
	bytes: number;
	/** When an object last appeared, changed or disappeared, UTC ms; null if none ever did. */
	changedAtMs: number | null;
}

/** Whether new data fires a trigger, and if not, why. */
export function decideArrival({ files, sizeGiB, quietMs }: DataSource, arrival: Arrival, nowMs: number): { fires: boolean; why: string } {
	const enoughFiles = files !== null && arrival.files >= files;
	const enoughBytes = sizeGiB !== null && arrival.bytes >= sizeGiB * GIB;
	if (arrival.files === 0) return { fires: false, why: "No new objects." };
	if (!enoughFiles && !enoughBytes) return { fires: false, why: `Waiting for more: ${progressOf({ files, sizeGiB }, arrival)}.` };
	const quietUntilMs = (arrival.changedAtMs ?? nowMs) + quietMs;
	if (quietUntilMs > nowMs)
		return { fires: false, why: `Enough has arrived. Waiting until nothing changes for ${Math.round(quietMs / 1_000)} s.` };
	return { fires: true, why: "" };
}

function progressOf({ files, sizeGiB }: Pick<DataSource, "files" | "sizeGiB">, arrival: Arrival): string {
	const parts = [
		files === null ? null : `${arrival.files} of ${files} objects`,
		sizeGiB === null ? null : `${(arrival.bytes / GIB).toPrecision(3)} of ${sizeGiB} GiB`,
	];
	return parts.filter((part) => part !== null).join(", ");
}
