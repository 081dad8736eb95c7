import type { Offer } from "#server/domain/capacity.ts";
import type { SimContext } from "./context.ts";
import type { DriverErrorKind } from "./driver-error-kind.ts";
import { drawTimeTo, type RegionOutage } from "./faults.ts";

/** A machine as its provider knows it: the truth that the control plane learns of only by asking. */
export interface Machine {
	id: string;
	/** The idempotency token, and the tag that names the intent. */
	token: string;
	offer: Offer;
	launchedAtMs: number;
	/** Absent from listings before. */
	visibleFromMs: number;
	/** Absent from listings after; null: it stays listed as terminated. */
	vanishedAtMs: number | null;
	/** When it was, or surely will be, terminated. */
	terminatedAtMs: number | null;
	terminationAccepted: boolean;
	stateReason: string | null;
	expiresAtMs: number;
	/** The agent fell silent then. */
	agentDeadAtMs: number | null;
}

export type LaunchAnswer = { kind: "found"; machine: Machine } | { kind: "error"; error: DriverErrorKind };

/** What happens to machines, for anyone who runs on them. */
export interface MachineEvents {
	booted(machine: Machine): void;
	notice(machine: Machine, takenAtMs: number): void;
	expired(machine: Machine): void;
	agentDied(machine: Machine): void;
	/** It is terminated, or gone. */
	ended(machine: Machine): void;
}

/** A provider: launches are idempotent by token, listings lag, and machines come to an end in many ways. */
export class SimCloud {
	readonly machines = new Map<string, Machine>();
	/** Not terminated yet. */
	readonly alive = new Set<Machine>();
	readonly #byToken = new Map<string, Machine>();
	readonly #ctx: SimContext;
	readonly #events: MachineEvents;

	constructor(ctx: SimContext, events: MachineEvents) {
		this.#ctx = ctx;
		this.#events = events;
	}

