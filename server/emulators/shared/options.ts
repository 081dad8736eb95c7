import type { DiskRate } from "#server/rates/disks.ts";

/** What every emulated cloud is started with, beside its catalogue and its credentials. */
export interface EmulatorOptions {
	/** 0 takes a free port. A restart that adopts running instances must use the port they were given at their start. */
	port: number;
	host?: "127.0.0.1";
	/** The instances' folders and the emulator's book. One emulator at a time. */
	stateDir: string;
	bootDelayMs: number;
	terminateDelayMs: number;
	/** From the interruption notice to the termination. */
	spotNoticeMs: number;
	/** Draws whatever is drawn: automatic interruptions, price histories. */
	seed: number;
	/** Mean interruptions of one running spot instance in an hour; 0 (default) interrupts only on request. */
	interruptionsPerHour?: number;
	/** Between SIGTERM and SIGKILL when a machine ends; default 2,000. */
	guestStopGraceMs?: number;
	/** More than this many live instances meet the account's limit; default 1,000. */
	maxLiveInstances?: number;
	/** UTC milliseconds; default the system's. It dates what happens; timers run on real time. */
	clock?: () => number;
	/** Milliseconds that `clock` moves in one of real time, so that timers fire when their time has come by it; default 1. */
	clockRate?: number;
	/** What its price list asks for disks; without any it has none. */
	disks?: readonly DiskRate[];
	/** Given to every guest besides what its image gives it. */
	guestEnvironment?: Readonly<Record<string, string>>;
	/** One line for each call and each change of a machine's state. */
	log?: (line: string) => void;
}

export const EMULATOR_DEFAULTS = {
	host: "127.0.0.1",
	interruptionsPerHour: 0,
	guestStopGraceMs: 2_000,
	maxLiveInstances: 1_000,
	clock: Date.now,
	clockRate: 1,
	disks: [],
	guestEnvironment: {},
	log: () => {},
} as const satisfies Partial<EmulatorOptions>;

export type ResolvedEmulatorOptions = Required<EmulatorOptions>;
