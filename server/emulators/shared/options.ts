import type { DiskRate } from "#server/rates/disks.ts";

/** The options of every emulated cloud, in addition to its catalog and its credentials. */
export interface EmulatorOptions {
	/** 0 uses a free port. A restart that adopts running instances must use their original port. */
	port: number;
	host?: "127.0.0.1";
	/** Folder for the instances and the emulator's records. Used by one emulator at a time. */
	stateDir: string;
	bootDelayMs: number;
	terminateDelayMs: number;
	/** Time from the interruption notice to the termination. */
	spotNoticeMs: number;
	/** Seed of everything random: automatic interruptions, price histories. */
	seed: number;
	/** Mean number of interruptions per hour of one running spot instance; 0 (default) interrupts only on request. */
	interruptionsPerHour?: number;
	/** Time between SIGTERM and SIGKILL when a machine ends; default 2,000. */
	guestStopGraceMs?: number;
	/** The account's limit of live instances; default 1,000. */
	maxLiveInstances?: number;
	/** UTC milliseconds; default: the system clock. Used for the times of events; timers run on real time. */
	clock?: () => number;
	/** Milliseconds that `clock` advances per real millisecond, so that timers fire on time by that clock; default 1. */
	clockRate?: number;
	/** The prices of disks in its price list; none if undefined. */
	disks?: readonly DiskRate[];
	/** Variables for every guest in addition to those of its image. */
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
