import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GceEmulator, startGceEmulator } from "#server/emulators/gcp/emulator.ts";
import { writeKeyFile } from "#server/emulators/gcp/key-file.ts";
import { DEFAULT_PROJECT } from "#server/emulators/gcp/options.ts";
import type { CatalogEntry } from "#server/emulators/shared/catalog-entry.ts";
import { eventually } from "#server/emulators/shared/testing/eventually.ts";
import { defined } from "#server/kernel/assert.ts";
import { describeCloudDriverContract } from "../contract/cloud-contract.ts";
import { aLaunch, type CloudHarness, type LaunchRefusal } from "../contract/cloud-harness.ts";
import { type RewritingProxy, startRewritingProxy } from "../contract/rewriting-proxy.ts";
import { type ComputeClients, openComputeClients } from "./compute-clients.ts";
import { GcpDriver } from "./driver.ts";
import { CONTROL_PLANE_LABEL, providerIdOf } from "./names.ts";
import type { ZoneRate } from "./offers.ts";

const REGIONS: [string, string] = ["us-central1", "europe-west4"];
const TYPE = "g2-standard-4";
const ZONES = REGIONS.flatMap((region) => ["a", "b"].map((letter) => ({ region, zone: `${region}-${letter}` })));

/** Invented prices: the contract is about their form. */
const CATALOG: CatalogEntry[] = [
	{
		...{ instanceType: TYPE, vcpus: 4, memoryGiB: 16, gpus: 1, gpuModel: "L4-24GB" },
		regions: REGIONS.map((region) => ({
			region,
			onDemandMicroUsdPerHour: 700_000n,
			zones: ZONES.filter((z) => z.region === region).map(({ zone }) => ({ zone, spotMicroUsdPerHour: 280_000n })),
		})),
	},
];

