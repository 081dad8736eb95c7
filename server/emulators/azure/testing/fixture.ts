import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ComputeManagementClient, type VirtualMachine } from "@azure/arm-compute";
import type { CatalogEntry } from "../../shared/catalog-entry.ts";
import { type AzureEmulator, startAzureEmulator } from "../emulator.ts";
import { type AzureEmulatorOptions, EMULATED_RESOURCE_GROUP, EMULATED_SUBSCRIPTION, EMULATED_TOKEN } from "../options.ts";

const T4 = { vcpus: 4, memoryGiB: 28, gpus: 1, gpuModel: "T4-16GB" };

/** Invented prices. No test depends on what a machine really costs. */
export const FIXTURE_CATALOG: readonly CatalogEntry[] = [
	{
		instanceType: "Standard_NC4as_T4_v3",
		...T4,
		regions: [
			{
				region: "eastus",
				onDemandMicroUsdPerHour: 526_000n,
				zones: [
					{ zone: "eastus-1", spotMicroUsdPerHour: 200_000n },
					{ zone: "eastus-2", spotMicroUsdPerHour: 200_000n },
				],
			},
			{ region: "northcentralus", onDemandMicroUsdPerHour: 526_000n, zones: [{ zone: "northcentralus", spotMicroUsdPerHour: null }] },
		],
	},
	{
		instanceType: "Standard_ND96isr_H100_v5",
		vcpus: 96,
		memoryGiB: 1900,
		gpus: 8,
		gpuModel: "H100-80GB",
		regions: [{ region: "eastus", onDemandMicroUsdPerHour: 98_320_000n, zones: [{ zone: "eastus-1", spotMicroUsdPerHour: null }] }],
	},
];

export interface TestEmulator extends AzureEmulator {
	stateDir: string;
	/** Without the SDK's retries, so that each fault appears once. */
	client(token?: string): ComputeManagementClient;
	/** Ends the machines and removes the folder. */
	dispose(): Promise<void>;
}

/** Starts an emulator on a free port with short delays; machines boot immediately. */
export async function startTestEmulator(options: Partial<AzureEmulatorOptions> = {}): Promise<TestEmulator> {
	const stateDir = options.stateDir ?? mkdtempSync(join(tmpdir(), "spillway-azure-"));
	const emulator = await startAzureEmulator({
		port: 0,
		catalog: FIXTURE_CATALOG,
		bootDelayMs: 0,
		terminateDelayMs: 0,
		spotNoticeMs: 0,
		seed: 7,
		guestStopGraceMs: 2_000,
		...options,
		stateDir,
	});
	return {
		...emulator,
		stateDir,
		client: (token = EMULATED_TOKEN) => newClient(emulator.url, token),
		async dispose() {
			await emulator.stop({ killInstances: true });
			rmSync(stateDir, { recursive: true, force: true });
		},
	};
}

/** The SDK's client with a fixed token: with a credential it would refuse to connect without TLS. */
export function newClient(endpoint: string, token = EMULATED_TOKEN): ComputeManagementClient {
	const noCredential = undefined as unknown as ConstructorParameters<typeof ComputeManagementClient>[0];
	const options = { endpoint, allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
	const client = new ComputeManagementClient(noCredential, EMULATED_SUBSCRIPTION, options);
	client.pipeline.addPolicy({
		name: "bearer",
		sendRequest(request, next) {
			request.headers.set("authorization", `Bearer ${token}`);
			return next(request);
		},
	});
	return client;
}

/** A machine to request; `script` becomes its custom data. */
export function machineOf(changes: Partial<VirtualMachine> = {}, script = ""): VirtualMachine {
	const subnet = `/subscriptions/${EMULATED_SUBSCRIPTION}/resourceGroups/${EMULATED_RESOURCE_GROUP}/providers/Microsoft.Network/virtualNetworks/v/subnets/s`;
	return {
		location: "eastus",
		hardwareProfile: { vmSize: "Standard_NC4as_T4_v3" },
		storageProfile: {
			imageReference: { publisher: "microsoft-dsvm", offer: "ubuntu-hpc", sku: "2204", version: "latest" },
			osDisk: { createOption: "FromImage", deleteOption: "Delete" },
		},
		osProfile: {
			computerName: "machine",
			adminUsername: "spillway",
			linuxConfiguration: {
				disablePasswordAuthentication: true,
				ssh: { publicKeys: [{ path: "/home/spillway/.ssh/authorized_keys", keyData: "ssh-rsa AAAA test" }] },
			},
			...(script === "" ? {} : { customData: Buffer.from(script).toString("base64") }),
		},
		networkProfile: {
			networkApiVersion: "2022-11-01",
			networkInterfaceConfigurations: [{ name: "nic", deleteOption: "Delete", ipConfigurations: [{ name: "ip", subnet: { id: subnet } }] }],
		},
		...changes,
	};
}

export const SPOT = {
	priority: "Spot",
	evictionPolicy: "Delete",
	billingProfile: { maxPrice: -1 },
} as const satisfies Partial<VirtualMachine>;
export const GROUP = EMULATED_RESOURCE_GROUP;