	launch(token: string, offer: Offer, expiresAtMs: number): LaunchAnswer {
		const known = this.#byToken.get(token);
		const random = this.#ctx.random.cloud;
		const faults = this.#ctx.faults();
		if (random.next() < faults.throttled) return { kind: "error", error: "throttled" };
		if (known) return { kind: "found", machine: known };
		if (random.next() < faults.quota) return { kind: "error", error: "quota_exceeded" };
		if (this.#isOut(offer)) return { kind: "error", error: "insufficient_capacity" };
		const noCapacity = offer.capacityType === "spot" ? faults.noSpotCapacity : faults.noOnDemandCapacity;
		if (random.next() < noCapacity) return { kind: "error", error: "insufficient_capacity" };
		const delayed = random.next() < faults.createDelayed;
		const lost = random.next() < faults.timeoutButExists;
		const machine = this.#make(token, offer, expiresAtMs, delayed ? Math.floor(random.next() * faults.createDelayMsMax) : 0);
		return delayed || lost ? { kind: "error", error: "transient" } : { kind: "found", machine };
	}

	/** null: not listed now. `throttled`: no answer. */
	describe(machineId: string): Machine | null | "throttled" {
		if (this.#ctx.random.cloud.next() < this.#ctx.faults().throttled) return "throttled";
		const machine = this.machines.get(machineId);
		return machine && this.#isListed(machine) ? machine : null;
	}

	findByToken(token: string): Machine | null {
		const machine = this.#byToken.get(token);
		return machine && this.#isListed(machine) ? machine : null;
	}

	list(): Machine[] {
		return [...this.alive].filter((m) => this.#isListed(m));
	}

	/** Accepted, or refused for the number of calls. Silent when it no longer exists already. */
	terminate(machineId: string): "accepted" | "throttled" {
		const { random } = this.#ctx;
		const faults = this.#ctx.faults();
		if (random.cloud.next() < faults.throttled) return "throttled";
		const machine = this.machines.get(machineId);
		if (!machine || machine.terminatedAtMs !== null) return "accepted";
		this.endLater(machine, "Client.UserInitiatedShutdown");
		return "accepted";
	}

	/** Terminated after the time that it takes. */
	endLater(machine: Machine, stateReason: string): void {
		if (machine.terminationAccepted) return;
		machine.terminationAccepted = true;
		const { random, scenario } = this.#ctx;
		const faults = this.#ctx.faults();
		const slow = random.cloud.next() < faults.slowTerminate ? Math.floor(random.cloud.next() * faults.slowTerminateMsMax) : 0;
		const { min, max } = scenario.timing.terminateMs;
		this.#ctx.at(this.#ctx.nowMs() + random.cloud.int(min, max) + slow, "machine terminated", () => this.end(machine, stateReason));
	}

	end(machine: Machine, stateReason: string): void {
		if (machine.terminatedAtMs !== null) return;
		machine.terminatedAtMs = this.#ctx.nowMs();
		machine.stateReason = stateReason;
		this.alive.delete(machine);
		this.#events.ended(machine);
	}

	#make(token: string, offer: Offer, expiresAtMs: number, delayMs: number): Machine {
		const { random, scenario } = this.#ctx;
		const nowMs = this.#ctx.nowMs();
		const machine: Machine = {
			id: `i-${String(this.machines.size + 1).padStart(17, "0")}`,
			token,
			offer,
			launchedAtMs: nowMs,
			visibleFromMs: nowMs + delayMs + Math.floor(random.cloud.next() * this.#ctx.faults().listLagMsMax),
			vanishedAtMs: null,
			terminatedAtMs: null,
			terminationAccepted: false,
			stateReason: null,
			expiresAtMs,
			agentDeadAtMs: null,
		};
		this.machines.set(machine.id, machine);
		this.#byToken.set(token, machine);
		this.alive.add(machine);
		const { min, max } = scenario.timing.bootMs;
		this.#while(machine, nowMs + random.cloud.int(min, max), "machine booted", () => this.#events.booted(machine));
		// The dead man's switch lies in the machine itself and needs no one.
		this.#while(machine, expiresAtMs, "machine expired", () => this.#events.expired(machine));
		this.#drawFate(machine);
		const { outage } = scenario;
		if (outage && isIn(outage, offer) && outage.fromMs > nowMs)
			this.#while(machine, outage.fromMs, "region lost", () => this.end(machine, "Server.InternalError"));
		return machine;
	}

	#isOut(offer: Offer): boolean {
		const { outage } = this.#ctx.scenario;
		const nowMs = this.#ctx.nowMs();
		return outage !== undefined && isIn(outage, offer) && nowMs >= outage.fromMs && nowMs < outage.toMs;
	}

	#drawFate(machine: Machine): void {
		const random = this.#ctx.random.cloud;
		const hazard = (name: "vanishPerHour" | "agentSilentPerHour" | "spotNoticePerHour" | "spotNoNoticePerHour", run: () => void): void => {
			const atMs = this.#ctx.nowMs() + drawTimeTo(random, this.#ctx.faults()[name]);
			if (atMs >= machine.expiresAtMs) return;
			this.#while(machine, atMs, name, () => {
				if (this.#ctx.faults()[name] > 0) run();
			});
		};
		hazard("vanishPerHour", () => {
			machine.vanishedAtMs = this.#ctx.nowMs();
			this.end(machine, "Server.InternalError");
		});
		hazard("agentSilentPerHour", () => {
			machine.agentDeadAtMs = this.#ctx.nowMs();
			this.#events.agentDied(machine);
		});
		if (machine.offer.capacityType !== "spot") return;
		const taken = "Server.SpotInstanceTermination";
		hazard("spotNoNoticePerHour", () => this.end(machine, taken));
		hazard("spotNoticePerHour", () => {
			const takenAtMs = this.#ctx.nowMs() + this.#ctx.scenario.timing.spotNoticeMs;
			this.#while(machine, takenAtMs, "machine taken", () => this.end(machine, taken));
			this.#events.notice(machine, takenAtMs);
		});
	}

	#while(machine: Machine, atMs: number, name: string, run: () => void): void {
		this.#ctx.at(atMs, name, () => {
			if (machine.terminatedAtMs === null) run();
		});
	}

	#isListed(machine: Machine): boolean {
		const nowMs = this.#ctx.nowMs();
		return nowMs >= machine.visibleFromMs && (machine.vanishedAtMs === null || nowMs < machine.vanishedAtMs);
	}
}

const isIn = (outage: RegionOutage, offer: Offer): boolean => offer.siteId === outage.siteId && offer.region === outage.region;
