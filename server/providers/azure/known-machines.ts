import { HOUR_MS } from "#server/kernel/units.ts";
import type { InstanceObservation } from "../driver.ts";

/** As long as EC2 shows a terminated instance. */
const SHOW_GONE_MS = HOUR_MS;
/** Limit for a control plane that runs for years; the oldest are dropped first. */
const KNOWN_MAX = 20_000;

interface Known {
	last: InstanceObservation;
	/** Azure accepted its deletion. Only then does its absence prove that it has ended. */
	deleting: boolean;
	/** Our call that ended a machine that was billed just before; null if another call did, or a response was lost. */
	ended: { askedMs: number; answeredMs: number } | null;
	goneAtMs: number | null;
}

/**
 * What this driver has seen. Azure forgets a machine the moment it is deleted and keeps no record. This class keeps one for an
 * hour, so that the end is observed and the name is not taken for a new machine. It is lost with the process: a deleted machine
 * is then missing from responses, like one that vanished.
 */
export class KnownMachines {
	readonly #known = new Map<string, Known>();

	see(observation: InstanceObservation): void {
		const { providerInstanceId: id, billing } = observation;
		const earlier = this.#known.get(id);
		// A machine that is billed has not ended, whatever the response was.
		const ended = billing.phase === "now" ? null : (earlier?.ended ?? null);
		this.#known.delete(id);
		this.#known.set(id, { last: observation, deleting: earlier?.deleting ?? false, ended, goneAtMs: null });
		if (this.#known.size <= KNOWN_MAX) return;
		const [oldest] = this.#known.keys();
		if (oldest !== undefined) this.#known.delete(oldest);
	}

	/** Azure accepted the deletion, which ends billing between these times, if the machine was seen billed before. */
	deleting(providerInstanceId: string, call: { askedMs: number; answeredMs: number }): void {
		const known = this.#known.get(providerInstanceId);
		if (!known) return;
		known.deleting = true;
		if (known.last.billing.phase === "now") known.ended = call;
	}

	/** An observation, with the time when our own call ended it, if known. */
	withEnd(observation: InstanceObservation): InstanceObservation {
		const call = this.#known.get(observation.providerInstanceId)?.ended;
		const { billing } = observation;
		if (!call || billing.phase !== "over" || billing.untilMs !== null) return observation;
		return { ...observation, billing: { ...billing, endedBetween: call } };
	}

	/** Azure reports that the machine does not exist. Returns true if it was being deleted, which proves its end. */
	missing(providerInstanceId: string, nowMs: number): boolean {
		const known = this.#known.get(providerInstanceId);
		if (!known?.deleting) return false;
		known.goneAtMs ??= nowMs;
		return true;
	}

	last(providerInstanceId: string): InstanceObservation | null {
		return this.#known.get(providerInstanceId)?.last ?? null;
	}

	/** An ended machine in its last state, for an hour. */
	gone(providerInstanceId: string, nowMs: number): InstanceObservation | null {
		const known = this.#known.get(providerInstanceId);
		if (!known || known.goneAtMs === null || nowMs - known.goneAtMs > SHOW_GONE_MS) return null;
		const { billing } = known.last;
		const over = billing.phase === "never" ? billing : ({ phase: "over", fromMs: null, untilMs: null } as const);
		return this.withEnd({ ...known.last, state: "terminated", billing: over, stateReasonCode: known.last.stateReasonCode ?? "Deleted" });
	}

	/** The ended machines of a region. */
	goneIn(region: string, nowMs: number): InstanceObservation[] {
		return [...this.#known.keys()]
			.map((id) => this.gone(id, nowMs))
			.filter((seen) => seen !== null)
			.filter((seen) => seen.region === region);
	}

	/** Machines of a region that are being deleted and have not been seen to end. */
	deletingIn(region: string): string[] {
		return [...this.#known].filter(([, k]) => k.deleting && k.goneAtMs === null && k.last.region === region).map(([id]) => id);
	}
}
