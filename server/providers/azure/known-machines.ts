import { HOUR_MS } from "#server/kernel/units.ts";
import type { InstanceObservation } from "../driver.ts";

/** As long as EC2 goes on showing a terminated instance. */
const SHOW_GONE_MS = HOUR_MS;
/** What a control plane that runs for years may hold; the oldest go first. */
const KNOWN_MAX = 20_000;

interface Known {
	last: InstanceObservation;
	/** Azure accepted its deletion; only then does its absence prove that it is over. */
	deleting: boolean;
	/** Our call that ended a machine which was billed just before; null where another one did, or an answer was lost. */
	ended: { askedMs: number; answeredMs: number } | null;
	goneAtMs: number | null;
}

/**
 * What this driver has seen. Azure forgets a machine the moment it is deleted, and shows no trace of it; this keeps the
 * trace for an hour, so that its end is seen and its name is not taken for a new one. It is lost with the process: then a
 * deleted machine is missing from answers, as one is that vanished.
 */
export class KnownMachines {
	readonly #known = new Map<string, Known>();

	see(observation: InstanceObservation): void {
		const { providerInstanceId: id, billing } = observation;
		const earlier = this.#known.get(id);
		// What is billed was not ended, whatever was answered.
		const ended = billing.phase === "now" ? null : (earlier?.ended ?? null);
		this.#known.delete(id);
		this.#known.set(id, { last: observation, deleting: earlier?.deleting ?? false, ended, goneAtMs: null });
		if (this.#known.size <= KNOWN_MAX) return;
		const [oldest] = this.#known.keys();
		if (oldest !== undefined) this.#known.delete(oldest);
	}

	/** Azure accepted the deletion, with which billing ends: between these, if the machine was seen to be billed at first. */
	deleting(providerInstanceId: string, call: { askedMs: number; answeredMs: number }): void {
		const known = this.#known.get(providerInstanceId);
		if (!known) return;
		known.deleting = true;
		if (known.last.billing.phase === "now") known.ended = call;
	}

	/** An observation, with when our own call ended it where that is known. */
	withEnd(observation: InstanceObservation): InstanceObservation {
		const call = this.#known.get(observation.providerInstanceId)?.ended;
		const { billing } = observation;
		if (!call || billing.phase !== "over" || billing.untilMs !== null) return observation;
		return { ...observation, billing: { ...billing, endedBetween: call } };
	}

	/** Azure says that there is no such machine. True: it was deleted, and this is the proof that it is over. */
	missing(providerInstanceId: string, nowMs: number): boolean {
		const known = this.#known.get(providerInstanceId);
		if (!known?.deleting) return false;
		known.goneAtMs ??= nowMs;
		return true;
	}

	last(providerInstanceId: string): InstanceObservation | null {
		return this.#known.get(providerInstanceId)?.last ?? null;
	}

	/** A machine that was seen to end, in its last state, for an hour. */
	gone(providerInstanceId: string, nowMs: number): InstanceObservation | null {
		const known = this.#known.get(providerInstanceId);
		if (!known || known.goneAtMs === null || nowMs - known.goneAtMs > SHOW_GONE_MS) return null;
		const { billing } = known.last;
		const over = billing.phase === "never" ? billing : ({ phase: "over", fromMs: null, untilMs: null } as const);
		return this.withEnd({ ...known.last, state: "terminated", billing: over, stateReasonCode: known.last.stateReasonCode ?? "Deleted" });
	}

	/** The machines of a region that were seen to end. */
	goneIn(region: string, nowMs: number): InstanceObservation[] {
		return [...this.#known.keys()]
			.map((id) => this.gone(id, nowMs))
			.filter((seen) => seen !== null)
			.filter((seen) => seen.region === region);
	}

	/** Those of a region that are being deleted and were not seen to end yet. */
	deletingIn(region: string): string[] {
		return [...this.#known].filter(([, k]) => k.deleting && k.goneAtMs === null && k.last.region === region).map(([id]) => id);
	}
}
