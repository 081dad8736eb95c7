import type { Offer } from "#server/domain/capacity.ts";
import type { SimContext } from "./context.ts";
import { drawTimeTo } from "./days.ts";

/** A machine as its provider sees it: the truth, which the control plane only learns by polling. */
export interface Machine {
	id: string;
	/** The idempotency token, and the tag that names the intent. */
	token: string;
	offer: Offer;
	launchedAtMs: number;
	/** Absent from later listings; null: it stays listed as terminated. */
	vanishedAtMs: number | null;
	/** When it was, or certainly will be, terminated. */
	terminatedAtMs: number | null;
	terminationAccepted: boolean;
	stateReason: string | null;
	expiresAtMs: number;
}

/** What happens to machines, for code that runs on them. */
export interface MachineEvents {
	booted(machine: Machine): void;
	notice(machine: Machine, takenAtMs: number): void;
	expired(machine: Machine): void;
	/** It is terminated, or no longer exists. */
	ended(machine: Machine): void;
}

/** A provider that rejects launches for lack of capacity, reclaims spot machines and occasionally loses a machine. */
export class SimCloud {
	readonly machines = new Map<string, Machine>();
	/** Not terminated yet. */
	readonly alive = new Set<Machine>();
	readonly #ctx: SimContext;
	readonly #events: MachineEvents;
	/** The region of the outage, once it has begun. */
	#lostRegion: string | null = null;

	constructor(ctx: SimContext, events: MachineEvents) {
		this.#ctx = ctx;
		this.#events = events;
	}

	/** The created machine; null: there is no capacity. */
	launch(token: string, offer: Offer, expiresAtMs: number): Machine | null {
		const random = this.#ctx.random.cloud;
		const { noSpotCapacity, noOnDemandCapacity } = this.#ctx.scenario.days;
		if (this.#isOut(offer)) return null;
		if (random.next() < (offer.capacityType === "spot" ? noSpotCapacity : noOnDemandCapacity)) return null;
		return this.#make(token, offer, expiresAtMs);
	}

	/** null: no longer listed. */
	describe(machineId: string): Machine | null {
		const machine = this.machines.get(machineId);
		return machine && (machine.vanishedAtMs === null || this.#ctx.nowMs() < machine.vanishedAtMs) ? machine : null;
	}

	terminate(machineId: string): void {
		const machine = this.machines.get(machineId);
		if (machine && machine.terminatedAtMs === null) this.endLater(machine, "Client.UserInitiatedShutdown");
	}

	/** Terminated after a delay. */
	endLater(machine: Machine, stateReason: string): void {
		if (machine.terminationAccepted) return;
		machine.terminationAccepted = true;
		const { random, scenario } = this.#ctx;
		const { min, max } = scenario.timing.terminateMs;
		this.#ctx.at(this.#ctx.nowMs() + random.cloud.int(min, max), () => this.end(machine, stateReason));
	}

	end(machine: Machine, stateReason: string): void {
		if (machine.terminatedAtMs !== null) return;
		machine.terminatedAtMs = this.#ctx.nowMs();
		machine.stateReason = stateReason;
		this.alive.delete(machine);
		this.#events.ended(machine);
	}

	#make(token: string, offer: Offer, expiresAtMs: number): Machine {
		const { random, scenario } = this.#ctx;
		const nowMs = this.#ctx.nowMs();
		const machine: Machine = {
			id: `i-${String(this.machines.size + 1).padStart(17, "0")}`,
			token,
			offer,
			launchedAtMs: nowMs,
			vanishedAtMs: null,
			terminatedAtMs: null,
			terminationAccepted: false,
			stateReason: null,
			expiresAtMs,
		};
		this.machines.set(machine.id, machine);
		this.alive.add(machine);
		const { min, max } = scenario.timing.bootMs;
		this.#while(machine, nowMs + random.cloud.int(min, max), () => this.#events.booted(machine));
		// The dead man's switch is inside the machine and needs no control plane.
		this.#while(machine, expiresAtMs, () => this.#events.expired(machine));
		this.#drawFate(machine);
		const { outage } = scenario;
		if (outage && outage.fromMs > nowMs) this.#while(machine, outage.fromMs, () => this.#beginOutage());
		return machine;
	}

	/** The region with the most machines fails. */
	#beginOutage(): void {
		if (this.#lostRegion !== null) return;
		const regions = Map.groupBy(this.alive, ({ offer }) => placeOf(offer));
		const [largest] = [...regions].sort(([a, first], [b, second]) => second.length - first.length || (a < b ? -1 : 1));
		if (!largest) return;
		this.#lostRegion = largest[0];
		for (const machine of largest[1]) this.#lose(machine);
	}

	#lose(machine: Machine): void {
		machine.vanishedAtMs = this.#ctx.nowMs();
		this.end(machine, "Server.InternalError");
	}

	#isOut(offer: Offer): boolean {
		const { outage } = this.#ctx.scenario;
		return outage !== undefined && placeOf(offer) === this.#lostRegion && this.#ctx.nowMs() < outage.toMs;
	}

	#drawFate(machine: Machine): void {
		const random = this.#ctx.random.cloud;
		const hazard = (name: "vanishPerHour" | "spotNoticePerHour" | "spotNoNoticePerHour", run: () => void): void => {
			const atMs = this.#ctx.nowMs() + drawTimeTo(random, this.#ctx.scenario.days[name]);
			if (atMs >= machine.expiresAtMs) return;
			this.#while(machine, atMs, run);
		};
		hazard("vanishPerHour", () => this.#lose(machine));
		if (machine.offer.capacityType !== "spot") return;
		const taken = "Server.SpotInstanceTermination";
		hazard("spotNoNoticePerHour", () => this.end(machine, taken));
		hazard("spotNoticePerHour", () => {
			const takenAtMs = this.#ctx.nowMs() + this.#ctx.scenario.timing.spotNoticeMs;
			this.#while(machine, takenAtMs, () => this.end(machine, taken));
			this.#events.notice(machine, takenAtMs);
		});
	}

	#while(machine: Machine, atMs: number, run: () => void): void {
		this.#ctx.at(atMs, () => {
			if (machine.terminatedAtMs === null) run();
		});
	}
}

const placeOf = ({ siteId, region }: Offer): string => `${siteId} ${region}`;
