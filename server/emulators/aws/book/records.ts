import { z } from "zod";
import { machineRecordSchema } from "../../shared/machine-record.ts";

const timeMs = z.int().min(0);
const tags = z.record(z.string(), z.string());

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

const instanceSchema = machineRecordSchema.extend({
	zone: z.string(),
	subnetId: z.string(),
	amiLaunchIndex: z.int().min(0),
	stateTransitionReason: z.string(),
	spot: spotSchema.nullable(),
	tags,
});

export const reservationSchema = z.strictObject({
	reservationId: z.string(),
	region: z.string(),
	clientToken: z.string(),
	/** Hash of the request's parameters. The same token with a different hash is a mismatch. */
	fingerprint: z.string(),
	instanceType: z.string(),
	imageId: z.string(),
	keyName: z.string().nullable(),
	/** As the launch maps it; null: the image's default. */
	rootDisk: z
		.strictObject({ type: z.string(), gib: z.int().min(1) })
		.nullable()
		.default(null),
	/** The reservation that it was launched into. */
	capacityReservation: z.strictObject({ id: z.string(), isBlock: z.boolean() }).nullable().default(null),
	/** Name of its placement group; null: none. */
	placementGroup: z.string().nullable().default(null),
	securityGroupIds: z.array(z.string()),
	/** As received, in base64. */
	userData: z.string(),
	shutdownBehaviour: z.enum(["stop", "terminate"]),
	instances: z.array(instanceSchema),
});

export type InstanceRecord = z.infer<typeof instanceSchema>;
export type Reservation = z.infer<typeof reservationSchema>;

/** An instance with its launch. */
export interface Machine {
	reservation: Reservation;
	instance: InstanceRecord;
}
