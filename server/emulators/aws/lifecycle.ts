import { seededRandom } from "#server/kernel/random.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import type { InstanceRecord, Machine } from "./book/records.ts";
import { isAlive } from "./book/records.ts";
import type { Store } from "./book/store.ts";
import { bootGuest, wasBooted } from "./guest/boot-guest.ts";
import { findGuestProcesses, sessionOf } from "./guest/processes.ts";
import { stopGuest } from "./guest/stop-guest.ts";
import type { ResolvedOptions } from "./options.ts";

/** setTimeout's longest wait; a later moment is looked at again then. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Why a machine ends: EC2's StateReason, its StateTransitionReason and what its spot request then says. */
export interface EndCause {
	code: string;
	message: string;
	transition: string;
	spotStatus: NonNullable<InstanceRecord["spot"]>["statusCode"];
}

export const END_CAUSES = {
	user: {
		code: "Client.UserInitiatedShutdown",
		message: "Client.UserInitiatedShutdown: User initiated shutdown",
		transition: "User initiated",
		spotStatus: "instance-terminated-by-user",
	},
	guest: {
		code: "Client.InstanceInitiatedShutdown",
		message: "Client.InstanceInitiatedShutdown: Instance initiated shutdown",
		transition: "User initiated",
		spotStatus: "instance-terminated-by-user",
	},
	interruption: {
		code: "Server.SpotInstanceTermination",
		message: "Server.SpotInstanceTermination: Spot instance termination",
		transition: "Server.SpotInstanceTermination",
		spotStatus: "instance-terminated-no-capacity",
	},
	service: {
		code: "Server.InternalError",
		message: "Server.InternalError: the emulated EC2 endpoint was stopped and ended its machines",
		transition: "Server.InternalError",
		spotStatus: "instance-terminated-by-service",
	},
} as const satisfies Record<string, EndCause>;

/** Moves machines through their states, in time, and keeps their processes in step. One timer a machine. */
export class Lifecycle {
	readonly #options: ResolvedOptions;
	readonly #store: Store;
	readonly #url: () => string;
	readonly #timers = new Map<string, NodeJS.Timeout>();
	/** The endings that are under way, by instance. */
	readonly #endings = new Map<string, Promise<void>>();
	readonly #aborter = new AbortController();

	constructor(options: ResolvedOptions, store: Store, url: () => string) {
		this.#options = options;
		this.#store = store;
		this.#url = url;
	}

	/** After a restart: takes up each machine where the book says it is. */
	resume(): void {
		for (const machine of this.#store.machines()) {
			const { instance } = machine;
			if (instance.state === "running" && instance.guest === null) this.#adoptOrBoot(machine);
			if (instance.state === "shutting-down" || instance.state === "stopping") this.#finish(machine);
			if (instance.vanished) void this.#stopGuest(instance).catch(() => {});
			this.schedule(machine);
		}
	}

