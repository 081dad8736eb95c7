import type { Offer, Placement } from "#server/domain/capacity.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { Reason } from "#server/domain/reasons.ts";
import type { AttemptState, HoldState, InstanceState, JobState } from "#server/domain/states.ts";
import type { MoveTarget } from "#server/scheduling/types.ts";

/** The rows that a run produces: the same facts as the tables of server/db/schema, times in UTC ms. */

/** What a job's command really does; invisible to the simulated control plane. */
export interface Work {
	/** Run time from start to end, ms. */
	totalMs: number;
	/** Time to copy its data in at each start, ms. */
	stagingMs: number;
	/** It fails after this much run time. */
	fails: { afterMs: number; exitCode: number | null; signal: string | null } | null;
	/** A person cancels it this long after submitting. */
	cancelAfterMs: number | null;
	/** Who cancels it. */
	submittedBy: string;
}

export interface JobRecord {
	id: string;
	spec: JobSpec;
	work: Work;
	state: JobState;
	reason: Reason;
	placement: Placement | null;
	attempts: number;
	submittedAtMs: number;
	pendingSinceMs: number;
	startedAtMs: number | null;
	finishedAtMs: number | null;
	cancelRequestedAtMs: number | null;
	/** Run time saved in a checkpoint, ms. */
	completedMs: number;
	/** Offers that this job avoids, each until a time. */
	avoidOffers: { offerId: string; untilMs: number }[];
}

export interface AttemptRecord {
	id: string;
	jobId: string;
	number: number;
	state: AttemptState;
	placement: Placement;
	gpus: number;
	slots: number[];
	createdAtMs: number;
	handedOverAtMs: number | null;
	stagingAtMs: number | null;
	startedAtMs: number | null;
	stopRequestedAtMs: number | null;
	stopReason: Reason | null;
	/** Where its job continues, if it was asked to end for that, and why. */
	move: { to: MoveTarget; atMs: number; reason: Reason } | null;
	finishedAtMs: number | null;
	reason: Reason | null;
	exitCode: number | null;
	exitSignal: string | null;
	/** Of its job at placement. */
	completedBeforeMs: number;
	instanceId: string | null;
}

export interface InstanceRecord {
	id: string;
	jobId: string;
	attemptId: string;
	offer: Offer;
	microUsdPerHour: bigint;
	state: InstanceState;
	providerInstanceId: string | null;
	intendedAtMs: number;
	requestedAtMs: number | null;
	lastCallAtMs: number | null;
	calls: number;
	lastError: string | null;
	launchedAtMs: number | null;
	readyAtMs: number | null;
	interruptionAtMs: number | null;
	terminatingAtMs: number | null;
	terminateCalls: number;
	lastTerminateCallAtMs: number | null;
	terminatedAtMs: number | null;
	lastSeenAtMs: number | null;
	reason: Reason | null;
	expiresAtMs: number;
	meteredUntilMs: number | null;
	costMicroUsd: bigint;
}

export interface AllocationRecord {
	id: string;
	attemptId: string;
	jobId: string;
	siteId: string;
	poolId: string;
	slots: number[];
	microUsdPerGpuHour: bigint;
	startedAtMs: number;
	endedAtMs: number | null;
}

export interface HoldRecord {
	instanceId: string;
	amountMicroUsd: bigint;
	postedMicroUsd: bigint;
	state: HoldState;
	budgets: { budgetId: string; periodKey: string }[];
	createdAtMs: number;
	closedAtMs: number | null;
}
