import { z } from "zod";
import type { InstanceRecord } from "../book/records.ts";
import type { ZoneType } from "../catalog.ts";
import { invalidField, notEmulated } from "../gce-error.ts";
import { checkInterfaces, readPlacementPolicy } from "../placement-rules.ts";
import type { World } from "../world.ts";

const MAX_METADATA_VALUE_BYTES = 256 * 1024;
const MAX_LABELS = 64;
/** Google's limits: a machine may run for 30 seconds to 120 days. */
const RUN_SECONDS = { min: 30, max: 120 * 86_400 };
const NAME = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const LABEL_KEY = /^[a-z][-_a-z0-9]{0,62}$/;
const LABEL_VALUE = /^[-_a-z0-9]{0,63}$/;

/** The supported fields of a launch. The network, the disk and the identity of an emulated machine are this host's. */
const HONOURED = new Set([
	...["name", "description", "machineType", "labels", "disks", "networkInterfaces"],
	...["scheduling", "metadata", "tags", "serviceAccounts", "resourcePolicies"],
	// Accepted without effect: there are no reservations here.
	"reservationAffinity",
]);
const HONOURED_SCHEDULING = new Set([
	...["provisioningModel", "onHostMaintenance", "automaticRestart", "preemptible"],
	...["terminationTime", "maxRunDuration", "instanceTerminationAction"],
]);

/** The request was already checked against Google's definition, so the fields read here have the right types. */
const resourceSchema = z.looseObject({
	name: z.string().optional(),
	machineType: z.string().optional(),
	labels: z.record(z.string(), z.string()).default({}),
	disks: z
		.array(
			z.looseObject({
				boot: z.boolean().optional(),
				initializeParams: z.looseObject({ sourceImage: z.string().optional(), diskType: z.string().optional() }).optional(),
			}),
		)
		.default([]),
	networkInterfaces: z
		.array(z.looseObject({ nicType: z.string().optional(), network: z.string().optional(), subnetwork: z.string().optional() }))
		.default([]),
	resourcePolicies: z.array(z.string()).default([]),
	scheduling: z
		.looseObject({
			provisioningModel: z.string().optional(),
			onHostMaintenance: z.string().optional(),
			terminationTime: z.string().optional(),
			maxRunDuration: z.looseObject({ seconds: z.string().optional() }).optional(),
			instanceTerminationAction: z.string().optional(),
		})
		.default({}),
	metadata: z
		.looseObject({ items: z.array(z.looseObject({ key: z.string(), value: z.string().default("") })).default([]) })
		.default({ items: [] }),
});
type Resource = z.output<typeof resourceSchema>;

export type Launch = Pick<
	InstanceRecord,
	"name" | "machineType" | "spot" | "labels" | "attributes" | "termination" | "placementPolicy" | "resource"
>;

/**
 * Parses a launch request.
 * @throws GceError for requests that Google would reject, and for features that this endpoint does not support
 */
export function readInstance(world: World, zone: string, body: Record<string, unknown>): Launch {
	for (const field of Object.keys(body)) if (!HONOURED.has(field)) throw notEmulated(`the field ${field} of a launch`);
	const resource = resourceSchema.parse(body);
	const { name = "", labels, scheduling } = resource;
	if (!NAME.test(name)) throw invalidField("resource.name", name, `Must be a match of regex '${NAME.source}'`);
	checkLabels(labels);
	const { type, machineType } = readMachineType(world, zone, resource.machineType ?? "");
	const boot = resource.disks.find((disk) => disk.boot);
	if (!boot?.initializeParams?.sourceImage)
		throw invalidField("resource.disks", "", "At least one boot disk with a source image is required.");
	checkDiskType(machineType, boot.initializeParams.diskType ?? "");
	if (resource.networkInterfaces.length === 0) {
		throw invalidField("resource.networkInterfaces", "", "At least one network interface is required.");
	}
	checkInterfaces(machineType, resource.networkInterfaces);
	for (const field of Object.keys(scheduling)) if (!HONOURED_SCHEDULING.has(field)) throw notEmulated(`scheduling.${field}`);
	if (type.entry.gpus > 0 && scheduling.onHostMaintenance !== "TERMINATE") {
		throw invalidField(
			"resource.scheduling.onHostMaintenance",
			"MIGRATE",
			"Instances with guest accelerators do not support live migration.",
		);
	}
	const spot = scheduling.provisioningModel === "SPOT";
	return {
		name,
		machineType,
		spot,
		labels,
		attributes: readMetadata(resource),
		termination: readTermination(world, scheduling),
		placementPolicy: readPlacementPolicy(world, zone, machineType, resource.resourcePolicies),
		resource: body,
	};
}

