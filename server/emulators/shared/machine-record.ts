import { z } from "zod";

const timeMs = z.int().min(0);

/** The states of a machine, in EC2's words; the other clouds' endpoints show them in theirs. */
const MACHINE_STATES = ["pending", "running", "shutting-down", "terminated", "stopping", "stopped"] as const;
export type MachineState = (typeof MACHINE_STATES)[number];

/** What the book holds of every machine, whichever cloud it is of; each cloud adds its own. Times are UTC milliseconds. */
export const machineRecordSchema = z.strictObject({
	instanceId: z.string(),
	/** Position in the order of all launches; lists are paged by it. */
	ordinal: z.int().min(0),
	state: z.enum(MACHINE_STATES),
	launchedAtMs: timeMs,
	/** When a pending instance starts to run. */
	bootDueAtMs: timeMs,
	/** When it did. */
	runningAtMs: timeMs.nullable(),
	/** When it left `running` (or `pending`); running time ends here. */
	endingAtMs: timeMs.nullable(),
	/** Not terminated or stopped before this. */
	endDueAtMs: timeMs.nullable(),
	endedAtMs: timeMs.nullable(),
	/** Unseen by every call before this. */
	visibleFromMs: timeMs,
	vanishAtMs: timeMs.nullable(),
	vanished: z.boolean(),
	/** When the last process of one that vanished no longer existed: until then its agent may have been heard. */
	silentAtMs: timeMs.nullable().default(null),
	stateReason: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
	notice: z.strictObject({ atMs: timeMs, terminateAtMs: timeMs }).nullable(),
	/** 32 hexadecimal digits: the unguessable part of the metadata address, and the mark by which the machine's processes are known. */
	metadataSecret: z.string(),
	/** The process that executes the user-data; `started` names that process among all that had its number. */
	guest: z.strictObject({ pid: z.int().min(2), started: z.string().nullable() }).nullable(),
});
export type MachineRecord = z.infer<typeof machineRecordSchema>;

/** A machine that is asked for now: nothing has happened to it yet. */
export function newMachineRecord(machine: {
	instanceId: string;
	ordinal: number;
	metadataSecret: string;
	nowMs: number;
	bootDelayMs: number;
	invisibleMs: number;
	/** Gone without a trace after so long; null for never. */
	vanishAfterMs: number | null;
}): MachineRecord {
	const { instanceId, ordinal, metadataSecret, nowMs, bootDelayMs, invisibleMs, vanishAfterMs } = machine;
	return {
		instanceId,
		ordinal,
		state: "pending",
		launchedAtMs: nowMs,
		bootDueAtMs: nowMs + bootDelayMs,
		runningAtMs: null,
		endingAtMs: null,
		endDueAtMs: null,
		endedAtMs: null,
		visibleFromMs: nowMs + invisibleMs,
		vanishAtMs: vanishAfterMs === null ? null : nowMs + vanishAfterMs,
		vanished: false,
		silentAtMs: null,
		stateReason: null,
		notice: null,
		metadataSecret,
		guest: null,
	};
}

export function isOver(state: MachineState): boolean {
	return state === "terminated";
}

/** Whether the machine's processes may live. */
export function isAlive(state: MachineState): boolean {
	return state !== "terminated" && state !== "stopped";
}

/** Whether other calls than the launch itself see it. */
export function isVisible(machine: MachineRecord, nowMs: number, terminatedVisibleMs: number): boolean {
	if (machine.vanished || nowMs < machine.visibleFromMs) return false;
	return !isOver(machine.state) || nowMs < (machine.endedAtMs ?? nowMs) + terminatedVisibleMs;
}
