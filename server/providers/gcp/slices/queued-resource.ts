import { z } from "zod";
import { type TpuSlice, tpuSliceOf } from "#server/domain/tpu-slice.ts";
import { defined } from "#server/kernel/assert.ts";
import type { Billing, InstanceObservation, LaunchRequest, SliceHost } from "../../driver.ts";
import { CONTROL_PLANE_LABEL, EXPIRES_LABEL, JOB_LABEL, lastPart, namePrefix, regionOfZone } from "../names.ts";
import type { ParsedGcpSettings } from "../settings.ts";
import { sliceHostId, sliceId } from "./slice-host-id.ts";
import { HOSTS_KEY, sliceMetadata } from "./slice-metadata.ts";

/** "TPU software versions": the image of each generation's hosts. */
const RUNTIMES: Readonly<Record<string, string>> = {
	"TPU-v5e": "v2-alpha-tpuv5-lite",
	"TPU-v5p": "v2-alpha-tpuv5",
	"TPU-v6e": "v2-alpha-tpuv6e",
};

/** The request is in Google's queue. Only then can it still fail for lack of capacity. */
const QUEUED = ["STATE_UNSPECIFIED", "CREATING", "ACCEPTED", "WAITING_FOR_RESOURCES"] as const;
const STATES = [...QUEUED, "PROVISIONING", "ACTIVE", "SUSPENDING", "SUSPENDED", "FAILED", "DELETING"] as const;

/** The fields of the TPU API's `Node` that are read. */
export const tpuNodeSchema = z.object({
	acceleratorType: z.string(),
	labels: z.record(z.string(), z.string()).default({}),
	metadata: z.record(z.string(), z.string()).default({}),
	state: z.string().default("STATE_UNSPECIFIED"),
	networkEndpoints: z.array(z.object({ ipAddress: z.string().optional() })).default([]),
});
export type TpuNode = z.output<typeof tpuNodeSchema>;

/** The same of a `QueuedResource` (TPU API v2). */
export const queuedResourceSchema = z.object({
	name: z.string().min(1),
	createTime: z.iso.datetime({ offset: true }).optional(),
	tpu: z.object({ nodeSpec: z.array(z.object({ nodeId: z.string().optional(), node: tpuNodeSchema })).min(1) }),
	spot: z.unknown().optional(),
	state: z
		.object({
			state: z.enum(STATES).default("STATE_UNSPECIFIED"),
			failedData: z.object({ error: z.object({ code: z.number().optional(), message: z.string().optional() }).optional() }).optional(),
		})
		.default({ state: "STATE_UNSPECIFIED" }),
});
export type QueuedResource = z.output<typeof queuedResourceSchema>;

/** Name of an attempt's slice. */
export function sliceName({ attemptId }: Pick<LaunchRequest, "attemptId">, controlPlane: string): string {
	return `${namePrefix(controlPlane)}${attemptId.replaceAll("_", "-")}`;
}

export function isQueued({ state: { state } }: QueuedResource): boolean {
	return (QUEUED as readonly string[]).includes(state);
}

/** The body of `queuedResources.create` for a slice, with the boot scripts of all its hosts. */
export function queuedResourceOf(
	request: LaunchRequest,
	place: { zone: string; slice: TpuSlice; hosts: readonly SliceHost[] },
	settings: ParsedGcpSettings,
) {
	const { zone, slice, hosts } = place;
	const { project, controlPlane, networkTags, serviceAccount, sshKeys, externalAddress, subnetworks } = settings;
	const subnetwork = subnetworks[regionOfZone(zone)];
	const name = sliceName(request, controlPlane);
	const reservation = request.capacityType === "reserved" ? request.reservation : null;
	return {
		tpu: {
			nodeSpec: [
				{
					parent: `projects/${project}/locations/${zone}`,
					nodeId: name,
					node: {
						acceleratorType: slice.acceleratorType,
						runtimeVersion: defined(RUNTIMES[slice.accelerator], `runtime of ${slice.accelerator}`),
						networkConfig: { ...(subnetwork === undefined ? { network: "default" } : { subnetwork }), enableExternalIps: externalAddress },
						...(serviceAccount !== undefined && {
							serviceAccount: { email: serviceAccount, scope: ["https://www.googleapis.com/auth/cloud-platform"] },
						}),
						...(networkTags.length > 0 && { tags: networkTags }),
						labels: {
							[CONTROL_PLANE_LABEL]: controlPlane,
							[JOB_LABEL]: request.jobId,
							[EXPIRES_LABEL]: String(Math.floor(request.expiresAtMs / 1_000)),
						},
						metadata: sliceMetadata(sliceId({ zone, name, acceleratorType: slice.acceleratorType }), hosts, sshKeys),
					},
				},
			],
		},
		...(request.capacityType === "spot" && { spot: {} }),
		...(reservation && {
			guaranteed: { reserved: true },
			reservationName: `projects/${project}/locations/${zone}/reservations/${reservation}`,
		}),
		queueingPolicy: { validUntilDuration: `${settings.tpuQueueSeconds}s` },
	};
}

