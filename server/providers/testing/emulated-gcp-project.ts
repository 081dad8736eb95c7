import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type GceEmulator, startGceEmulator } from "#server/emulators/gcp/emulator.ts";
import { writeKeyFile } from "#server/emulators/gcp/key-file.ts";
import { DEFAULT_PROJECT } from "#server/emulators/gcp/options.ts";
import type { CatalogEntry } from "#server/emulators/shared/catalog-entry.ts";
import { defined } from "#server/kernel/assert.ts";
import type { CloudHarness, LaunchRefusal } from "../contract/cloud-harness.ts";
import { type RewritingProxy, startRewritingProxy } from "../contract/rewriting-proxy.ts";
import { type ComputeClients, openComputeClients } from "../gcp/compute-clients.ts";
import { GcpDriver } from "../gcp/driver.ts";
import { CONTROL_PLANE_LABEL, providerIdOf } from "../gcp/names.ts";
import type { ZoneRate } from "../gcp/offers.ts";

export const REGIONS: [string, string] = ["us-central1", "europe-west4"];
const TYPE = "g2-standard-4";
const CLUSTERED = "a2-highgpu-8g";
const ZONES = REGIONS.flatMap((region) => ["a", "b"].map((letter) => ({ region, zone: `${region}-${letter}` })));

const DISKS = [{ region: REGIONS[0], type: "pd-balanced", tierGib: null, microUsdPerMonth: 100_000n }];

/** Invented prices. The contract checks only their form. */
const CATALOG: CatalogEntry[] = [
	{
		...{ instanceType: TYPE, vcpus: 4, memoryGiB: 16, gpus: 1, gpuModel: "L4-24GB" },
		regions: REGIONS.map((region) => ({
			region,
			onDemandMicroUsdPerHour: 700_000n,
			zones: ZONES.filter((z) => z.region === region).map(({ zone }) => ({ zone, spotMicroUsdPerHour: 280_000n })),
		})),
	},
	{
		...{ instanceType: CLUSTERED, vcpus: 96, memoryGiB: 680, gpus: 8, gpuModel: "A100-40GB" },
		regions: REGIONS.map((region) => ({
			region,
			onDemandMicroUsdPerHour: 29_390_000n,
			zones: ZONES.filter((z) => z.region === region).map(({ zone }) => ({ zone, spotMicroUsdPerHour: null })),
		})),
	},
	{
		...{ instanceType: "a3-highgpu-8g", vcpus: 208, memoryGiB: 1872, gpus: 8, gpuModel: "H100-80GB" },
		regions: [
			{ region: REGIONS[0], onDemandMicroUsdPerHour: 88_490_000n, zones: [{ zone: `${REGIONS[0]}-b`, spotMicroUsdPerHour: null }] },
		],
	},
	{
		...{ instanceType: "ct6e-standard-4t", vcpus: 180, memoryGiB: 720, gpus: 4, gpuModel: "TPU-v6e" },
		regions: [
			{ region: REGIONS[1], onDemandMicroUsdPerHour: 11_880_000n, zones: [{ zone: `${REGIONS[1]}-a`, spotMicroUsdPerHour: 8_320_000n }] },
		],
	},
];

export const RATES: ZoneRate[] = ZONES.map(({ region, zone }) => ({
	...{ instanceType: TYPE, region, zone, accelerator: "L4-24GB", gpus: 1, vcpus: 4, memoryGiB: 16 },
	onDemand: { microUsdPerHour: 700_000n, asOf: "2026-07-30", source: "invented for tests" },
	spot: { microUsdPerHour: 280_000n, asOf: "2026-07-30", source: "invented for tests" },
}));

const REFUSAL_CODES: Record<LaunchRefusal, string> = {
	no_capacity: "ZONE_RESOURCE_POOL_EXHAUSTED",
	spot_count_quota: "QUOTA_EXCEEDED",
	vcpu_quota: "QUOTA_EXCEEDED",
	throttled: "rateLimitExceeded",
	unauthorized: "forbidden",
	server_error: "backendError",
};

/** For the driver that times out. All others wait as long as in production, however busy this computer is. */
const IMPATIENCE_MS = 1_000;
const DELAY_MS = 60_000;

export interface EmulatedProject {
	emulator: GceEmulator;
	sdk: ComputeClients;
	/** Its own control plane in the project. */
	makeHarness(): Promise<CloudHarness>;
	close(): Promise<void>;
}

/** One project for all cases of the contract, because Google's SDK takes seconds to open. */
export async function openEmulatedProject(): Promise<EmulatedProject> {
	const stateDir = mkdtempSync(path.join(tmpdir(), "spillway-gcp-contract-"));
	process.env["GOOGLE_APPLICATION_CREDENTIALS"] = writeKeyFile(stateDir);
	const delays = { bootDelayMs: 20, terminateDelayMs: 5, spotNoticeMs: 5, guestStopGraceMs: 100 };
	let aheadMs = 0;
	const emulator = await startGceEmulator({
		port: 0,
		clock: () => Date.now() + aheadMs,
		stateDir,
		catalog: CATALOG,
		disks: DISKS,
		gpuQuotas: { NVIDIA_L4_GPUS: 400 },
		...delays,
		seed: 1,
	});
	const proxy = await startRewritingProxy(emulator.url);
	const sdk = await openComputeClients({ endpoint: emulator.url });
	const sdkByProxy = await openComputeClients({ endpoint: proxy.url });
	let cases = 0;
	return {
		emulator,
		sdk,
		async makeHarness() {
			cases += 1;
			const passTime = (ms: number): void => {
				aheadMs += ms;
			};
			return harnessOf({ emulator, proxy, sdk, sdkByProxy, controlPlane: `contract-${cases}`, passTime });
		},
		async close() {
			await sdk.close();
			await sdkByProxy.close();
			await proxy.stop();
			await emulator.stop({ killInstances: true });
			rmSync(stateDir, { recursive: true, force: true });
		},
	};
}

