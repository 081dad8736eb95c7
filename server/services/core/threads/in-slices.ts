import { setImmediate as otherWork } from "node:timers/promises";
import type { InParts } from "#server/kernel/in-parts.ts";

/** Longest time that other requests wait for one slice; a part that takes longer is a slice by itself. */
const SLICE_MS = 20;

/** Runs a computation of this thread in slices, between which the process answers other requests. */
export async function inSlices<T>(work: InParts<T>): Promise<T> {
	for (;;) {
		const untilMs = performance.now() + SLICE_MS;
		do {
			const part = work.next();
			if (part.done) return part.value;
		} while (performance.now() < untilMs);
		await otherWork();
	}
}
