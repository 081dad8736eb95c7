import { plural } from "#server/domain/sentence-facts.ts";
import { type CheckStep, checkSteps, ifAllowed, type Look } from "../check-steps.ts";
import { endpointElsewhere } from "../cloud-endpoint.ts";
import { mountsField } from "../mounts-field.ts";
import { describeReach } from "../reach.ts";
import type { SiteKind, SitePlace } from "../site-kind.ts";
import { controlUrlStep } from "../way-back.ts";
import { ComputeCalls } from "./client.ts";
import { loadComputeSdk, openComputeClients } from "./compute-clients.ts";
import { GcpDriver } from "./driver.ts";
import { reachBetween } from "./gang-network.ts";
import { describeGpuSubnetworks } from "./gpu-subnetworks.ts";
import { gcpIdentity } from "./identity.ts";
import { lastPart } from "./names.ts";
import type { ChipPrice, ZoneRate } from "./offers.ts";
import { gcpCredentialsSchema, gcpSettingsSchema, type ParsedGcpSettings } from "./settings.ts";

/**
 * @param options.endpoint emulator endpoint for every Google site of this process
 * @param options.controlUrl the address that machines call
 */
export function gcpSiteKind(options: {
	listPrices: () => readonly ZoneRate[];
	listChips: () => readonly ChipPrice[];
	endpoint?: string | undefined;
	controlUrl: string;
}): SiteKind {
	const settings = gcpSettingsSchema.omit({ controlPlane: true, credentials: true });
	const parse = ({ settings: row, credentials, controlPlane }: SitePlace) =>
		gcpSettingsSchema.parse({
			...settings.parse(row),
			controlPlane,
			...(credentials === null ? {} : { credentials: gcpCredentialsSchema.parse(credentials) }),
			...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
		});
	return {
		provider: "gcp",
		title: "Google Cloud",
		owned: false,
		docs: "providers/gcp.md",
		settings,
		guarded: endpointElsewhere,
		// An endpoint on this host belongs to an emulator, which gets no real secrets.
		sentTo: () => null,
		credentials: gcpCredentialsSchema,
		withoutCredentials:
			"The Google SDK's default chain on Spillway's host: GOOGLE_APPLICATION_CREDENTIALS, gcloud, or the machine's service account.",
		fields: [
			{
				...{ name: "project", label: "Project", input: "text", required: true, placeholder: "acme-bursts-417" },
				hint: "Id (not number or name) of the project that is billed.",
			},
			{
				...{ name: "regions", label: "Regions", input: "lines", required: true, placeholder: "us-central1\neurope-west4" },
				hint: "One per line. Spillway launches instances and searches for orphans in all their zones.",
			},
			{
				...{ name: "image", label: "Machine image", input: "text", required: true },
				...{ placeholder: "projects/acme-bursts-417/global/images/family/training" },
				hint: "An image with the NVIDIA driver, or an image family (the newest is used).",
			},
			{
				...{ name: "subnetworks", label: "Subnetworks", input: "map", required: false },
				...{ placeholder: "us-central1 = regions/us-central1/subnetworks/gpu" },
				hint: 'By region. If empty, the network "default".',
			},
			{
				...{ name: "gpuSubnetworks", label: "GPU subnetworks", input: "lines", required: false },
				...{ placeholder: "regions/us-central1/subnetworks/gpu-1" },
				hint: "For jobs with interconnect: high on A3. One per line, each in its own VPC network: 4 in a region for a3-highgpu-8g, 8 for a3-megagpu-8g.",
			},
			{
				...{ name: "tpuZones", label: "TPU zones", input: "lines", required: false, placeholder: "us-east5-b" },
				hint: "One per line. Spillway launches TPU slices and searches for orphans there. Needs the API tpu.googleapis.com and the role roles/tpu.admin. If empty, no slices.",
			},
			{
				...{ name: "tpuQueueSeconds", label: "TPU queue time (s)", input: "json", required: false, placeholder: "300" },
				hint: "60 to 3,600: how long a slice may wait in Google's queue before the job looks elsewhere.",
			},
			{
				...{ name: "sshKeys", label: "SSH public keys", input: "lines", required: false, placeholder: "ann:ssh-ed25519 AAAA…" },
				hint: "One per line, as user:key. If empty, only the project's keys.",
			},
			{
				...{ name: "serviceAccount", label: "Service account of instances", input: "text", required: false },
				hint: "Email address. If empty, none.",
			},
			mountsField(
				{ type: "filestore", source: "10.0.0.2:/imagenet" },
				"The source is server:/path, or a folder of the image. It must be reachable from all regions.",
			),
		],
		credentialFields: [
			{
				...{ name: "keyFile", label: "Service account key", input: "key_file", required: true },
				hint: "The whole JSON file, stored encrypted and never shown again.",
			},
		],
		identity: gcpIdentity(options.endpoint),
		open: (place) => ({
			kind: "cloud",
			driver: new GcpDriver(place.siteId, { settings: parse(place), listPrices: options.listPrices, listChips: options.listChips }),
			loadSdk: loadComputeSdk,
		}),
		async *check(place) {
			const parsed = parse(place);
			const compute = new ComputeCalls(parsed, () => openComputeClients(parsed));
			try {
				yield* checkGcpSite(compute, parsed, options.listPrices());
				yield* checkSteps([controlUrlStep(options.controlUrl, parsed.endpoint)]);
			} finally {
				await compute.close();
			}
		},
	};
}

