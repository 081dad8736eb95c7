import { z } from "zod";

const timeMs = z.int().min(0);
const tags = z.record(z.string(), z.string());

const INSTANCE_STATES = ["pending", "running", "shutting-down", "terminated", "stopping", "stopped"] as const;
export type InstanceState = (typeof INSTANCE_STATES)[number];

const spotSchema = z.strictObject({
	requestId: z.string(),
	maxPriceUsd: z.string().nullable(),
	tags,
	statusCode: z.enum([
		"fulfilled",
		"marked-for-termination",
		"instance-terminated-no-capacity",
		"instance-terminated-by-user",
		"instance-terminated-by-service",
	]),
	statusAtMs: timeMs,
});

const instanceSchema = z.strictObject({
	instanceId: z.string(),
	/** Position in the order of all launches; lists are paged by it. */
	ordinal: z.int().min(0),
	zone: z.string(),
	subnetId: z.string(),
	amiLaunchIndex: z.int().min(0),
	state: z.enum(INSTANCE_STATES),
	launchedAtMs: timeMs,
	/** When a pending instance starts to run. */
	bootDueAtMs: timeMs,
	/** When it did. */
	runningAtMs: timeMs.nullable(),
	/** When it left `running` (or `pending`); running time ends here. */
	endingAtMs: timeMs.nullable(),
	/** Not terminated or stopped before this. */
	endDueAtMs: timeMs.nullable(),
	endedAtMs: timeMs.nullable(),
	/** Unseen by every call before this. */
	visibleFromMs: timeMs,
	vanishAtMs: timeMs.nullable(),
	vanished: z.boolean(),
	stateReason: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
	stateTransitionReason: z.string(),
	notice: z.strictObject({ atMs: timeMs, terminateAtMs: timeMs }).nullable(),
	spot: spotSchema.nullable(),
	tags,
	/** The unguessable part of the metadata address; also the mark by which the machine's processes are known. */
	metadataSecret: z.string(),
	/** The process that executes the user-data; `started` names that process among all that had its number. */
	guest: z.strictObject({ pid: z.int().min(2), started: z.string().nullable() }).nullable(),
});

export const reservationSchema = z.strictObject({
	reservationId: z.string(),
	region: z.string(),
	clientToken: z.string(),
	/** Of the request's parameters: the same token with another one is a mismatch. */
	fingerprint: z.string(),
	instanceType: z.string(),
	imageId: z.string(),
	keyName: z.string().nullable(),
	securityGroupIds: z.array(z.string()),
	/** As it was sent, in base64. */
	userData: z.string(),
	shutdownBehaviour: z.enum(["stop", "terminate"]),
	instances: z.array(instanceSchema),
});

export type InstanceRecord = z.infer<typeof instanceSchema>;
export type Reservation = z.infer<typeof reservationSchema>;

/** An instance with the launch it came from. */
export interface Machine {
	reservation: Reservation;
	instance: InstanceRecord;
}

export function isOver(state: InstanceState): boolean {
	return state === "terminated";
}

/** Whether the machine's processes may live. */
export function isAlive(state: InstanceState): boolean {
	return state !== "terminated" && state !== "stopped";
}