async function plant(sdk: ComputeClients, region: string, name: string, labels: Record<string, string>): Promise<string> {
	const zone = `${region}-a`;
	const instanceResource = {
		...{ name, labels, machineType: `zones/${zone}/machineTypes/${TYPE}`, networkInterfaces: [{ network: "global/networks/default" }] },
		disks: [{ boot: true, initializeParams: { sourceImage: "projects/debian-cloud/global/images/family/debian-12" } }],
		scheduling: { onHostMaintenance: "TERMINATE" },
	};
	await sdk.instances.insert({ project: DEFAULT_PROJECT, zone, instanceResource });
	const [made] = await sdk.instances.get({ project: DEFAULT_PROJECT, zone, instance: name });
	return providerIdOf(zone, String(defined(made.id, "instance id")));
}

interface Parts {
	emulator: GceEmulator;
	proxy: RewritingProxy;
	sdk: ComputeClients;
	sdkByProxy: ComputeClients;
	controlPlane: string;
	/** Advances the emulated clock. */
	passTime(ms: number): void;
}

function harnessOf({ emulator, proxy, sdk, sdkByProxy, controlPlane, passTime }: Parts): CloudHarness {
	const driverOf = (own: string, clients: ComputeClients, regions: string[] = REGIONS, changes = {}) =>
		new GcpDriver("gcp", {
			settings: {
				...{ controlPlane: own, project: DEFAULT_PROJECT, regions, endpoint: emulator.url },
				image: "projects/debian-cloud/global/images/family/debian-12",
				...{ operationPollMs: 5, pageSize: 5, ...changes },
			},
			listPrices: () => RATES,
			// Closed after all cases.
			open: async () => ({ ...clients, close: async () => {} }),
		});
	const fault = (action: string, more: Omit<Parameters<typeof emulator.faults.add>[0], "action">) => {
		emulator.faults.add({ action, ...more });
	};
	const launchFault = (behaviour: NonNullable<Parameters<typeof emulator.faults.add>[0]["behaviour"]>) =>
		fault("Instances.Insert", { behaviour });
	return {
		driver: driverOf(controlPlane, sdkByProxy),
		again: () => driverOf(controlPlane, sdk),
		withoutSecondRegion: () => driverOf(controlPlane, sdk, [REGIONS[0]]),
		otherControlPlane: () => driverOf(`${controlPlane}-other`, sdk),
		regions: REGIONS,
		disk: { type: "pd-balanced", gib: 100, microUsdPerMonth: 10_000_000n },
		quota: { name: "NVIDIA_L4_GPUS", unit: "gpus", limit: 400 },
		instanceType: TYPE,
		interconnect: {
			...{ instanceType: CLUSTERED, zone: `${REGIONS[0]}-b` },
			placedTogether: (name) => emulator.instances().filter((i) => i.placementPolicy === name && i.state !== "terminated").length,
		},
		moreThanAPage: 12,
		passTime: () => sleep(5),
		async cleanup() {
			emulator.faults.clear();
			proxy.rewrite((json) => json);
		},
		faults: {
			refuseNextLaunch: (refusal) => fault("Instances.Insert", { error: { code: REFUSAL_CODES[refusal] } }),
			refuseNextStart: () => fault("Instances.Start", { error: { code: "ZONE_RESOURCE_POOL_EXHAUSTED" } }),
			loseNextLaunchAnswer: () => launchFault({ kind: "lose_answer" }),
			loseNextListAnswer: () => fault("Instances.List", { behaviour: { kind: "lose_answer" } }),
			delayNextLaunchAnswer: () => {
				launchFault({ kind: "delay_answer", durationMs: IMPATIENCE_MS * 4 });
				return driverOf(controlPlane, sdkByProxy, REGIONS, { answerTimeoutMs: IMPATIENCE_MS });
			},
			hideNextLaunch: () => {
				launchFault({ kind: "invisible", durationMs: DELAY_MS });
				return () => passTime(DELAY_MS);
			},
			slowNextTermination: () => {
				fault("Instances.Delete", { behaviour: { kind: "slow_termination", durationMs: DELAY_MS } });
				return () => passTime(DELAY_MS);
			},
			refuseCredentials: () => fault("*", { times: "always", error: { code: "authError" } }),
			setClockOff: (offsetMs) => {
				emulator.faults.clear();
				if (offsetMs !== 0) fault("*", { times: "always", behaviour: { kind: "wrong_clock", offsetMs } });
			},
			failRegion: (question, region) => {
				fault(question === "list" ? "Instances.List" : "MachineTypes.List", { match: { region }, error: { code: "backendError" } });
			},
			plantTaggedStranger: (region) => plant(sdk, region, `stranger-${controlPlane}`, { [CONTROL_PLANE_LABEL]: controlPlane }),
			plantUntagged: async (region) => {
				await plant(sdk, region, `untagged-${controlPlane}`, {});
			},
		},
		wire: {
			addUnknownFields: () => proxy.rewrite((json) => json.replaceAll('"kind":', '"somethingNew":{"x":[1]},"kind":')),
			dropInstanceIds: () => proxy.rewrite((json) => json.replaceAll(/"(?:id|targetId)":"\d+",/g, "")),
		},
	};
}
