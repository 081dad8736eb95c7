import type { Offer } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { Snapshot, TimeSpread } from "#server/scheduling/types.ts";
import type { RecordedGrid } from "../replay/grid-record.ts";
import type { ReplayPool } from "../replay/types.ts";

/**
 * A site's recorded history over a period: job submissions, run times, and external conditions such as prices and capacity. Plain data
 * that can be cloned into another thread. Times are UTC ms.
 */
export interface RecordedHistory {
	fromMs: number;
	toMs: number;
	seed: number;
	jobs: HistoryJob[];
	/** Current pools. */
	pools: ReplayPool[];
	/** Current mounts of the sites. Absent: none. */
	mounts?: Snapshot["mounts"];
	/** Current offers; `prices` holds their recorded prices. */
	offers: Offer[];
	/** Observations that changed an offer's price, ascending, including the last one before the period; by offer id. */
	prices: Map<string, { atMs: number; microUsdPerHour: bigint }[]>;
	/** Every instance requested in the period and in the 30 days before it. */
	launches: LaunchRecord[];
	/** Jobs that ran before the period, oldest first. Run-time estimates use them. */
	priorRuns: { spec: JobSpec; durationMs: number }[];
	/**
	 * Cloud cost that jobs had already incurred in the budget periods containing the start, by calendar month (replay/billing.ts monthOf).
	 */
	spentBefore: { spec: JobSpec; month: number; microUsd: bigint }[];
	/** Board power of each accelerator under load, W. */
	boardWatts: Record<string, number>;
	timing: HistoryTiming;
	/** When the very first job was submitted; null if there never was one. */
	firstJobAtMs: number | null;
	/** Time zone of the ledger's days and months. */
	zone: string;
	/** Hourly grid data. Absent: none on record. */
	grid?: RecordedGrid;
}

/** A job as it was recorded. */
export interface HistoryJob {
	id: string;
	/** As submitted. Jobs that look the same to every rule may share one object. */
	spec: JobSpec;
	submittedAtMs: number;
	approvedMicroUsd: bigint | null;
	work: RecordedWork;
	/** When a person cancelled it before it ever ran. */
	withdrawnAtMs: number | null;
	/** Size of the checkpoints it wrote, GiB. They are sent home when it runs in a cloud. */
	dataOutGiB: number;
}

/** Run time in ms over all attempts, without waiting and without work lost between attempts. `beforeMs`: done before the period. */
export type RecordedWork =
	| { kind: "recorded"; ms: number; beforeMs: number }
	/** Still running at the end of the period. */
	| { kind: "so_far"; ms: number; beforeMs: number }
	/** It never ran. */
	| { kind: "unknown" };

export interface LaunchRecord {
	offerId: string;
	spot: boolean;
	intendedAtMs: number;
	/** null if it never came up. */
	launchedAtMs: number | null;
	endedAtMs: number | null;
	end: "interrupted" | "refused" | "other";
}

export interface HistoryTiming {
	/** Median time from a launch to a running command; null if none is on record. */
	bootMs: number | null;
	/** Median time from a launch to its refusal; null if none is on record. */
	refusalMs: number | null;
	/** Time from launch to running command that the live core expects. */
	cloudStartMs: TimeSpread;
	cooldownMs: number;
}
