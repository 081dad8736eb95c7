import type { CachedSet } from "#server/agent/data-cache.ts";
import type { OutputFiles } from "#server/agent/output-files.ts";
import type { Offer } from "#server/domain/capacity.ts";
import type { ClusterNode } from "#server/domain/cluster-node.ts";
import type { ClusterWait } from "#server/domain/cluster-wait.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { DeliveredSecrets } from "#server/domain/job-secret.ts";
import type { Exit } from "#server/domain/outcome.ts";
import type { CapacityType, Provider } from "#server/domain/vocabulary.ts";
import type { ForeignObservation, ForeignQueue } from "./foreign-queue.ts";

/**
 * The two ports. A driver serves one site. Every call is idempotent by the given id, is safe to repeat after any error,
 * makes at most one quick retry and throws only DriverError. The suite in contract/ tests every driver against these rules.
 */

// --- owned clusters -------------------------------------------------------------------------------------------------

export interface ClusterDriver {
	readonly siteId: string;
	readonly provider: Provider;
	readonly capabilities: { multiNode: boolean; pushesChanges: boolean };

	/** The site's current nodes and attempts. */
	observe(): Promise<ClusterObservation>;

	/** Starts an attempt in the given slots. Idempotent by attemptId. Returns once the site has accepted it. */
	start(request: StartAttempt): Promise<void>;

	/**
	 * Stops an attempt: SIGTERM, `graceMs` for a checkpoint, then SIGKILL. Returns immediately; `observe` reports the end.
	 * Does nothing when the attempt is unknown or ended.
	 */
	stop(attemptId: string, graceMs: number): Promise<void>;

	/** Log lines of an attempt, starting at byte `offset` of each stream; empty when there are no new lines. */
	readLogs(attemptId: string, cursor: LogCursor, maxBytes: number): Promise<{ lines: LogLine[]; cursor: LogCursor }>;

	/** Folder on this host where the attempt saves checkpoints, or null when the site stores them itself. */
	checkpointFolder(attemptId: string): string | null;

	/**
	 * Files at a path of the attempt's work folder, readable on this host; null when the site keeps that folder elsewhere.
	 * @throws StagingError when the path is outside the work folder
	 */
	listOutput(attemptId: string, path: string): Promise<OutputFiles | null>;

	/** Fetched data that the site keeps for later attempts. Absent: it keeps none. */
	cachedData?(): Promise<CachedSet[]>;

	/** Lets the driver delete its data for an attempt with a recorded end. */
	forget(attemptId: string): Promise<void>;

	/** Calls back on every change, if capabilities.pushesChanges. Returns the unsubscribe function. */
	subscribe(onChange: () => void): () => void;

	/** Acts on jobs that Spillway did not submit; null: the site has no queue, or does not allow it. */
	readonly queue: ForeignQueue | null;

	/** Closes the connection. With stopJobs, first stops attempts with `graceMs` (host shutdown). */
	close(options: { stopJobs: boolean; graceMs: number }): Promise<void>;
}

export interface StartAttempt {
	attemptId: string;
	jobId: string;
	attemptNo: number;
	spec: JobSpec;
	poolId: string;
	/** Slot numbers, ascending; as many as the job has GPUs. */
	slots: number[];
	/** A committed checkpoint to restart from. */
	restoreFrom: string | null;
	/** Values of the job's secrets. The driver keeps them in private files or Secrets of the site until the attempt is forgotten. */
	secrets?: DeliveredSecrets;
}

export interface ClusterObservation {
	observedAtMs: number;
	pools: PoolObservation[];
	/** Every node with accelerators, including nodes out of service. If cheap to do, the same array until a new reading. */
	nodes: readonly ClusterNode[];
	/** Every attempt on the site, including ended attempts until they are forgotten. */
	attempts: AttemptObservation[];
	/** The site's own queue without Spillway's jobs; null: none, or not read yet. May be some seconds older than the rest. */
	foreign: ForeignObservation | null;
}

export interface PoolObservation {
	id: string;
	accelerator: string;
	nodes: number;
	gpusPerNode: number;
	unavailableSlots: number[];
	/** The members of `nodes` that do not exist yet and that the cluster would add for a job; undefined if there are none. */
	nodesToCome?: number;
	/** The cluster recently failed to add nodes on request, so nodes to come are unavailable for a while. */
	noneComes?: boolean;
}

export interface AttemptObservation {
	attemptId: string;
	phase: "staging" | "running" | "stopping" | "exited" | "lost";
	slots: number[];
	/** Why the site's own scheduler lets it wait. null if it is not waiting, no reason is reported, or the site has no scheduler. */
	clusterWait: ClusterWait | null;
	startedAtMs: number | null;
	finishedAtMs: number | null;
	/** For a lost attempt that never ran: the cluster accepted it and found no capacity. A sentence for users. */
	noRoom?: string;
	/**
	 * Set when exited. An attempt that never ran has `error`, a sentence for users, and `failedAt`: whether staging its data, pulling
	 * its image or starting its command failed.
	 */
	exit: Exit | null;
}

export interface LogLine {
	/** When the line was read, UTC ms. */
	atMs: number;
	stream: "stdout" | "stderr" | "spillway";
	text: string;
}
export type LogCursor = { stdout: number; stderr: number };

// --- clouds ---------------------------------------------------------------------------------------------------------

export interface CloudDriver {
	readonly siteId: string;
	readonly provider: Provider;
	readonly capabilities: { spot: boolean };

	/** Makes the cheapest call that proves access to the account. Throws `unauthorized` and similar errors. */
	check(): Promise<void>;

