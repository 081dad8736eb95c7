import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EC2Client, type RunInstancesCommandInput } from "@aws-sdk/client-ec2";
import type { CatalogEntry } from "../../shared/catalog-entry.ts";
import { type Ec2Emulator, startEc2Emulator } from "../emulator.ts";
import { DEFAULT_ACCESS_KEY_ID, type Ec2EmulatorOptions } from "../options.ts";

/** Invented prices. No test depends on what a machine really costs. */
export const FIXTURE_CATALOG: readonly CatalogEntry[] = [
	{
		instanceType: "g5.xlarge",
		vcpus: 4,
		memoryGiB: 16,
		gpus: 1,
		gpuModel: "A10G-24GB",
		regions: [
			{
				region: "us-east-1",
				onDemandMicroUsdPerHour: 1_006_000n,
				zones: [
					{ zone: "us-east-1a", spotMicroUsdPerHour: 400_000n },
					{ zone: "us-east-1b", spotMicroUsdPerHour: 500_000n },
				],
			},
			{ region: "eu-west-1", onDemandMicroUsdPerHour: 1_123_000n, zones: [{ zone: "eu-west-1a", spotMicroUsdPerHour: 450_000n }] },
		],
	},
	{
		instanceType: "p5.48xlarge",
		vcpus: 192,
		memoryGiB: 2048,
		gpus: 8,
		gpuModel: "H100-80GB",
		regions: [
			{
				region: "us-east-1",
				onDemandMicroUsdPerHour: 55_040_000n,
				zones: [
					{ zone: "us-east-1a", spotMicroUsdPerHour: null },
					{ zone: "us-east-1b", spotMicroUsdPerHour: 20_000_000n },
				],
			},
		],
	},
];

export interface TestEmulator extends Ec2Emulator {
	stateDir: string;
	/** Without the SDK's retries, so that each fault appears once, unless the test requests them. */
	client(region?: string, options?: { maxAttempts?: number; accessKeyId?: string }): EC2Client;
	/** Ends the machines, closes the clients and removes the folder. */
	dispose(): Promise<void>;
}

/** Starts an emulator on a free port with short delays; machines boot immediately. */
export async function startTestEmulator(options: Partial<Ec2EmulatorOptions> = {}): Promise<TestEmulator> {
	const stateDir = options.stateDir ?? mkdtempSync(join(tmpdir(), "spillway-ec2-"));
	const emulator = await startEc2Emulator({
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
	const clients: EC2Client[] = [];
	return {
		...emulator,
		stateDir,
		client(region = "us-east-1", { maxAttempts = 1, accessKeyId = DEFAULT_ACCESS_KEY_ID } = {}) {
			const client = newClient(emulator.url, region, maxAttempts, accessKeyId);
			clients.push(client);
			return client;
		},
		async dispose() {
			for (const client of clients) client.destroy();
			await emulator.stop({ killInstances: true });
			rmSync(stateDir, { recursive: true, force: true });
		},
	};
}

export function newClient(endpoint: string, region: string, maxAttempts = 1, accessKeyId = DEFAULT_ACCESS_KEY_ID): EC2Client {
	return new EC2Client({ endpoint, region, maxAttempts, credentials: { accessKeyId, secretAccessKey: "any" } });
}

/** Launches one machine; `script` becomes its user-data. */
export function launchOf(overrides: Partial<RunInstancesCommandInput> = {}, script = ""): RunInstancesCommandInput {
	return {
		ImageId: "ami-0123456789abcdef0",
		InstanceType: "g5.xlarge",
		MinCount: 1,
		MaxCount: 1,
		...(script === "" ? {} : { UserData: Buffer.from(script).toString("base64") }),
		...overrides,
	};
}

export const SPOT = { MarketType: "spot" } as const;