const RATES: ZoneRate[] = ZONES.map(({ region, zone }) => ({
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

const ANSWER_TIMEOUT_MS = 1_500;

/** One project for all cases, since Google's SDK takes seconds to open; each case is a control plane of its own in it. */
let emulator: GceEmulator;
let proxy: RewritingProxy;
let sdk: ComputeClients;
let sdkByProxy: ComputeClients;
let cases = 0;
const stateDir = mkdtempSync(path.join(tmpdir(), "spillway-gcp-contract-"));

beforeAll(async () => {
	process.env["GOOGLE_APPLICATION_CREDENTIALS"] = writeKeyFile(stateDir);
	const delays = { bootDelayMs: 20, terminateDelayMs: 5, spotNoticeMs: 5, guestStopGraceMs: 100 };
	emulator = await startGceEmulator({ port: 0, stateDir, catalog: CATALOG, ...delays, seed: 1 });
	proxy = await startRewritingProxy(emulator.url);
	sdk = await openComputeClients({ endpoint: emulator.url });
	sdkByProxy = await openComputeClients({ endpoint: proxy.url });
}, 60_000);

afterAll(async () => {
	await sdk.close();
	await sdkByProxy.close();
	await proxy.stop();
	await emulator.stop({ killInstances: true });
	rmSync(stateDir, { recursive: true, force: true });
});

async function plant(region: string, name: string, labels: Record<string, string>): Promise<string> {
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

async function makeHarness(): Promise<CloudHarness> {
	cases += 1;
	const controlPlane = `contract-${cases}`;
	const driverOf = (own: string, clients: ComputeClients) =>
		new GcpDriver("gcp", {
			settings: {
				...{ controlPlane: own, project: DEFAULT_PROJECT, regions: REGIONS, endpoint: emulator.url },
				image: "projects/debian-cloud/global/images/family/debian-12",
				...{ answerTimeoutMs: ANSWER_TIMEOUT_MS, operationPollMs: 5, pageSize: 5 },
			},
			listPrices: () => RATES,
			// Closed when all cases are over.
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
		otherControlPlane: () => driverOf(`${controlPlane}-other`, sdk),
		regions: REGIONS,
		instanceType: TYPE,
		moreThanAPage: 12,
		passTime: () => sleep(5),
		async cleanup() {
			emulator.faults.clear();
			proxy.rewrite((json) => json);
		},
		faults: {
			refuseNextLaunch: (refusal) => fault("Instances.Insert", { error: { code: REFUSAL_CODES[refusal] } }),
			loseNextLaunchAnswer: () => launchFault({ kind: "lose_answer" }),
			delayNextLaunchAnswer: () => launchFault({ kind: "delay_answer", durationMs: ANSWER_TIMEOUT_MS * 4 }),
			hideNextLaunch: () => launchFault({ kind: "invisible", durationMs: 400 }),
			slowNextTermination: () => fault("Instances.Delete", { behaviour: { kind: "slow_termination", durationMs: 400 } }),
			refuseCredentials: () => fault("*", { times: "always", error: { code: "authError" } }),
			failRegion: (question, region) => {
				fault(question === "list" ? "Instances.List" : "MachineTypes.List", { match: { region }, error: { code: "backendError" } });
			},
			plantTaggedStranger: (region) => plant(region, `stranger-${cases}`, { [CONTROL_PLANE_LABEL]: controlPlane }),
			plantUntagged: async (region) => {
				await plant(region, `untagged-${cases}`, {});
			},
		},
		wire: {
			addUnknownFields: () => proxy.rewrite((json) => json.replaceAll('"kind":', '"somethingNew":{"x":[1]},"kind":')),
			dropInstanceIds: () => proxy.rewrite((json) => json.replaceAll(/"(?:id|targetId)":"\d+",/g, "")),
		},
	};
}

describeCloudDriverContract("gcp", makeHarness);

describe("gcp alone", () => {
	it("says of a preempted machine that it was spot, and then that it is over", async () => {
		const harness = await makeHarness();
		const { driver } = harness;
		const request = aLaunch(harness, { capacityType: "spot", expiresAtMs: Date.now() + 3_600_000 });
		const made = await driver.launch(request);
		const seen = async () => (await driver.describe(request.region, [made.providerInstanceId]))[0];
		await eventually("the machine", async () => (await seen())?.state === "running");
		emulator.interrupt(made.providerInstanceId.replace(/^.*\//, ""));
		const over = await eventually("the end", async () => {
			const now = await seen();
			return now?.state === "terminated" ? now : null;
		});
		expect(over).toMatchObject({ instanceId: request.instanceId, stateReasonCode: "spot: compute.instances.preempted" });
	});

	it("says before anything is bought what Google does not have of what the site names", async () => {
		const settings = {
			...{ controlPlane: "contract", project: DEFAULT_PROJECT, regions: ["us-central1", "mars-north1"], endpoint: emulator.url },
			image: "projects/debian-cloud/global/images/family/debian-12",
			subnetworks: { "us-central1": "projects/shared/regions/us-central1/subnetworks/bursts" },
		};
		const driver = new GcpDriver("gcp", { settings, listPrices: () => RATES, open: async () => sdk });
		emulator.faults.add({ action: "Images.GetFromFamily", error: { code: "notFound" } });
		emulator.faults.add({ action: "Subnetworks.Get", error: { code: "notFound" } });
		await expect(driver.check()).rejects.toMatchObject({
			kind: "invalid_request",
			message:
				"Google Cloud has no region mars-north1 for the project emulated-project; no image projects/debian-cloud/global/images/family/debian-12; no subnetwork projects/shared/regions/us-central1/subnetworks/bursts, which is to serve us-central1. Correct the site's settings, or make what is missing, before machines are bought",
		});
		// What the account may not look at is no reason to buy nothing.
		emulator.faults.add({ action: "Images.GetFromFamily", error: { code: "forbidden" } });
		await new GcpDriver("gcp", { settings: { ...settings, regions: REGIONS }, listPrices: () => RATES, open: async () => sdk }).check();
	});
});