function checkGcpSite(compute: ComputeCalls, settings: ParsedGcpSettings, rates: readonly ZoneRate[]): AsyncGenerator<CheckStep> {
	const { project, regions, image, subnetworks } = settings;
	const zonesByRegion = async () => Map.groupBy(await compute.zones(), (zone) => lastPart(zone.region));
	const names = [...new Set(rates.map((rate) => rate.instanceType))].sort();
	return checkSteps([
		{
			...{ id: "identity", title: "Credentials", decisive: true },
			fix: "Check that the key's account has the role above, that the project id is right, and that compute.googleapis.com is enabled.",
			look: async () => `Google accepts the credentials. The project ${project} has ${plural((await compute.zones()).length, "zone")}.`,
		},
		{
			...{ id: "regions", title: "Regions", decisive: true },
			fix: "Correct the region's name, or remove it from the settings.",
			async look() {
				const known = await zonesByRegion();
				const missing = regions.filter((region) => !known.has(region));
				return missing.length > 0
					? { failed: `The project has no ${missing.join(", ")}. It has ${[...known.keys()].sort().join(", ")}.` }
					: regions.map((region) => `${region}: ${plural(known.get(region)?.length ?? 0, "zone")}`).join("; ");
			},
		},
		{
			...{ id: "image", title: "Machine image" },
			fix: "Correct the image's name, or share the image with the account (roles/compute.imageUser on its project).",
			look: () => describeExistence(compute.imageExists(image), image, "compute.images.get"),
		},
		{
			...{ id: "subnet", title: "Subnetworks" },
			fix: "Correct the subnetwork's name, or create it in that region.",
			async look() {
				const named = Object.entries(subnetworks).filter(([region]) => regions.includes(region));
				if (named.length === 0) return 'Not set: the network "default" is used.';
				for (const [, subnetwork] of named) {
					const found = await describeExistence(compute.subnetworkExists(subnetwork), subnetwork, "compute.subnetworks.get");
					if (typeof found !== "string") return found;
				}
				return `Found: ${named.map(([, subnetwork]) => subnetwork).join(", ")}.`;
			},
		},
		{
			...{ id: "gpu_subnets", title: "GPU subnetworks" },
			fix: "Create a VPC network and a subnetwork for each GPU interface, and list them in the site's gpuSubnetworks.",
			look: () => describeGpuSubnetworks(compute, settings),
		},
		{
			...{ id: "gang_network", title: "Network within a gang" },
			fix: "Add a firewall rule to the network that allows tcp and udp from the subnetwork's addresses, as default-allow-internal does. Single-node jobs do not need it.",
			async look() {
				const looks = regions.map(async (region) => {
					const name = `${subnetworks[region] ?? "the network default"} in ${region}`;
					const reach = await ifAllowed(async () => {
						const { network, ipCidrRange } = await compute.subnetwork(region, subnetworks[region]);
						return reachBetween(await compute.firewalls(network), { ...settings, ipCidrRange });
					});
					return { name, reach };
				});
				return describeReach(await Promise.all(looks), "compute.subnetworks.get and compute.firewalls.list");
			},
		},
		{
			...{ id: "permissions", title: "Permission to launch" },
			fix: "",
			look: async () => ({
				unknown: "Google has no dry run. If a permission is missing, the first launch is rejected, at no cost.",
				fix: "Compare the account's role with the one above.",
			}),
		},
		{
			...{ id: "quota", title: "GPU quotas" },
			fix: "Request quota (IAM & Admin > Quotas): NVIDIA_…_GPUS for on-demand, PREEMPTIBLE_NVIDIA_…_GPUS for spot. New projects have none.",
			look: () => describeQuotas(compute, regions),
		},
		{
			...{ id: "offers", title: "Machines" },
			fix: "Choose a region with GPU machine types, see cloud.google.com/compute/docs/gpus/gpu-regions-zones.",
			async look() {
				const known = await zonesByRegion();
				const sold = await Promise.all(
					regions.map(async (region) => {
						const types = await Promise.all((known.get(region) ?? []).map((zone) => compute.machineTypes(zone.name, names)));
						return { region, types: new Set(types.flat().map((type) => type.name)).size };
					}),
				);
				if (sold.every(({ types }) => types === 0))
					return { failed: `No machine type that Spillway supports is sold in ${regions.join(", ")}.` };
				return sold.map(({ region, types }) => `${region}: ${types} machine types`).join("; ");
			},
		},
	]);
}

async function describeQuotas(compute: Pick<ComputeCalls, "gpuQuotas">, regions: readonly string[]): ReturnType<Look> {
	const all = await Promise.all(regions.map(async (region) => ({ region, quotas: await compute.gpuQuotas(region) })));
	if (all.some(({ quotas }) => quotas === null || quotas.length === 0))
		return {
			unknown: "Google did not report GPU quotas.",
			fix: "Allow compute.regions.get so that Spillway can check them before a launch.",
		};
	const open = all.map(({ region, quotas }) => ({ region, some: (quotas ?? []).filter((q) => q.limit > 0) }));
	const none = open.filter(({ some }) => some.length === 0).map(({ region }) => region);
	if (none.length === open.length) return { failed: `Every GPU quota is 0 in ${none.join(", ")}.` };
	return open
		.map(({ region, some }) => `${region}: ${some.map((q) => `${q.metric} ${q.usage} of ${q.limit}`).join(", ") || "none"}`)
		.join("; ");
}

async function describeExistence(exists: Promise<boolean | null>, what: string, right: string) {
	const there = await exists;
	if (there === null)
		return {
			unknown: `The account has no permission to read ${what}.`,
			fix: `Allow ${right} so that Spillway can check it before a launch.`,
		};
	return there ? `Found: ${what}.` : { failed: `Google has no ${what}.` };
}
