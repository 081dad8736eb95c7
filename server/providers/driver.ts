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
 * The two ports. A driver speaks to one site. Every call is idempotent by the id it is given, may be made again after
 * any error, never retries for long by itself (one quick retry at most) and throws only DriverError.
 * The suite in contract/ holds every driver to what is written here.
 */

// --- owned clusters -------------------------------------------------------------------------------------------------

export interface ClusterDriver {
	readonly siteId: string;
	readonly provider: Provider;
	readonly capabilities: { multiNode: boolean; pushesChanges: boolean };

	/** What the site has and runs now. */
	observe(): Promise<ClusterObservation>;

	/** Starts an attempt in the given slots. The same attemptId twice starts one process. Returns when it was handed over. */
	start(request: StartAttempt): Promise<void>;

	/**
	 * Asks an attempt to end: SIGTERM, `graceMs` for a checkpoint, then SIGKILL. Returns at once; the end is seen by
	 * `observe`. Silent when the attempt is unknown or over.
	 */
	stop(attemptId: string, graceMs: number): Promise<void>;

	/** Log lines of an attempt from byte `offset` of each stream on; empty when nothing is new. */
	readLogs(attemptId: string, cursor: LogCursor, maxBytes: number): Promise<{ lines: LogLine[]; cursor: LogCursor }>;

	/** Folder on this host in which the attempt leaves its checkpoints, or null when the site keeps them itself. */
	checkpointFolder(attemptId: string): string | null;

	/**
	 * What an attempt left at a path of its work folder, readable on this host; null when the site keeps that folder elsewhere.
	 * @throws StagingError when the path leads out of the work folder
	 */
	listOutput(attemptId: string, path: string): Promise<OutputFiles | null>;

	/** The attempt's end is recorded: what the driver kept for it may go. */
	forget(attemptId: string): Promise<void>;

	/** Calls back whenever something changed, when capabilities.pushesChanges. Returns the way to stop it. */
	subscribe(onChange: () => void): () => void;

	/** Acts on jobs that Spillway did not submit; null: this site has no own queue, or does not allow it. */
	readonly queue: ForeignQueue | null;

	/** Ends the connection. With stopJobs, attempts are stopped with `graceMs` first (the host goes down). */
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
	/** A committed checkpoint to begin from. */
	restoreFrom: string | null;
	/** Values of the job's secrets. A driver keeps them in private files or Secrets of the site, until the attempt is forgotten. */
	secrets?: DeliveredSecrets;
}

export interface ClusterObservation {
	observedAtMs: number;
	pools: PoolObservation[];
	/**
	 * Every node with accelerators, those that are out of service included. The same array while nothing was read again, where that
	 * is cheap.
	 */
	nodes: readonly ClusterNode[];
	/** Every attempt the site still knows, those that ended included until they are forgotten. */
	attempts: AttemptObservation[];
	/** The site's own queue without what Spillway submitted; null: it has none, or it was not read yet. It may be some seconds older. */
	foreign: ForeignObservation | null;
}

export interface PoolObservation {
	id: string;
	accelerator: string;
	nodes: number;
	gpusPerNode: number;
	unavailableSlots: number[];
	/** Of `nodes`, those that are not there now, and that the cluster would add for a job; none without it. */
	nodesToCome?: number;
	/** Lately the cluster added none, though it was asked: those to come are unavailable for a while. */
	noneComes?: boolean;
}

export interface AttemptObservation {
	attemptId: string;
	phase: "staging" | "running" | "stopping" | "exited" | "lost";
	slots: number[];
	/** Why the site's own scheduler lets it wait, while it does; null: it does not, says nothing, or the site has none. */
	clusterWait: ClusterWait | null;
	startedAtMs: number | null;
	finishedAtMs: number | null;
	/** Of a lost one that never ran: the cluster had taken it in, and found no room for it. A sentence for people. */
	noRoom?: string;
	/**
	 * Set when exited. What never ran has `error`, a sentence for people, and `failedAt`: whether its data could not be
	 * staged, its image not be fetched or its command not be started.
	 */
	exit: Exit | null;
}

export interface LogLine {
	/** UTC ms at which the line was read. */
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

	/** Asks the cheapest question that proves that the account answers. Throws `unauthorized` and the like. */
	check(): Promise<void>;

	/**
	 * What can be bought in the enabled regions, prices as the provider says now. Offers without a price have
	 * microUsdPerHour null. As much as could be had: a failing region is left out and named in `failedRegions`.
	 */
	offers(): Promise<{ offers: OfferObservation[]; failedRegions: { region: string; message: string }[] }>;

	/**
	 * Asks for one instance. The token is `instanceId`: the same call again answers the same instance and never makes a
	 * second. Tags are set in the same call. Returns as soon as the provider gave an id.
	 */
	launch(request: LaunchRequest): Promise<InstanceObservation>;

	/** The instances of these provider ids, in one region. An id that the provider does not know is left out. */
	describe(region: string, providerInstanceIds: string[]): Promise<InstanceObservation[]>;

	/** The instance that was made with this token, or null when the provider shows none (yet: listings lag). */
	findByToken(region: string, instanceId: string): Promise<InstanceObservation | null>;

	/**
	 * Everything that carries this control plane's tag, in every enabled region, all pages, whatever its state.
	 * @param alsoIn regions that the site's settings may name no more
	 */
	list(
		alsoIn?: readonly string[],
	): Promise<{ instances: InstanceObservation[]; sweptRegions: string[]; failedRegions: { region: string; message: string }[] }>;

	/** Returns when the provider accepted. Silent when it no longer exists already. Seen to be over only by describe or list. */
	terminate(region: string, providerInstanceId: string): Promise<void>;

	close(): Promise<void>;
}

export type OfferObservation = Omit<Offer, "backoffUntilMs" | "backoffReason" | "egressMicroUsdPerGiB" | "gridGramsPerKwh" | "pue">;

export interface LaunchRequest {
	instanceId: string;
	jobId: string;
	attemptId: string;
	region: string;
	/** Null: the provider, or its driver, chooses one. */
	zone: string | null;
	/** Machines of the attempt; several are a gang in one zone. Absent: 1. */
	nodes?: number;
	instanceType: string;
	capacityType: Exclude<CapacityType, "owned">;
	/**
	 * Reserved capacity that the machine must be launched into, by the provider's own name; null: the provider puts a machine of the
	 * type into what is open by itself.
	 */
	reservation?: string | null;
	/** The script that the machine executes at boot; at most 16 kB. */
	userData: string;
	/** Written as a tag too: after this time anybody may end the machine. */
	expiresAtMs: number;
}

export interface InstanceObservation {
	providerInstanceId: string;
	/** By which the provider's signed documents name the machine, where they do so by another number than its id. */
	signedId?: string;
	/** From our tag; null on a machine that has the control plane's tag but not this one. */
	instanceId: string | null;
	region: string;
	zone: string | null;
	instanceType: string;
	capacityType: CapacityType;
	/** `stopped` still costs disks: it is ended like a running one. */
	state: "pending" | "running" | "stopping" | "stopped" | "terminated";
	launchedAtMs: number;
	billing: Billing;
	/** The provider's word for why it ended, e.g. Server.SpotInstanceTermination. */
	stateReasonCode: string | null;
	privateAddress: string | null;
}

/**
 * Whether the provider bills the machine's time, by the observed state, with its own times where it reports them.
 * Null: it does not; then the times of observation count. `endedBetween`: our own call ended it, by our clock, where that is
 * the end of its billing. `never`: it failed while it was made.
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
