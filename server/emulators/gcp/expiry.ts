import type { EndCause, Lifecycle } from "../shared/lifecycle.ts";
import type { InstanceRecord } from "./book/records.ts";
import { END_CAUSES } from "./end-causes.ts";

/** setTimeout's longest wait; a later moment is looked at again then. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Google's own dead man's switch: ends machines at their termination time. One timer a machine. */
export class Expiry {
	readonly #clock: () => number;
	readonly #lifecycle: Lifecycle<InstanceRecord, EndCause>;
	readonly #timers = new Map<string, NodeJS.Timeout>();

	constructor(clock: () => number, lifecycle: Lifecycle<InstanceRecord, EndCause>) {
		this.#clock = clock;
		this.#lifecycle = lifecycle;
	}

	/** To be called for each new machine, and for all after a restart. */
	watch(machine: InstanceRecord): void {
		const { termination, instanceId, state } = machine;
		// The clock stands still for a machine that is off, as Google's does.
		if (termination === null || state === "terminated" || state === "stopped") return;
		const waitMs = Math.min(Math.max(0, termination.atMs - this.#clock()), MAX_TIMER_MS);
		this.#timers.set(
			instanceId,
			setTimeout(() => this.#look(machine, termination), waitMs),
		);
	}

	#look(machine: InstanceRecord, termination: NonNullable<InstanceRecord["termination"]>): void {
		this.#timers.delete(machine.instanceId);
		if (this.#clock() < termination.atMs) this.watch(machine);
		else this.#lifecycle.end(machine, END_CAUSES.expired, termination.action === "STOP" ? "stopped" : "terminated");
	}

	close(): void {
		for (const timer of this.#timers.values()) clearTimeout(timer);
		this.#timers.clear();
	}
}
