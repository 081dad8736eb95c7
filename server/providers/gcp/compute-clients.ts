import type {
	FirewallsClient,
	ImagesClient,
	InstancesClient,
	MachineTypesClient,
	RegionsClient,
	ResourcePoliciesClient,
	SubnetworksClient,
	ZoneOperationsClient,
	ZonesClient,
} from "@google-cloud/compute";

import type { ParsedGcpSettings } from "./settings.ts";

/** The parts of Google's SDK that the driver uses. */
export interface ComputeClients {
	instances: InstancesClient;
	operations: ZoneOperationsClient;
	zones: ZonesClient;
	regions: RegionsClient;
	machineTypes: MachineTypesClient;
	images: ImagesClient;
	subnetworks: SubnetworksClient;
	firewalls: FirewallsClient;
	resourcePolicies: ResourcePoliciesClient;
	/** Headers that authenticate a call of another Google API. */
	headersFor(url: URL): Promise<Headers>;
	close(): Promise<void>;
}

/**
 * Loads Google's SDK. It takes a second and 200 MB, so only a process with a Google site loads it, at its first call. Without
 * credentials, Google's default chain applies: GOOGLE_APPLICATION_CREDENTIALS, gcloud's, the machine's account.
 * @throws Error if that chain has none
 */
export async function openComputeClients({
	endpoint,
	credentials,
}: Pick<ParsedGcpSettings, "endpoint" | "credentials">): Promise<ComputeClients> {
	const sdk = await loadServices();
	// REST instead of gRPC: Compute Engine supports nothing else.
	const options = {
		fallback: true,
		...(endpoint === undefined ? {} : addressOf(endpoint)),
		...(credentials === undefined ? {} : { credentials }),
	};
	const clients = {
		instances: new sdk.InstancesClient(options),
		operations: new sdk.ZoneOperationsClient(options),
		zones: new sdk.ZonesClient(options),
		regions: new sdk.RegionsClient(options),
		machineTypes: new sdk.MachineTypesClient(options),
		images: new sdk.ImagesClient(options),
		subnetworks: new sdk.SubnetworksClient(options),
		firewalls: new sdk.FirewallsClient(options),
		resourcePolicies: new sdk.ResourcePoliciesClient(options),
	};
	const all = Object.values(clients);
	// Authenticates here and not at the first call, where the SDK throws outside its caller and ends the process.
	await Promise.all(all.map((client) => client.initialize()));
	return {
		...clients,
		headersFor: async (url) => new Headers(await clients.zones.auth.getRequestHeaders(url)),
		async close() {
			await Promise.all(all.map((client) => client.close()));
		},
	};
}

/**
 * Loads Google's library, and its description of all services, which takes most of the time. Clients that are opened later take
 * tens of milliseconds.
 */
export async function loadComputeSdk(): Promise<void> {
	const { ZonesClient } = await loadServices();
	await new ZonesClient({ fallback: true }).close();
}

/** Loads each service by itself: the whole package takes another second. */
async function loadServices() {
	const [instances, operations, zones, regions, machineTypes, images, subnetworks, firewalls, resourcePolicies] = await Promise.all([
		import("@google-cloud/compute/build/src/v1/instances_client.js"),
		import("@google-cloud/compute/build/src/v1/zone_operations_client.js"),
		import("@google-cloud/compute/build/src/v1/zones_client.js"),
		import("@google-cloud/compute/build/src/v1/regions_client.js"),
		import("@google-cloud/compute/build/src/v1/machine_types_client.js"),
		import("@google-cloud/compute/build/src/v1/images_client.js"),
		import("@google-cloud/compute/build/src/v1/subnetworks_client.js"),
		import("@google-cloud/compute/build/src/v1/firewalls_client.js"),
		import("@google-cloud/compute/build/src/v1/resource_policies_client.js"),
	]);
	return {
		...{ ...instances, ...operations, ...zones, ...regions, ...machineTypes, ...images, ...subnetworks, ...firewalls },
		...resourcePolicies,
	};
}

function addressOf(endpoint: string): { protocol: string; apiEndpoint: string; port: number; scopes: string[] } {
	const url = new URL(endpoint);
	const protocol = url.protocol.replace(":", "");
	// Without scopes, a key file signs its own tokens. With scopes, the SDK would call Google's token service, even for an emulator.
	return { protocol, apiEndpoint: url.hostname, port: Number(url.port || (protocol === "http" ? 80 : 443)), scopes: [] };
}
