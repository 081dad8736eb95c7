import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startAzureEmulator } from "#server/emulators/azure/emulator.ts";
import { EMULATED_RESOURCE_GROUP, EMULATED_SUBSCRIPTION } from "#server/emulators/azure/options.ts";
import type { CatalogEntry } from "#server/emulators/shared/catalog-entry.ts";
import { listOffers } from "#server/rates/offers.ts";
import { describeCloudDriverContract } from "../contract/cloud-contract.ts";
import type { CloudHarness, LaunchRefusal } from "../contract/cloud-harness.ts";
import { announceLive, type LiveCloud, liveCloud } from "../contract/live-cloud.ts";
import { startRewritingProxy } from "../contract/rewriting-proxy.ts";
import { CONTROL_PLANE_TAG } from "../driver.ts";
import type { DatedRate } from "../snapshot-rate.ts";
import { connect } from "./connect.ts";
import { AzureDriver } from "./driver.ts";
import { virtualMachineOf } from "./mapper.ts";
import { type AzureSettings, azureSettingsSchema, azureSiteSettings } from "./settings.ts";

const REGIONS: [string, string] = ["eastus", "westeurope"];
const TYPE = "Standard_NC4as_T4_v3";

const INFINIBAND = "Standard_ND96asr_v4";

/** Invented prices. The contract checks only their form. */
const CATALOG: CatalogEntry[] = [
	{ instanceType: TYPE, vcpus: 4, memoryGiB: 28, gpus: 1, gpuModel: "T4-16GB" },
	{ instanceType: INFINIBAND, vcpus: 96, memoryGiB: 900, gpus: 8, gpuModel: "A100-40GB" },
].map((entry) => ({
	...entry,
	regions: REGIONS.map((region) => ({
		region,
		onDemandMicroUsdPerHour: 526_000n,
		zones: ["1", "2"].map((zone) => ({ zone: `${region}-${zone}`, spotMicroUsdPerHour: 200_000n })),
	})),
}));

const PRICE = { asOf: "2026-07-20", source: "invented for tests" };
const RATES: DatedRate[] = REGIONS.map((region) => ({
	instanceType: TYPE,
	region,
	zone: null,
	accelerator: "T4-16GB",
	gpus: 1,
	vcpus: 4,
	memoryGiB: 28,
	onDemand: { microUsdPerHour: 526_000n, ...PRICE },
	spot: { microUsdPerHour: 200_000n, ...PRICE },
}));

const OPERATION_NOT_ALLOWED = (quota: string) => ({
	code: "OperationNotAllowed",
	message: `Operation could not be completed as it results in exceeding approved ${quota} quota.`,
});
const REFUSALS: Record<LaunchRefusal, { code: string; message?: string }> = {
	// Found after the request was accepted, so what was created must be removed again.
	no_capacity: { code: "AllocationFailed" },
	spot_count_quota: OPERATION_NOT_ALLOWED("LowPriorityCores"),
	vcpu_quota: OPERATION_NOT_ALLOWED("standardNCASv3Family Cores"),
	throttled: { code: "TooManyRequests" },
	unauthorized: { code: "AuthorizationFailed" },
	server_error: { code: "InternalExecutionError" },
};

/** For the driver that times out. All others wait as long as in production, however busy this computer is. */
const IMPATIENCE_MS = 1_000;
const DELAY_MS = 60_000;
const CREATE = "virtualMachines.createOrUpdate";
const LISTS = { list: "virtualMachines.listByLocation", offers: "resourceSkus.list" };

function settingsFor(controlPlane: string, endpoint: string): AzureSettings {
	const network = `/subscriptions/${EMULATED_SUBSCRIPTION}/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/v/subnets/s`;
	return {
		controlPlane,
		endpoint,
		subscriptionId: EMULATED_SUBSCRIPTION,
		resourceGroup: EMULATED_RESOURCE_GROUP,
		regions: REGIONS,
		subnets: Object.fromEntries(REGIONS.map((region) => [region, network])),
		allocationWatchMs: 5_000,
		allocationPollMs: 5,
	};
}

