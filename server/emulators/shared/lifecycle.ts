import { seededRandom } from "#server/kernel/random.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { bootAgain, bootGuest, type GuestPlan, wasBooted } from "./guest/boot-guest.ts";
import { findGuestProcesses, sessionOf } from "./guest/processes.ts";
import { stopGuest } from "./guest/stop-guest.ts";
import { isAlive, type MachineRecord } from "./machine-record.ts";
import type { ResolvedEmulatorOptions } from "./options.ts";
import { timerMs } from "./timers.ts";

/** Why a machine ends, with the cloud's code and message. */
export interface EndCause {
	code: string;
	message: string;
}

/** The parts of a cloud that the lifecycle of its machines depends on. */
export interface LifecycleHost<M extends MachineRecord, C extends EndCause> {
	machines(): M[];
	save(machine: M): void;
	folderOf(instanceId: string): string;
	isSpot(machine: M): boolean;
	/** Whether the stop ended the machine's run. Otherwise its run counts until it is deleted. */
	endsRun(machine: M): boolean;
	/** What a stopped machine executes when it boots again: what its first boot left for cloud-init, or its user-data. */
	bootsAgainBy: "per_boot_scripts" | "user_data";
	/** What the machine executes, and the addresses of its metadata service and its power switch. */
	bootPlanOf(machine: M): Omit<GuestPlan, "folder">;
	/** The causes of automatic ends. */
	causes: { interruption: C; service: C };
	/** Update the cloud's own part of a machine's record when its end is requested or notice is given. */
	onEnding?(machine: M, cause: C, nowMs: number): void;
	onNotice?(machine: M, nowMs: number): void;
	/** Names the machine for the log. */
	labelOf(machine: M): string;
}

/** Moves machines through their states over time, and keeps their processes in sync. Uses one timer per machine. */
export class Lifecycle<M extends MachineRecord, C extends EndCause> {
	readonly #options: ResolvedEmulatorOptions;
	readonly #host: LifecycleHost<M, C>;
	readonly #timers = new Map<string, NodeJS.Timeout>();
	/** The endings in progress, by instance. */
	readonly #endings = new Map<string, Promise<void>>();
	readonly #aborter = new AbortController();

	constructor(options: ResolvedEmulatorOptions, host: LifecycleHost<M, C>) {
		this.#options = options;
		this.#host = host;
	}

	/** After a restart: continues with each machine from its recorded state. */
	resume(): void {
		for (const machine of this.#host.machines()) {
			if (machine.state === "running" && machine.guest === null) this.#adoptOrBoot(machine);
			if (machine.state === "shutting-down" || machine.state === "stopping") this.#finish(machine);
			if (machine.vanished && machine.silentAtMs === null) this.#silence(machine);
			this.schedule(machine);
		}
	}

