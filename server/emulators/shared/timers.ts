import { setTimeout as sleep } from "node:timers/promises";
import type { ResolvedEmulatorOptions } from "./options.ts";

/** setTimeout's longest wait; a later moment is looked at again then. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** What a timer is set to so that it fires in `durationMs` of the emulator's clock. */
export function timerMs({ clockRate }: Pick<ResolvedEmulatorOptions, "clockRate">, durationMs: number): number {
	return Math.min(Math.ceil(Math.max(0, durationMs) / clockRate), MAX_TIMER_MS);
}

/** The delays of the fault script. Holds no process up. */
export async function pause(options: Pick<ResolvedEmulatorOptions, "clockRate">, durationMs: number): Promise<void> {
	if (durationMs > 0) await sleep(timerMs(options, durationMs), undefined, { ref: false });
}
