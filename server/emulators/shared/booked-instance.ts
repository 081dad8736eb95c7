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
	/** Time in the state `running`, up to now or to its end; of all its runs. */
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
	/** The billed time of each run, ms. Set if it differs from the running time. */
	billedRunsMs?: number[];
	/**
	 * The disk that the launch requested, with the rates of its region and type, and its billed time if that differs from `billedMs`.
	 */
	disk: { asked: AskedDisk; rates: readonly DiskRate[]; wholeMs(billedMs: number): number } | null;
};

export function bookedInstanceOf(machine: MachineRecord, facts: BookedFacts, nowMs: number): BookedInstance {
	const { billedSecondsOf, billedRunsMs: _, tags, disk, ...rest } = facts;
	const runs = runsOf(machine, nowMs).map(({ fromMs, toMs }) => toMs - fromMs);
	const runningMs = runs.reduce((sum, ms) => sum + ms, 0);
	const billedRunsMs = facts.billedRunsMs ?? runs;
	const billedMs = billedRunsMs.reduce((sum, ms) => sum + ms, 0);
	const { fromMs, diskMs } = diskTime(machine, billedMs, nowMs);
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
		// Each start is billed by itself.
		billedSeconds: billedRunsMs.reduce((sum, ms) => sum + billedSecondsOf(ms), 0),
		disk: disk && bookedDisk(disk.asked, disk.rates, { fromMs, billedMs: disk.wholeMs(diskMs) }),
		guestPid: machine.guest?.pid ?? null,
	};
}

function runsOf({ runningAtMs, endingAtMs, earlierRuns }: MachineRecord, nowMs: number): { fromMs: number; toMs: number }[] {
	const last = runningAtMs === null ? [] : [{ fromMs: runningAtMs, toMs: Math.max(runningAtMs, endingAtMs ?? nowMs) }];
	return [...earlierRuns, ...last];
}

/** A disk is billed while its machine is stopped, too. */
function diskTime(machine: MachineRecord, billedMs: number, nowMs: number): { fromMs: number | null; diskMs: number } {
	const fromMs = machine.earlierRuns[0]?.fromMs ?? machine.runningAtMs;
	const isStopped = machine.state === "stopping" || machine.state === "stopped";
	if (fromMs === null || (machine.earlierRuns.length === 0 && !isStopped)) return { fromMs, diskMs: billedMs };
	return { fromMs, diskMs: Math.max(0, (isStopped ? nowMs : (machine.endingAtMs ?? nowMs)) - fromMs) };
}