	/** Sets the timer for the machine's next change. Call after each change of its record. */
	schedule(machine: M): void {
		const { instanceId } = machine;
		clearTimeout(this.#timers.get(instanceId));
		this.#timers.delete(instanceId);
		const dueMs = this.#nextDueMs(machine);
		if (dueMs === null || this.#aborter.signal.aborted) return;
		const waitMs = timerMs(this.#options, dueMs - this.#options.clock());
		this.#timers.set(
			instanceId,
			setTimeout(() => this.#advance(machine), waitMs),
		);
	}

	/**
	 * Ends a machine, by a caller's request or for any other cause. A machine that is already ending continues, and its delay is
	 * measured again by the clock, which may have been moved. `nowMs`: time of the requesting call, if known.
	 */
	end(machine: M, cause: C, target: "terminated" | "stopped" = "terminated", extraDelayMs = 0, nowMs = this.#options.clock()): void {
		if (machine.state === "terminated") return;
		if (machine.state === "shutting-down") {
			this.#finish(machine);
			return;
		}
		if (target === "stopped" && machine.state !== "running") return;
		if (machine.state === "stopped" && this.#host.endsRun(machine)) this.#closeRun(machine);
		machine.endingAtMs ??= nowMs;
		machine.endDueAtMs = nowMs + (machine.state === "stopped" ? 0 : this.#options.terminateDelayMs + extraDelayMs);
		machine.endedAtMs = null;
		machine.state = target === "terminated" ? "shutting-down" : "stopping";
		machine.stateReason = { code: cause.code, message: cause.message };
		this.#host.onEnding?.(machine, cause, nowMs);
		this.#host.save(machine);
		this.#report(machine);
		this.#finish(machine);
	}

	/** Starts a stopped machine: it boots again from its disk, by what its first boot left for the next ones. */
	start(machine: M): void {
		if (machine.state !== "stopped") return;
		this.#closeRun(machine);
		const nowMs = this.#options.clock();
		machine.createdAtMs ??= machine.launchedAtMs;
		Object.assign(machine, { state: "pending", launchedAtMs: nowMs, bootDueAtMs: nowMs + this.#options.bootDelayMs, guest: null });
		Object.assign(machine, { stateReason: null, endDueAtMs: null, endedAtMs: null });
		this.#host.save(machine);
		this.#report(machine);
		this.schedule(machine);
	}

	/** Keeps the run that a stop ended, before the machine runs or ends again. */
	#closeRun(machine: M): void {
		const { runningAtMs, endingAtMs } = machine;
		if (runningAtMs !== null && endingAtMs !== null) machine.earlierRuns.push({ fromMs: runningAtMs, toMs: endingAtMs });
		Object.assign(machine, { runningAtMs: null, endingAtMs: null });
	}

	/**
	 * Gives a spot interruption notice; the termination follows automatically.
	 * @throws RangeError if it is not possible
	 */
	interrupt(machine: M): void {
		if (!this.#host.isSpot(machine)) throw new RangeError(`${machine.instanceId} is not a spot instance`);
		if (machine.state !== "running" && machine.state !== "pending") throw new RangeError(`${machine.instanceId} is ${machine.state}`);
		if (machine.notice) return;
		const nowMs = this.#options.clock();
		machine.notice = { atMs: nowMs, terminateAtMs: nowMs + this.#options.spotNoticeMs };
		this.#host.onNotice?.(machine, nowMs);
		this.#host.save(machine);
		this.#options.log(`${machine.instanceId} will be interrupted`);
		this.schedule(machine);
	}

	/** Ends every machine now, and returns when none of their processes is left. */
	async endAll(): Promise<void> {
		const machines = this.#host.machines().filter(({ state }) => isAlive(state));
		for (const machine of machines) this.end(machine, this.#host.causes.service);
		// Machines that were already ending no longer wait for their delay.
		for (const machine of machines) machine.endDueAtMs = this.#options.clock();
		await Promise.all(machines.map((machine) => this.#stopGuest(machine).then(() => this.#markEnded(machine))));
	}

	/** Stops all timers; machines keep running on their own. */
	close(): void {
		this.#aborter.abort();
		for (const timer of this.#timers.values()) clearTimeout(timer);
		this.#timers.clear();
	}

	#nextDueMs(machine: M): number | null {
		if (machine.vanished || machine.state === "terminated") return null;
		const dues = [machine.vanishAtMs];
		if (machine.state === "pending") dues.push(machine.bootDueAtMs);
		if (machine.state === "pending" || machine.state === "running") {
			dues.push(machine.notice?.terminateAtMs ?? this.#automaticInterruptionMs(machine));
		}
		const known = dues.filter((due) => due !== null);
		return known.length === 0 ? null : Math.min(...known);
	}

	/** Exponential waiting time, derived from the seed and the launch order, so it is the same after a restart. */
	#automaticInterruptionMs(machine: M): number | null {
		const { interruptionsPerHour, seed } = this.#options;
		if (!this.#host.isSpot(machine) || machine.runningAtMs === null || interruptionsPerHour <= 0) return null;
		const draw = seededRandom(`${seed}/interruption/${machine.ordinal}`).next();
		return machine.runningAtMs + Math.ceil((-Math.log(1 - draw) / interruptionsPerHour) * HOUR_MS);
	}

	#advance(machine: M): void {
		const nowMs = this.#options.clock();
		if (machine.vanishAtMs !== null && nowMs >= machine.vanishAtMs) this.#vanish(machine);
		else if (machine.state === "pending" && nowMs >= machine.bootDueAtMs) this.#boot(machine);
		else if (machine.notice && nowMs >= machine.notice.terminateAtMs) this.end(machine, this.#host.causes.interruption);
		else if (!machine.notice && nowMs >= (this.#automaticInterruptionMs(machine) ?? Number.POSITIVE_INFINITY)) this.interrupt(machine);
		this.schedule(machine);
	}

	#boot(machine: M): void {
		machine.state = "running";
		machine.runningAtMs = this.#options.clock();
		// Saved before the process starts: after a crash in between, `resume` detects what is missing.
		this.#host.save(machine);
		this.#report(machine);
		this.#adoptOrBoot(machine);
	}

	#adoptOrBoot(machine: M): void {
		const folder = this.#host.folderOf(machine.instanceId);
		const isFirst = machine.earlierRuns.length === 0;
		if (!isFirst || !wasBooted(folder)) {
			const plan = this.#host.bootPlanOf(machine);
			const environment = { ...plan.environment, ...this.#options.guestEnvironment };
			machine.guest = isFirst
				? bootGuest({ folder, ...plan, environment })
				: bootAgain({ folder, ...plan, environment }, this.#host.bootsAgainBy);
		} else {
			// The crash came between the start and the saving: the oldest process with the machine's mark is the guest.
			const [first] = findGuestProcesses({ sessionId: null, secret: machine.metadataSecret })
				.filter(({ pid, sessionId }) => pid === sessionId)
				.sort((a, b) => a.pid - b.pid);
			if (!first) return;
			machine.guest = { pid: first.pid, started: first.started };
		}
		this.#host.save(machine);
	}

	#finish(machine: M): void {
		void this.#stopGuest(machine).then(
			() => {
				const waitMs = timerMs(this.#options, (machine.endDueAtMs ?? 0) - this.#options.clock());
				if (this.#aborter.signal.aborted) return;
				clearTimeout(this.#timers.get(machine.instanceId));
				this.#timers.set(
					machine.instanceId,
					setTimeout(() => this.#markEnded(machine), waitMs),
				);
			},
			() => {}, // Aborted by close(); the next start resumes it.
		);
	}

	#markEnded(machine: M): void {
		if (machine.state !== "shutting-down" && machine.state !== "stopping") return;
		machine.state = machine.state === "shutting-down" ? "terminated" : "stopped";
		machine.endedAtMs = this.#options.clock();
		this.#host.save(machine);
		this.#report(machine);
		// A machine that is only stopped may still vanish.
		this.schedule(machine);
	}

	#vanish(machine: M): void {
		const nowMs = this.#options.clock();
		machine.vanished = true;
		machine.endingAtMs ??= nowMs;
		// A machine that was only stopped existed, and with some providers was billed, until now.
		machine.endedAtMs = nowMs;
		machine.state = "terminated";
		this.#host.save(machine);
		this.#options.log(`${machine.instanceId} vanished`);
		this.#silence(machine);
	}

	#silence(machine: M): void {
		void this.#stopGuest(machine).then(
			() => {
				machine.silentAtMs = this.#options.clock();
				this.#host.save(machine);
			},
			() => {}, // Aborted by close(); the next start resumes it.
		);
	}

	#stopGuest(machine: M): Promise<void> {
		const underWay = this.#endings.get(machine.instanceId);
		if (underWay !== undefined) return underWay;
		if (!wasBooted(this.#host.folderOf(machine.instanceId))) return Promise.resolve();
		const mark = { sessionId: sessionOf(machine.guest), secret: machine.metadataSecret };
		const ending = stopGuest(mark, this.#options.guestStopGraceMs, this.#aborter.signal).finally(() => {
			this.#endings.delete(machine.instanceId);
		});
		this.#endings.set(machine.instanceId, ending);
		return ending;
	}

	#report(machine: M): void {
		this.#options.log(`${this.#host.labelOf(machine)} is ${machine.state}`);
	}
}