/** The emulated endpoint with scripted faults, behind a proxy that rewrites responses. */
async function emulatedAccount(): Promise<CloudHarness> {
	const stateDir = mkdtempSync(path.join(tmpdir(), "spillway-azure-contract-"));
	let aheadMs = 0;
	const emulator = await startAzureEmulator({
		port: 0,
		clock: () => Date.now() + aheadMs,
		stateDir,
		catalog: CATALOG,
		disks: [{ region: REGIONS[0], type: "P10 LRS", tierGib: 128, microUsdPerMonth: 19_710_000n }],
		bootDelayMs: 5,
		terminateDelayMs: 5,
		spotNoticeMs: 5,
		guestStopGraceMs: 100,
		coreQuotas: { cores: 1_000, standardNCAST4v3Family: 300, lowPriorityCores: 200 },
		pageSize: 5,
		seed: 1,
	});
	const proxy = await startRewritingProxy(emulator.url);
	const closers: (() => unknown)[] = [];
	const driverOf = (controlPlane: string, endpoint = emulator.url, changes: Partial<AzureSettings> = {}) => {
		const driver = new AzureDriver("azure", { settings: { ...settingsFor(controlPlane, endpoint), ...changes }, listPrices: () => RATES });
		closers.push(() => driver.close());
		return driver;
	};
	const plant = async (region: string, tags: Record<string, string>) => {
		const settings = azureSettingsSchema.parse({ ...settingsFor("nobody", emulator.url), sshPublicKey: "ssh-rsa AAAA test" });
		const request = { region, zone: null, instanceType: TYPE, capacityType: "on_demand", userData: "", expiresAtMs: 0 } as const;
		const machine = virtualMachineOf({ ...request, instanceId: "x", jobId: "x", attemptId: "x" }, settings, "ssh-rsa AAAA test");
		const name = `stranger-${region}-${Object.keys(tags).length}`;
		const client = await connect(settings);
		await client.virtualMachines.createOrUpdate(EMULATED_RESOURCE_GROUP, name, { ...machine, tags }).submitted();
		return `${EMULATED_RESOURCE_GROUP}/${name}`;
	};
	const launchFault = (behaviour: NonNullable<Parameters<typeof emulator.faults.add>[0]["behaviour"]>) => {
		emulator.faults.add({ action: CREATE, behaviour });
	};
	return {
		driver: driverOf("contract", proxy.url),
		again: () => driverOf("contract"),
		withoutSecondRegion: () => driverOf("contract", emulator.url, { regions: [REGIONS[0]] }),
		otherControlPlane: () => driverOf("somebody-else"),
		disk: { type: "Premium_LRS", gib: 128, microUsdPerMonth: 19_710_000n },
		quota: { name: "standardNCAST4v3Family", unit: "cores", limit: 300 },
		interconnect: {
			instanceType: INFINIBAND,
			placedTogether: (name) => emulator.instances().filter((i) => i.availabilitySet === name && i.state !== "terminated").length,
		},
		regions: REGIONS,
		instanceType: TYPE,
		placesByRegion: true,
		agentReportsAddress: true,
		moreThanAPage: 12,
		passTime: () => sleep(5),
		async cleanup() {
			for (const close of closers) await close();
			await proxy.stop();
			await emulator.stop({ killInstances: true });
			rmSync(stateDir, { recursive: true, force: true });
		},
		faults: {
			refuseNextLaunch: (refusal) => {
				emulator.faults.add({ action: CREATE, error: REFUSALS[refusal] });
			},
			refuseNextStart: () => {
				emulator.faults.add({ action: "virtualMachines.start", error: { code: "AllocationFailed" } });
			},
			loseNextLaunchAnswer: () => launchFault({ kind: "lose_answer" }),
			loseNextListAnswer: () => {
				emulator.faults.add({ action: LISTS.list, behaviour: { kind: "lose_answer" } });
			},
			delayNextLaunchAnswer: () => {
				launchFault({ kind: "delay_answer", durationMs: IMPATIENCE_MS * 4 });
				return driverOf("contract", proxy.url, { answerTimeoutMs: IMPATIENCE_MS });
			},
			hideNextLaunch: () => {
				launchFault({ kind: "invisible", durationMs: DELAY_MS });
				return () => {
					aheadMs += DELAY_MS;
				};
			},
			slowNextTermination: () => {
				emulator.faults.add({ action: "virtualMachines.delete", behaviour: { kind: "slow_termination", durationMs: DELAY_MS } });
				return () => {
					aheadMs += DELAY_MS;
				};
			},
			refuseCredentials: () => {
				emulator.faults.add({ action: "*", times: "always", error: { code: "ExpiredAuthenticationToken" } });
			},
			setClockOff: (offsetMs) => {
				emulator.faults.clear();
				if (offsetMs !== 0) emulator.faults.add({ action: "*", times: "always", behaviour: { kind: "wrong_clock", offsetMs } });
			},
			failRegion: (question, region) => {
				emulator.faults.add({ action: LISTS[question], match: { region }, error: { code: "InternalExecutionError" } });
			},
			plantTaggedStranger: (region) => plant(region, { [CONTROL_PLANE_TAG]: "contract" }),
			plantUntagged: async (region) => {
				await plant(region, {});
			},
		},
		wire: {
			addUnknownFields: () => proxy.rewrite((body) => (body === "" ? body : JSON.stringify(withUnknownFields(JSON.parse(body))))),
			dropInstanceIds: () => proxy.rewrite((body) => body.replaceAll(/"id":"[^"]*",?/g, "")),
		},
	};
}

function withUnknownFields(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withUnknownFields);
	if (typeof value !== "object" || value === null) return value;
	const known = Object.entries(value).map(([key, below]) => [key, key === "tags" ? below : withUnknownFields(below)]);
	return { ...Object.fromEntries(known), somethingNew: { x: [1] } };
}

/** An existing account or endpoint: a site's settings as JSON. */
function givenAccount(): LiveCloud | null {
	const { SPILLWAY_CONTRACT_AZURE: row, SPILLWAY_CONTRACT_AZURE_SIZE: instanceType = TYPE } = process.env;
	if (!row) return null;
	const settingsOf = (controlPlane: string) => azureSiteSettings("live", JSON.parse(row), controlPlane);
	const listPrices = () => listOffers("azure");
	return {
		...{ regions: settingsOf("contract").regions, instanceType, rates: listPrices() },
		open: (controlPlane) => new AzureDriver("azure", { settings: settingsOf(controlPlane), listPrices }),
		traits: { placesByRegion: true, agentReportsAddress: true },
	};
}

const given = givenAccount();
if (given) announceLive(given);

describeCloudDriverContract("azure", () => (given ? liveCloud(given) : emulatedAccount()));
