import type { MicroUsd } from "#server/kernel/money.ts";

/** One instance type and where it is sold. A zone without a spot price does not sell it as spot. */
export interface Ec2CatalogEntry {
	instanceType: string;
	vcpus: number;
	memoryGiB: number;
	gpus: number;
	/** The project's accelerator name, e.g. `H100-80GB`; null for a machine without GPUs. */
	gpuModel: string | null;
	regions: readonly Ec2CatalogRegion[];
}

export interface Ec2CatalogRegion {
	region: string;
	onDemandMicroUsdPerHour: MicroUsd;
	zones: readonly { zone: string; spotMicroUsdPerHour: MicroUsd | null }[];
}

export interface Ec2EmulatorOptions {
	/** 0 takes a free port. A restart that adopts running instances must use the port they were told at their start. */
	port: number;
	host?: "127.0.0.1";
	/** The instances' folders and the emulator's book. One emulator at a time. */
	stateDir: string;
	catalog: readonly Ec2CatalogEntry[];
	bootDelayMs: number;
	terminateDelayMs: number;
	/** From the interruption notice to the termination; Amazon gives 120,000. */
	spotNoticeMs: number;
	/** Draws the spot price history and the automatic interruptions. */
	seed: number;
	/** Mean interruptions of one running spot instance in an hour; 0 (default) interrupts only when told to. */
	interruptionsPerHour?: number;
	/** Between SIGTERM and SIGKILL when a machine ends; default 2,000. */
	guestStopGraceMs?: number;
	/** How long a terminated instance is still described; default one hour, as at Amazon. */
	terminatedVisibleMs?: number;
	/** Access keys that are let in; default `AKIAEMULATED`. Signatures are not checked. */
	accessKeyIds?: readonly string[];
	/** More than this many live instances answer InstanceLimitExceeded; default 1,000. */
	maxLiveInstances?: number;
	/** UTC milliseconds; default the system's. Timers run on real time, this only dates what they do. */
	clock?: () => number;
	/** One line for each call and each change of a machine's state. */
	log?: (line: string) => void;
}

export type ResolvedOptions = Required<Ec2EmulatorOptions>;

export const DEFAULT_ACCESS_KEY_ID = "AKIAEMULATED";

export function resolveOptions(options: Ec2EmulatorOptions): ResolvedOptions {
	return {
		host: "127.0.0.1",
		interruptionsPerHour: 0,
		guestStopGraceMs: 2_000,
		terminatedVisibleMs: 3_600_000,
		accessKeyIds: [DEFAULT_ACCESS_KEY_ID],
		maxLiveInstances: 1_000,
		clock: Date.now,
		log: () => {},
		...options,
	};
}
