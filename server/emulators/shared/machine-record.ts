import { z } from "zod";

const timeMs = z.int().min(0);

/** The states of a machine, by EC2's names; the endpoints of other clouds translate them. */
const MACHINE_STATES = ["pending", "running", "shutting-down", "terminated", "stopping", "stopped"] as const;
export type MachineState = (typeof MACHINE_STATES)[number];

/** The record of every machine, whichever its cloud; each cloud adds its own fields. Times are UTC milliseconds. */
export const machineRecordSchema = z.strictObject({
	instanceId: z.string(),
	/** Position in the order of all launches; lists are paged by it. */
	ordinal: z.int().min(0),
	state: z.enum(MACHINE_STATES),
	/** When it was launched or, later, started most recently. */
	launchedAtMs: timeMs,
	/** When it was launched, if it was started again since. */
	createdAtMs: timeMs.nullable().default(null),
	/** When a pending instance is due to run. */
	bootDueAtMs: timeMs,
	/** When it started to run, most recently. */
	runningAtMs: timeMs.nullable(),
	/** Its runs before that, which a stop ended. */
	earlierRuns: z.array(z.strictObject({ fromMs: timeMs, toMs: timeMs })).default([]),
	/** When it left `running` (or `pending`); running time ends here. */
	endingAtMs: timeMs.nullable(),
	/** Earliest time at which it is terminated or stopped. */
	endDueAtMs: timeMs.nullable(),
	endedAtMs: timeMs.nullable(),
	/** Hidden from every call before this time. */
	visibleFromMs: timeMs,
	vanishAtMs: timeMs.nullable(),
	vanished: z.boolean(),
	/** When the last process of a vanished machine ended. Until then its agent may still have sent heartbeats. */
	silentAtMs: timeMs.nullable().default(null),
	stateReason: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
	notice: z.strictObject({ atMs: timeMs, terminateAtMs: timeMs }).nullable(),
	/** 32 hexadecimal digits: the unguessable part of the metadata address, and the mark that identifies the machine's processes. */
	metadataSecret: z.string(),
	/** The process that executes the user-data. `started` distinguishes it from others with the same pid. */
	guest: z.strictObject({ pid: z.int().min(2), started: z.string().nullable() }).nullable(),
});
export type MachineRecord = z.infer<typeof machineRecordSchema>;

/** A new record of a machine that was just requested. */
export function newMachineRecord(machine: {
	instanceId: string;
	ordinal: number;
	metadataSecret: string;
	nowMs: number;
	bootDelayMs: number;
	invisibleMs: number;
	/** Delay after which it vanishes without a trace; null for never. */
	vanishAfterMs: number | null;
}): MachineRecord {
	const { instanceId, ordinal, metadataSecret, nowMs, bootDelayMs, invisibleMs, vanishAfterMs } = machine;
	return {
		instanceId,
		ordinal,
		state: "pending",
		launchedAtMs: nowMs,
		createdAtMs: null,
		bootDueAtMs: nowMs + bootDelayMs,
		runningAtMs: null,
		earlierRuns: [],
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

/** Whether the machine's processes may be running. */
export function isAlive(state: MachineState): boolean {
	return state !== "terminated" && state !== "stopped";
}

/** Whether calls other than the launch itself can see it. */
export function isVisible(machine: MachineRecord, nowMs: number, terminatedVisibleMs: number): boolean {
	if (machine.vanished || nowMs < machine.visibleFromMs) return false;
	return !isOver(machine.state) || nowMs < (machine.endedAtMs ?? nowMs) + terminatedVisibleMs;
}
