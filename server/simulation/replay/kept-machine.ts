import type { Offer } from "#server/domain/capacity.ts";
import { SECOND_MS } from "#server/kernel/units.ts";
import type { ReplayScenario } from "./types.ts";

/** Time from the start of a stopped machine to a running command, with the image on its disk. An assumption. */
const START_FROM_STOPPED_MS = 90 * SECOND_MS;
/** Monthly price of a stopped machine's disk: 200 GiB at $0.08 and more. An assumption, where the offer has no disk price. */
const STOPPED_DISK_MICRO_USD_PER_MONTH = 20_000_000n;

export function startFromStoppedMs(scenario: Pick<ReplayScenario, "startFromStoppedMs">): number {
	return scenario.startFromStoppedMs ?? START_FROM_STOPPED_MS;
}

/** Monthly price of a stopped machine of this offer. */
export function stoppedMicroUsdPerMonth({ disk }: Offer): bigint {
	return disk?.microUsdPerMonth ?? STOPPED_DISK_MICRO_USD_PER_MONTH;
}

/** How a machine is kept without a job. */
export interface KeptHow {
	stopped: boolean;
	holdMicroUsd: bigint;
}

/** A rented machine without a job. Times are UTC ms. */
export class KeptMachine {
	readonly id: string;
	readonly offer: Offer;
	/** Its launch, or the end of the attempt that ran on it. It is paid for from here. */
	readonly sinceMs: number;
	readonly readyAtMs: number;
	/** An attempt ran on it: the provider's minimum is already paid for. */
	readonly hasRun: boolean;
	/** Stopped once it is ready: only its disk is paid for, and it must be started again. */
	readonly stopped: boolean;
	/** Worst case reserved for it. */
	readonly holdMicroUsd: bigint;
	/** Its launch will be refused; strategies learn this only with the answer. */
	readonly refused: boolean;
	over = false;
	/** Set when it is over: its cost without a job. */
	costMicroUsd = 0n;

	constructor(given: {
		id: string;
		offer: Offer;
		sinceMs: number;
		readyAtMs: number;
		stopped: boolean;
		holdMicroUsd: bigint;
		refused: boolean;
		hasRun: boolean;
	}) {
		this.id = given.id;
		this.offer = given.offer;
		this.sinceMs = given.sinceMs;
		this.readyAtMs = given.readyAtMs;
		this.stopped = given.stopped;
		this.holdMicroUsd = given.holdMicroUsd;
		this.refused = given.refused;
		this.hasRun = given.hasRun;
	}
	/** Its rented time by a moment: a stopped machine is rented while it boots. */
	rentedUntil(nowMs: number): number {
		return this.stopped ? Math.min(nowMs, this.readyAtMs) : nowMs;
	}
}
