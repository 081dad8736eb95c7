import type { DiskRate } from "#server/rates/disks.ts";
import { type AskedDisk, type BookedDisk, bookedDisk } from "./booked-disk.ts";
import type { MachineRecord, MachineState } from "./machine-record.ts";

/** One machine in an emulator's own book, which no fault hides or bends: what really ran, and for how long. */
export interface BookedInstance {
	instanceId: string;
	region: string;
	zone: string | null;
	instanceType: string;
	spot: boolean;
	state: MachineState;
	/** Gone without a trace by the fault script. */
	vanished: boolean;
	/** When the last process of one that vanished no longer existed. */
	silentAt: number | null;
	stateReasonCode: string | null;
	tags: Record<string, string>;
	/** UTC milliseconds. */
	launchTime: number;
	runningAt: number | null;
	terminatedAt: number | null;
	/** Time in the state `running`, up to now or to the end of it. */
	runningMs: number;
	/** How long of it from `runningAt` on the provider bills, before it rounds. */
	billedMs: number;
	/** What the provider would bill, by its own terms. */
	billedSeconds: number;
	/** The disk that was launched with it; null where the launch names none, and the image's own is taken. */
	disk: BookedDisk | null;
	/** The process of the user-data, if it was started. */
	guestPid: number | null;
	/** Holds user-data, console.log and whatever the guest wrote. */
	folder: string;
}

/** The cloud's own facts about a machine, beside what every machine has. */
export type BookedFacts = Pick<BookedInstance, "region" | "zone" | "instanceType" | "spot" | "tags" | "folder"> & {
	/** What the provider bills for so many milliseconds of running. */
	billedSecondsOf: (runningMs: number) => number;
	/** Where that is not the time of running. */
	billedMs?: number;
	/** What the launch asked for, with the rates of its region and type, and the time that is billed of it where that is not `billedMs`. */
	disk: { asked: AskedDisk; rates: readonly DiskRate[]; wholeMs(billedMs: number): number } | null;
};

export function bookedInstanceOf(machine: MachineRecord, facts: BookedFacts, nowMs: number): BookedInstance {
	const { billedSecondsOf, tags, disk, ...rest } = facts;
	const runningMs = machine.runningAtMs === null ? 0 : Math.max(0, (machine.endingAtMs ?? nowMs) - machine.runningAtMs);
	const billedMs = facts.billedMs ?? runningMs;
	return {
		instanceId: machine.instanceId,
		...rest,
		tags: { ...tags },
		state: machine.state,
		vanished: machine.vanished,
		silentAt: machine.silentAtMs,
		stateReasonCode: machine.stateReason?.code ?? null,
		launchTime: machine.launchedAtMs,
		runningAt: machine.runningAtMs,
		terminatedAt: machine.state === "terminated" ? machine.endedAtMs : null,
		runningMs,
		billedMs,
		billedSeconds: billedSecondsOf(runningMs),
		disk: disk && bookedDisk(disk.asked, disk.rates, { fromMs: machine.runningAtMs, billedMs: disk.wholeMs(billedMs) }),
		guestPid: machine.guest?.pid ?? null,
	};
}
