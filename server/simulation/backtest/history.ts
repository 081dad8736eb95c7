import type { Offer } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { Snapshot, TimeSpread } from "#server/scheduling/types.ts";
import type { RecordedGrid } from "../replay/grid-record.ts";
import type { ReplayPool } from "../replay/types.ts";

/**
 * What a site has on record of a time: who asked for what, how long it ran, and what the outside was like. Plain data that can be
 * cloned into another thread. Times are UTC ms.
 */
export interface RecordedHistory {
	fromMs: number;
	toMs: number;
	seed: number;
	jobs: HistoryJob[];
	/** As they are now. */
	pools: ReplayPool[];
	/** Mounts of the sites, as they are now. Absent: none. */
	mounts?: Snapshot["mounts"];
	/** As they are now, priced as below. */
	offers: Offer[];
	/** Each observation that changed an offer's price, ascending, the last one before the time included; by offer id. */
	prices: Map<string, { atMs: number; microUsdPerHour: bigint }[]>;
	/** Every instance that was asked for in the time, and in the 30 days before it. */
	launches: LaunchRecord[];
	/** Jobs that had run before the time, oldest first: what run times are estimated from. */
	priorRuns: { spec: JobSpec; durationMs: number }[];
	/** Cloud money that jobs had cost in the budget periods that the time begins in, by calendar month (replay/billing.ts monthOf). */
	spentBefore: { spec: JobSpec; month: number; microUsd: bigint }[];
	/** Board power of each accelerator under load, W. */
	boardWatts: Record<string, number>;
	timing: HistoryTiming;
	/** When the first job of all was submitted; null: none ever was. */
	firstJobAtMs: number | null;
	/** Of the ledger's days and months. */
	zone: string;
	/** Hours of grids. Absent: none are on record. */
	grid?: RecordedGrid;
}

/** A job as it was recorded. */
export interface HistoryJob {
	id: string;
	/** As it was submitted; jobs that differ in nothing that a rule sees may share one object. */
	spec: JobSpec;
	submittedAtMs: number;
	approvedMicroUsd: bigint | null;
	work: RecordedWork;
	/** A person ended it before it ever ran. */
	withdrawnAtMs: number | null;
	/** Checkpoints that it wrote: sent home when it runs in a cloud, GiB. */
	dataOutGiB: number;
}

/** Run time without waiting, over all attempts, and without what was lost between them, ms. `beforeMs`: done before the time. */
export type RecordedWork =
	| { kind: "recorded"; ms: number; beforeMs: number }
	/** It had not ended by the end. */
	| { kind: "so_far"; ms: number; beforeMs: number }
	/** It never ran. */
	| { kind: "unknown" };

export interface LaunchRecord {
	offerId: string;
	spot: boolean;
	intendedAtMs: number;
	/** null: it never came up. */
	launchedAtMs: number | null;
	endedAtMs: number | null;
	end: "interrupted" | "refused" | "other";
}

export interface HistoryTiming {
	/** From a launch to a running command: the median of those on record; null: none. */
	bootMs: number | null;
	/** From a launch to its refusal, the same. */
	refusalMs: number | null;
	/** What the live core expects from launch to a running command. */
	cloudStartMs: TimeSpread;
	cooldownMs: number;
}