/** Source: Google Cloud, "Attach durable block storage to a TPU VM". */
const DISKS_OF_TPUS: readonly (readonly [series: string, types: readonly string[]])[] = [
	["ct5p-", ["pd-balanced"]],
	["ct6e-", ["hyperdisk-balanced", "hyperdisk-ml"]],
];

function checkDiskType(machineType: string, url: string): void {
	const taken = DISKS_OF_TPUS.find(([series]) => machineType.startsWith(series))?.[1];
	const type = url.slice(url.lastIndexOf("/") + 1);
	if (taken && !taken.includes(type)) {
		throw invalidField("resource.disks[0].initializeParams.diskType", url, `[${type}] features are not compatible for creating instance.`);
	}
}

function checkLabels(labels: Record<string, string>): void {
	if (Object.keys(labels).length > MAX_LABELS) throw invalidField("resource.labels", "", `At most ${MAX_LABELS} labels.`);
	for (const [key, value] of Object.entries(labels)) {
		if (!LABEL_KEY.test(key)) throw invalidField("resource.labels", key, "Label keys must match the regex '[a-z][-_a-z0-9]{0,62}'.");
		if (!LABEL_VALUE.test(value)) throw invalidField("resource.labels", value, "Label values must match the regex '[-_a-z0-9]{0,63}'.");
	}
}

function readMachineType(world: World, zone: string, url: string): { type: ZoneType; machineType: string } {
	const [, urlZone, machineType = ""] = /(?:^|\/)zones\/([^/]+)\/machineTypes\/([^/]+)$/.exec(url) ?? [];
	const type = world.catalog.type(zone, machineType);
	if (type && urlZone === zone) return { type, machineType };
	throw invalidField("resource.machineType", url, `Machine type with name '${machineType}' does not exist in zone '${zone}'.`);
}

function readMetadata({ metadata }: Resource): Record<string, string> {
	const attributes: Record<string, string> = {};
	for (const { key, value } of metadata.items) {
		if (Buffer.byteLength(value) > MAX_METADATA_VALUE_BYTES) {
			throw invalidField(`resource.metadata[${key}]`, "", `Value is too large: maximum size ${MAX_METADATA_VALUE_BYTES} bytes.`);
		}
		if (attributes[key] !== undefined) throw invalidField("resource.metadata", key, "Metadata has duplicate keys.");
		attributes[key] = value;
	}
	return attributes;
}

function readTermination(world: World, scheduling: Resource["scheduling"]): Launch["termination"] {
	const { terminationTime, maxRunDuration, instanceTerminationAction: action } = scheduling;
	if (terminationTime === undefined && maxRunDuration === undefined) {
		if (action === undefined || scheduling.provisioningModel === "SPOT") return null;
		throw invalidField(
			"resource.scheduling.instanceTerminationAction",
			action,
			"Only spot machines and those with a limited run time have one.",
		);
	}
	if (terminationTime !== undefined && maxRunDuration !== undefined) {
		throw invalidField("resource.scheduling", "", "terminationTime and maxRunDuration cannot both be set.");
	}
	if (action !== "DELETE" && action !== "STOP") {
		throw invalidField("resource.scheduling.instanceTerminationAction", action, "A limited run time needs DELETE or STOP.");
	}
	const nowMs = world.options.clock();
	const atMs = terminationTime === undefined ? nowMs + Number(maxRunDuration?.seconds) * 1_000 : Date.parse(terminationTime);
	const seconds = (atMs - nowMs) / 1_000;
	if (!(seconds >= RUN_SECONDS.min && seconds <= RUN_SECONDS.max)) {
		throw invalidField(
			"resource.scheduling",
			terminationTime ?? maxRunDuration?.seconds,
			"The run time must be between 30 seconds and 120 days.",
		);
	}
	return { atMs: Math.floor(atMs), action };
}
