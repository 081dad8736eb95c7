import type {
	FirewallsClient,
	ImagesClient,
	InstancesClient,
	MachineTypesClient,
	RegionsClient,
	SubnetworksClient,
	ZoneOperationsClient,
	ZonesClient,
} from "@google-cloud/compute";

import type { ParsedGcpSettings } from "./settings.ts";

/** The parts of Google's SDK that the driver speaks through. */
export interface ComputeClients {
	instances: InstancesClient;
	operations: ZoneOperationsClient;
	zones: ZonesClient;
	regions: RegionsClient;
	machineTypes: MachineTypesClient;
	images: ImagesClient;
	subnetworks: SubnetworksClient;
	firewalls: FirewallsClient;
	close(): Promise<void>;
}

/**
 * Loads Google's SDK, which takes a second and 130 MB, so only a process with a Google site pays for it, at its first
 * call. Without credentials Google's own chain is asked: GOOGLE_APPLICATION_CREDENTIALS, gcloud's, the machine's account.
 * @throws Error when that chain has none
 */
export async function openComputeClients({
	endpoint,
	credentials,
}: Pick<ParsedGcpSettings, "endpoint" | "credentials">): Promise<ComputeClients> {
	const sdk = await import("@google-cloud/compute");
	// REST and not gRPC: Compute Engine has nothing else.
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
	};
	const all = Object.values(clients);
	// Here and not at the first call, where the SDK throws what it meets past its caller, which ends the process.
	await Promise.all(all.map((client) => client.initialize()));
	return {
		...clients,
		async close() {
			await Promise.all(all.map((client) => client.close()));
		},
	};
}

function addressOf(endpoint: string): { protocol: string; apiEndpoint: string; port: number; scopes: string[] } {
	const url = new URL(endpoint);
	const protocol = url.protocol.replace(":", "");
	// Without scopes a key file signs its own tokens; with them Google's token service would be asked, for an emulator too.
	return { protocol, apiEndpoint: url.hostname, port: Number(url.port || (protocol === "http" ? 80 : 443)), scopes: [] };
}
