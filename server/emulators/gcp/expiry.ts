import type { EndCause, Lifecycle } from "../shared/lifecycle.ts";
import { timerMs } from "../shared/timers.ts";
import type { InstanceRecord } from "./book/records.ts";
import { END_CAUSES } from "./end-causes.ts";
import type { ResolvedOptions } from "./options.ts";

/** Google's own dead man's switch: ends machines at their termination time. Uses one timer per machine. */
export class Expiry {
	readonly #options: Pick<ResolvedOptions, "clock" | "clockRate">;
	readonly #lifecycle: Lifecycle<InstanceRecord, EndCause>;
	readonly #timers = new Map<string, NodeJS.Timeout>();

	constructor(options: Pick<ResolvedOptions, "clock" | "clockRate">, lifecycle: Lifecycle<InstanceRecord, EndCause>) {
		this.#options = options;
		this.#lifecycle = lifecycle;
	}

	/** Call for each new or started machine, and for all after a restart. */
	watch(machine: InstanceRecord): void {
		const { termination, instanceId, state } = machine;
		// The clock stops while a machine is off, as Google's does.
		if (termination === null || state === "terminated" || state === "stopped") return;
		clearTimeout(this.#timers.get(instanceId));
		const waitMs = timerMs(this.#options, termination.atMs - this.#options.clock());
		this.#timers.set(
			instanceId,
			setTimeout(() => this.#look(machine, termination), waitMs),
		);
	}

	#look(machine: InstanceRecord, termination: NonNullable<InstanceRecord["termination"]>): void {
		this.#timers.delete(machine.instanceId);
		if (machine.state === "stopped" || this.#options.clock() < termination.atMs) this.watch(machine);
		else this.#lifecycle.end(machine, END_CAUSES.expired, termination.action === "STOP" ? "stopped" : "terminated");
	}

	close(): void {
		for (const timer of this.#timers.values()) clearTimeout(timer);
		this.#timers.clear();
	}
}