	/** Sets the timer for the machine's next change. To be called after each change of its record. */
	schedule(machine: Machine): void {
		const { instanceId } = machine.instance;
		clearTimeout(this.#timers.get(instanceId));
		this.#timers.delete(instanceId);
		const dueMs = this.#nextDueMs(machine.instance);
		if (dueMs === null || this.#aborter.signal.aborted) return;
		const waitMs = Math.min(Math.max(0, dueMs - this.#options.clock()), MAX_TIMER_MS);
		this.#timers.set(
			instanceId,
			setTimeout(() => this.#advance(machine), waitMs),
		);
	}

	/** TerminateInstances and everything else that ends a machine. A machine that is ending already goes on ending. */
	end(machine: Machine, cause: EndCause, target: "terminated" | "stopped" = "terminated", extraDelayMs = 0): void {
		const { instance, reservation } = machine;
		const nowMs = this.#options.clock();
		if (instance.state === "terminated" || instance.state === "shutting-down") return;
		if (target === "stopped" && instance.state !== "running") return;
		instance.endingAtMs ??= nowMs;
		instance.endDueAtMs = nowMs + (instance.state === "stopped" ? 0 : this.#options.terminateDelayMs + extraDelayMs);
		instance.endedAtMs = null;
		instance.state = target === "terminated" ? "shutting-down" : "stopping";
		instance.stateReason = { code: cause.code, message: cause.message };
		instance.stateTransitionReason = `${cause.transition} (${new Date(nowMs).toISOString().slice(0, 19).replace("T", " ")} GMT)`;
		setSpotStatus(instance, cause.spotStatus, nowMs);
		this.#store.save(reservation);
		this.#report(machine);
		this.#finish(machine);
	}

	/** The notice of a spot interruption; the termination follows by itself. @throws RangeError when it cannot be. */
	interrupt(machine: Machine): void {
		const { instance, reservation } = machine;
		if (!instance.spot) throw new RangeError(`${instance.instanceId} is not a spot instance`);
		if (instance.state !== "running" && instance.state !== "pending") throw new RangeError(`${instance.instanceId} is ${instance.state}`);
		if (instance.notice) return;
		const nowMs = this.#options.clock();
		instance.notice = { atMs: nowMs, terminateAtMs: nowMs + this.#options.spotNoticeMs };
		setSpotStatus(instance, "marked-for-termination", nowMs);
		this.#store.save(reservation);
		this.#options.log(`${instance.instanceId} will be interrupted`);
		this.schedule(machine);
	}

	/** Ends every machine now, and returns when none of their processes is left. */
	async endAll(): Promise<void> {
		const machines = this.#store.machines().filter(({ instance }) => isAlive(instance.state));
		for (const machine of machines) this.end(machine, END_CAUSES.service);
		// Those that were ending anyway no longer wait for their delay.
		for (const { instance } of machines) instance.endDueAtMs = this.#options.clock();
		await Promise.all(machines.map((machine) => this.#stopGuest(machine.instance).then(() => this.#markEnded(machine))));
	}

	/** Stops all timers; machines go on by themselves. */
	close(): void {
		this.#aborter.abort();
		for (const timer of this.#timers.values()) clearTimeout(timer);
		this.#timers.clear();
	}

	metadataUrlOf(instance: InstanceRecord): string {
		return `${this.#url()}/imds/${instance.metadataSecret}`;
	}

	#nextDueMs(instance: InstanceRecord): number | null {
		if (instance.vanished) return null;
		const dues = [instance.vanishAtMs];
		if (instance.state === "pending") dues.push(instance.bootDueAtMs);
		if (instance.state === "pending" || instance.state === "running") {
			dues.push(instance.notice?.terminateAtMs ?? this.#automaticInterruptionMs(instance));
		}
		const known = dues.filter((due) => due !== null);
		return known.length === 0 ? null : Math.min(...known);
	}

	/** Exponential waiting time, drawn from the seed and the order of launches: the same after a restart. */
	#automaticInterruptionMs(instance: InstanceRecord): number | null {
		const { interruptionsPerHour, seed } = this.#options;
		if (!instance.spot || instance.runningAtMs === null || interruptionsPerHour <= 0) return null;
		const draw = seededRandom(`${seed}/interruption/${instance.ordinal}`).next();
		return instance.runningAtMs + Math.ceil((-Math.log(1 - draw) / interruptionsPerHour) * HOUR_MS);
	}

	#advance(machine: Machine): void {
		const { instance } = machine;
		const nowMs = this.#options.clock();
		if (instance.vanishAtMs !== null && nowMs >= instance.vanishAtMs) this.#vanish(machine);
		else if (instance.state === "pending" && nowMs >= instance.bootDueAtMs) this.#boot(machine);
		else if (instance.notice && nowMs >= instance.notice.terminateAtMs) this.end(machine, END_CAUSES.interruption);
		else if (!instance.notice && nowMs >= (this.#automaticInterruptionMs(instance) ?? Number.POSITIVE_INFINITY)) this.interrupt(machine);
		this.schedule(machine);
	}

	#boot(machine: Machine): void {
		machine.instance.state = "running";
		machine.instance.runningAtMs = this.#options.clock();
		// Written before the process is there: after a crash in between, `resume` sees what is missing.
		this.#store.save(machine.reservation);
		this.#report(machine);
		this.#adoptOrBoot(machine);
	}

	#adoptOrBoot({ reservation, instance }: Machine): void {
		const folder = this.#store.folderOf(instance.instanceId);
		if (!wasBooted(folder)) {
			instance.guest = bootGuest({ folder, userData: reservation.userData, metadataUrl: this.metadataUrlOf(instance) });
		} else {
			// The crash came between the start and the note of it: the oldest process with the machine's mark is the guest.
			const [first] = findGuestProcesses({ sessionId: null, secret: instance.metadataSecret })
				.filter(({ pid, sessionId }) => pid === sessionId)
				.sort((a, b) => a.pid - b.pid);
			if (!first) return;
			instance.guest = { pid: first.pid, started: first.started };
		}
		this.#store.save(reservation);
	}

	#finish(machine: Machine): void {
		const { instance } = machine;
		void this.#stopGuest(instance).then(
			() => {
				const waitMs = Math.max(0, (instance.endDueAtMs ?? 0) - this.#options.clock());
				if (this.#aborter.signal.aborted) return;
				clearTimeout(this.#timers.get(instance.instanceId));
				this.#timers.set(
					instance.instanceId,
					setTimeout(() => this.#markEnded(machine), Math.min(waitMs, MAX_TIMER_MS)),
				);
			},
			() => {}, // Aborted by close(): the next start takes it up.
		);
	}

	#markEnded(machine: Machine): void {
		const { instance, reservation } = machine;
		if (instance.state !== "shutting-down" && instance.state !== "stopping") return;
		instance.state = instance.state === "shutting-down" ? "terminated" : "stopped";
		instance.endedAtMs = this.#options.clock();
		this.#store.save(reservation);
		this.#report(machine);
	}

	#vanish(machine: Machine): void {
		const { instance, reservation } = machine;
		const nowMs = this.#options.clock();
		instance.vanished = true;
		instance.endingAtMs ??= nowMs;
		instance.endedAtMs ??= nowMs;
		instance.state = "terminated";
		this.#store.save(reservation);
		this.#options.log(`${instance.instanceId} vanished`);
		void this.#stopGuest(instance).catch(() => {});
	}

	#stopGuest(instance: InstanceRecord): Promise<void> {
		const underWay = this.#endings.get(instance.instanceId);
		if (underWay !== undefined) return underWay;
		if (!wasBooted(this.#store.folderOf(instance.instanceId))) return Promise.resolve();
		const mark = { sessionId: sessionOf(instance.guest), secret: instance.metadataSecret };
		const ending = stopGuest(mark, this.#options.guestStopGraceMs, this.#aborter.signal).finally(() => {
			this.#endings.delete(instance.instanceId);
		});
		this.#endings.set(instance.instanceId, ending);
		return ending;
	}

	#report({ instance, reservation }: Machine): void {
		this.#options.log(`${instance.instanceId} (${reservation.instanceType}, ${instance.zone}) is ${instance.state}`);
	}
}

function setSpotStatus(instance: InstanceRecord, statusCode: EndCause["spotStatus"], nowMs: number): void {
	if (!instance.spot) return;
	instance.spot.statusCode = statusCode;
	instance.spot.statusAtMs = nowMs;
}