/** Instance ids of the slice's hosts by worker number, as the launch wrote them. */
export function hostsOf({ tpu: { nodeSpec } }: QueuedResource): string[] {
	return nodeSpec[0]?.node.metadata[HOSTS_KEY]?.split(",") ?? [];
}

/** Whether the request is this control plane's. */
export function isOurs({ tpu: { nodeSpec } }: QueuedResource, controlPlane: string): boolean {
	return nodeSpec[0]?.node.labels[CONTROL_PLANE_LABEL] === controlPlane;
}

/**
 * The hosts of a slice as machines, by worker number.
 * @param node null: it does not exist
 */
export function observationsOf(resource: QueuedResource, node: TpuNode | null, zone: string): InstanceObservation[] {
	const name = lastPart(resource.name);
	const spec = resource.tpu.nodeSpec[0]?.node;
	const acceleratorType = spec?.acceleratorType ?? "";
	const isSpot = resource.spot !== undefined;
	const { state, billing } = stateOf(resource, node);
	const isEnding = state !== "pending" && state !== "running";
	const reason = node !== null && resource.state.state === "ACTIVE" ? node.state : resource.state.state;
	const slice = tpuSliceOf({ provider: "gcp", instanceType: acceleratorType });
	return Array.from({ length: slice?.hosts ?? 1 }, (_, worker) => ({
		providerInstanceId: sliceHostId({ zone, name, acceleratorType, worker }),
		instanceId: hostsOf(resource)[worker] ?? null,
		region: regionOfZone(zone),
		zone,
		instanceType: acceleratorType,
		capacityType: isSpot ? ("spot" as const) : ("on_demand" as const),
		state,
		launchedAtMs: resource.createTime === undefined ? 0 : Date.parse(resource.createTime),
		billing,
		stateReasonCode: isEnding ? `${isSpot ? "spot: " : ""}${reason}` : null,
		privateAddress: node?.networkEndpoints[worker]?.ipAddress ?? null,
	}));
}

/** Google bills a node while it is `READY` ("Cloud TPU pricing") and does not report when that began. */
function stateOf({ state: { state } }: QueuedResource, node: TpuNode | null): Pick<InstanceObservation, "state" | "billing"> {
	const over: Billing = { phase: "over", fromMs: null, untilMs: null };
	switch (state) {
		case "FAILED":
			return { state: "stopped", billing: { phase: "never" } };
		case "SUSPENDED":
			return { state: "stopped", billing: over };
		case "SUSPENDING":
		case "DELETING":
			return { state: "stopping", billing: over };
		case "ACTIVE":
			return nodeStateOf(node);
		default:
			return { state: "pending", billing: { phase: "not_yet" } };
	}
}

function nodeStateOf(node: TpuNode | null): Pick<InstanceObservation, "state" | "billing"> {
	const over: Billing = { phase: "over", fromMs: null, untilMs: null };
	switch (node?.state) {
		case "READY":
		case "REPAIRING":
		case "RESTARTING":
		case "REIMAGING":
			return { state: "running", billing: { phase: "now", fromMs: null } };
		case "CREATING":
		case "STARTING":
		case "STATE_UNSPECIFIED":
			return { state: "pending", billing: { phase: "not_yet" } };
		case undefined:
		case "DELETING":
		case "STOPPING":
			// The request was read before: it is SUSPENDING or SUSPENDED by now, which names the cause.
			return { state: "stopping", billing: over };
		default:
			return { state: "stopped", billing: over };
	}
}
