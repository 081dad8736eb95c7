import type { DiskRate } from "#server/rates/disks.ts";
import { type AskedDisk, type BookedDisk, bookedDisk } from "./booked-disk.ts";
import type { MachineRecord, MachineState } from "./machine-record.ts";

/** One machine in an emulator's own records, which faults cannot hide or distort: what really ran, and for how long. */
export interface BookedInstance {
	instanceId: string;
	region: string;
	zone: string | null;
	instanceType: string;
	spot: boolean;
	state: MachineState;
	/** Made to vanish by the fault script. */
	vanished: boolean;
	/** When the last process of a vanished machine ended. */
	silentAt: number | null;
	stateReasonCode: string | null;
	tags: Record<string, string>;
	/** UTC milliseconds. */
	launchTime: number;
	runningAt: number | null;
	terminatedAt: number | null;
	/** Time in the state `running`, up to now or to its end. */
	runningMs: number;
	/** Running time from `runningAt` on that the provider bills, before rounding. */
	billedMs: number;
	/** Seconds that the provider would bill under its own terms. */
	billedSeconds: number;
	/** The disk that was launched with it; null if the launch requests none and uses the image's default. */
	disk: BookedDisk | null;
	/** The process of the user-data, if it was started. */
	guestPid: number | null;
	/** Holds user-data, console.log and whatever the guest wrote. */
	folder: string;
}

/** Facts about a machine that depend on the cloud, in addition to those of every machine. */
export type BookedFacts = Pick<BookedInstance, "region" | "zone" | "instanceType" | "spot" | "tags" | "folder"> & {
	/** The seconds that the provider bills for this much running time. */
	billedSecondsOf: (runningMs: number) => number;
	/** Set if it differs from the running time. */
	billedMs?: number;
	/**
	 * The disk that the launch requested, with the rates of its region and type, and its billed time if that differs from `billedMs`.
	 */
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
