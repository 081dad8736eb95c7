import type { Clock } from "#server/kernel/clock.ts";

/** Smaller differences are network latency. */
const TOLERANCE_MS = 1_000;

/** The machine's clock, corrected by the control plane's. An image may boot with a wrong clock, and expiry must still hold. */
export class AgentClock implements Clock {
	#offsetMs = 0;

	nowMs(): number {
		return Date.now() + this.#offsetMs;
	}

	syncTo(controlNowMs: number): void {
		const offMs = controlNowMs - this.nowMs();
		if (Math.abs(offMs) > TOLERANCE_MS) this.#offsetMs += offMs;
	}
}