	/**
	 * Offers in the enabled regions at the provider's current prices. Offers without a price have microUsdPerHour null.
	 * Failing regions are omitted and listed in `failedRegions`.
	 */
	offers(): Promise<{ offers: OfferObservation[]; failedRegions: { region: string; message: string }[] }>;

	/**
	 * Launches one instance. The idempotency token is `instanceId`: a repeated call returns the same instance and never
	 * creates a second. Sets tags in the same call. Returns once the provider has assigned an id.
	 */
	launch(request: LaunchRequest): Promise<InstanceObservation>;

	/** The instances with these provider ids, in one region. Omits ids unknown to the provider. */
	describe(region: string, providerInstanceIds: string[]): Promise<InstanceObservation[]>;

	/** The instance launched with this token, or null when the provider lists none. Listings can lag. */
	findByToken(region: string, instanceId: string): Promise<InstanceObservation | null>;

	/**
	 * All instances with this control plane's tag, in every enabled region and state, across all pages.
	 * @param alsoIn regions that the site's settings may no longer include
	 */
	list(
		alsoIn?: readonly string[],
	): Promise<{ instances: InstanceObservation[]; sweptRegions: string[]; failedRegions: { region: string; message: string }[] }>;

	/** Returns once the provider accepts. Does nothing if the instance no longer exists. Only describe or list confirm the end. */
	terminate(region: string, providerInstanceId: string): Promise<void>;

	/** Stops machines that are kept ready, and starts them again. Absent: the driver cannot. */
	readonly power?: MachinePower;

	/** What gangs leave at the provider besides their machines. Absent: nothing. */
	readonly placements?: GangPlacements;

	close(): Promise<void>;
}

/**
 * For on-demand machines. A stopped one keeps its id, disk and address, and costs only its disk. Both calls return once the provider
 * accepts, do nothing in the wanted state, and throw `not_found` for a machine that no longer exists.
 */
export interface MachinePower {
	stop(region: string, providerInstanceId: string): Promise<void>;

	/** @throws DriverError `insufficient_capacity` or `quota_exceeded`: it stays stopped. `transient` also while it is still stopping. */
	start(region: string, providerInstanceId: string): Promise<void>;
}

/** Placement groups of gangs that need a high-bandwidth interconnect: created by `launch`, one for each attempt, and free of charge. */
export interface GangPlacements {
	/**
	 * Those of this control plane, in the site's regions. Omits regions that fail.
	 * @param alsoIn regions that the site's settings may no longer include
	 */
	list(alsoIn?: readonly string[]): Promise<GangPlacement[]>;

	/** Deletes one. Does nothing if it does not exist, or while machines in it have not terminated. */
	delete(placement: Pick<GangPlacement, "region" | "name">): Promise<void>;
}

export interface GangPlacement {
	region: string;
	/** The provider's name. */
	name: string;
	attemptId: string;
}

export type OfferObservation = Omit<Offer, "backoffUntilMs" | "backoffReason" | "egressMicroUsdPerGiB" | "gridGramsPerKwh" | "pue">;

export interface LaunchRequest {
	instanceId: string;
	jobId: string;
	attemptId: string;
	region: string;
	/** Null: the provider, or its driver, chooses one. */
	zone: string | null;
	/** Machines of the attempt; more than one form a gang in one zone. Undefined: 1. */
	nodes?: number;
	/** The hosts of a TPU slice by worker number, this one included: one call launches all of them. Absent: no slice. */
	hosts?: readonly SliceHost[];
	/** Several machines need a high-bandwidth network between them. Absent: any network. */
	interconnect?: "high" | undefined;
	instanceType: string;
	capacityType: Exclude<CapacityType, "owned">;
	/**
	 * The reservation to launch into, by the provider's name; null: the provider automatically matches machines of the type to
	 * open reservations.
	 */
	reservation?: string | null;
	/** The boot script; at most 16 kB. */
	userData: string;
	/** Also set as a tag: after this time anyone may terminate the machine. */
	expiresAtMs: number;
}

export interface SliceHost {
	instanceId: string;
	/** Its boot script. */
	userData: string;
}

export interface InstanceObservation {
	providerInstanceId: string;
	/** The machine's id in the provider's signed documents, if it differs from the instance id. */
	signedId?: string;
	/** From our tag; null on a machine that has the control plane's tag but not this one. */
	instanceId: string | null;
	region: string;
	zone: string | null;
	instanceType: string;
	capacityType: CapacityType;
	/** `stopped` machines still incur disk charges, so they are terminated like running ones, unless they are kept stopped. */
	state: "pending" | "running" | "stopping" | "stopped" | "terminated";
	launchedAtMs: number;
	billing: Billing;
	/** The provider's reason for the end, e.g. Server.SpotInstanceTermination. */
	stateReasonCode: string | null;
	privateAddress: string | null;
}

/**
 * Whether the provider bills the machine's time in the observed state, with the provider's times if reported. null: not reported,
 * so observation times apply. `endedBetween`: our own call ended billing, by our clock. `never`: creation failed.
 */
export type Billing =
	| { phase: "not_yet" }
	| { phase: "now"; fromMs: number | null }
	| { phase: "over"; fromMs: number | null; untilMs: number | null; endedBetween?: { askedMs: number; answeredMs: number } }
	| { phase: "never" };

/** Tag keys on every machine. `CONTROL_PLANE_TAG` holds the deployment's id, so that two Spillways never end each other's. */
export const CONTROL_PLANE_TAG = "spillway:control-plane";
export const INSTANCE_TAG = "spillway:instance";
export const JOB_TAG = "spillway:job";
export const EXPIRES_TAG = "spillway:expires-at";
