import { setTimeout as sleep } from "node:timers/promises";
import type { ResolvedEmulatorOptions } from "./options.ts";

/** setTimeout's longest delay; for a later time the timer is set again. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The timer delay for `durationMs` of the emulator's clock. */
export function timerMs({ clockRate }: Pick<ResolvedEmulatorOptions, "clockRate">, durationMs: number): number {
	return Math.min(Math.ceil(Math.max(0, durationMs) / clockRate), MAX_TIMER_MS);
}

/** The delays of the fault script. They do not keep the process alive. */
export async function pause(options: Pick<ResolvedEmulatorOptions, "clockRate">, durationMs: number): Promise<void> {
	if (durationMs > 0) await sleep(timerMs(options, durationMs), undefined, { ref: false });
}
