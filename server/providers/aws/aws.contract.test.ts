import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CreateTagsCommand, EC2Client, RunInstancesCommand } from "@aws-sdk/client-ec2";
import { startEc2Emulator } from "#server/emulators/aws/emulator.ts";
import { DEFAULT_ACCESS_KEY_ID } from "#server/emulators/aws/options.ts";
import type { CatalogEntry } from "#server/emulators/shared/catalog-entry.ts";
import { defined } from "#server/kernel/assert.ts";
import { listOffers } from "#server/rates/offers.ts";
import { describeCloudDriverContract } from "../contract/cloud-contract.ts";
import type { CloudHarness, LaunchRefusal } from "../contract/cloud-harness.ts";
import { announceLive, type LiveCloud, liveCloud } from "../contract/live-cloud.ts";
import { startRewritingProxy } from "../contract/rewriting-proxy.ts";
import { CONTROL_PLANE_TAG } from "../driver.ts";
import type { DatedRate } from "../snapshot-rate.ts";
import { AwsDriver } from "./driver.ts";
import { awsSettingsSchema } from "./settings.ts";

const REGIONS: [string, string] = ["us-east-1", "eu-west-1"];
const TYPE = "g5.xlarge";

const EFA_TYPE = "p4d.24xlarge";

/** Invented prices. The contract checks only their form. */
const CATALOG: CatalogEntry[] = [
	{ instanceType: TYPE, vcpus: 4, memoryGiB: 16, gpus: 1, gpuModel: "A10G-24GB" },
	{ instanceType: EFA_TYPE, vcpus: 96, memoryGiB: 1_152, gpus: 8, gpuModel: "A100-40GB" },
].map((entry) => ({
	...entry,
	regions: REGIONS.map((region) => ({
		region,
		onDemandMicroUsdPerHour: 1_006_000n,
		zones: ["a", "b"].map((letter) => ({ zone: `${region}${letter}`, spotMicroUsdPerHour: 400_000n })),
	})),
}));

const RATES: DatedRate[] = REGIONS.map((region) => ({
	instanceType: TYPE,
	region,
	zone: null,
	accelerator: "A10G-24GB",
	gpus: 1,
	vcpus: 4,
	memoryGiB: 16,
	onDemand: { microUsdPerHour: 1_006_000n, asOf: "2026-07-20", source: "invented for tests" },
	spot: { microUsdPerHour: 400_000n, asOf: "2026-07-20", source: "invented for tests" },
}));

const REFUSAL_CODES: Record<LaunchRefusal, string> = {
	no_capacity: "InsufficientInstanceCapacity",
	spot_count_quota: "MaxSpotInstanceCountExceeded",
	vcpu_quota: "VcpuLimitExceeded",
	throttled: "RequestLimitExceeded",
	unauthorized: "UnauthorizedOperation",
	server_error: "InternalError",
};

/** For the driver that times out. All others wait as long as in production, however busy this computer is. */
const IMPATIENCE_MS = 1_000;
const DELAY_MS = 60_000;
const CREDENTIALS = { accessKeyId: DEFAULT_ACCESS_KEY_ID, secretAccessKey: "any" };

async function emulatedAccount(): Promise<CloudHarness> {
	const stateDir = mkdtempSync(path.join(tmpdir(), "spillway-aws-contract-"));
	let aheadMs = 0;
	const emulator = await startEc2Emulator({
		port: 0,
		clock: () => Date.now() + aheadMs,
		stateDir,
		catalog: CATALOG,
		disks: [{ region: REGIONS[0], type: "gp3", tierGib: null, microUsdPerMonth: 80_000n }],
		bootDelayMs: 5,
		terminateDelayMs: 5,
		spotNoticeMs: 5,
		guestStopGraceMs: 100,
		vcpuQuotas: { "L-DB2E81BA": 200, "L-3819A6DF": 100 },
		seed: 1,
	});
	const proxy = await startRewritingProxy(emulator.url);
	const closers: (() => unknown)[] = [];
	const driverOf = (controlPlane: string, endpoint = emulator.url, regions: string[] = REGIONS, changes = {}) => {
		const settings = {
			controlPlane,
			endpoint,
			regions,
			credentials: CREDENTIALS,
			imageId: "ami-0123456789abcdef0",
			...changes,
			pageSize: 5,
			livePrices: true,
		};
		const driver = new AwsDriver("aws", { settings, listPrices: () => RATES });
		closers.push(() => driver.close());
		return driver;
	};
	const clientOf = (region: string) => {
		const client = new EC2Client({ endpoint: emulator.url, region, credentials: { ...CREDENTIALS } });
		closers.push(() => client.destroy());
		return client;
	};
	const plant = async (region: string) => {
		const made = await clientOf(region).send(
			new RunInstancesCommand({ MinCount: 1, MaxCount: 1, ImageId: "ami-0123456789abcdef0", InstanceType: TYPE }),
		);
		return defined(made.Instances?.[0]?.InstanceId, "instance id");
	};
	const launchFault = (behaviour: NonNullable<Parameters<typeof emulator.faults.add>[0]["behaviour"]>) => {
		emulator.faults.add({ action: "RunInstances", behaviour });
	};
	return {
		driver: driverOf("contract", proxy.url),
		again: () => driverOf("contract"),
		withoutSecondRegion: () => driverOf("contract", emulator.url, [REGIONS[0]]),
		otherControlPlane: () => driverOf("somebody-else"),
		regions: REGIONS,
		instanceType: TYPE,
		interconnect: {
			instanceType: EFA_TYPE,
			placedTogether: (name) => emulator.instances().filter((i) => i.placementGroup === name && i.state !== "terminated").length,
		},
		disk: { type: "gp3", gib: 100, microUsdPerMonth: 8_000_000n },
		quota: { name: "Running On-Demand G and VT instances", unit: "cores", limit: 200 },
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
				emulator.faults.add({ action: "RunInstances", error: { code: REFUSAL_CODES[refusal] } });
			},
			refuseNextStart: () => {
				emulator.faults.add({ action: "StartInstances", error: { code: "InsufficientInstanceCapacity" } });
			},
			loseNextLaunchAnswer: () => launchFault({ kind: "lose_answer" }),
			loseNextListAnswer: () => {
				emulator.faults.add({ action: "DescribeInstances", behaviour: { kind: "lose_answer" } });
			},
			delayNextLaunchAnswer: () => {
				launchFault({ kind: "delay_answer", durationMs: IMPATIENCE_MS * 4 });
				return driverOf("contract", proxy.url, REGIONS, { answerTimeoutMs: IMPATIENCE_MS });
			},
			hideNextLaunch: () => {
				launchFault({ kind: "invisible", durationMs: DELAY_MS });
				return () => {
					aheadMs += DELAY_MS;
				};
			},
			slowNextTermination: () => {
				emulator.faults.add({ action: "TerminateInstances", behaviour: { kind: "slow_termination", durationMs: DELAY_MS } });
				return () => {
					aheadMs += DELAY_MS;
				};
			},
			refuseCredentials: () => {
				emulator.faults.add({ action: "*", times: "always", error: { code: "AuthFailure" } });
			},
			setClockOff: (offsetMs) => {
				emulator.faults.clear();
				if (offsetMs !== 0) emulator.faults.add({ action: "*", times: "always", behaviour: { kind: "wrong_clock", offsetMs } });
			},
			followsClock: true,
			failRegion: (question, region) => {
				const action = question === "list" ? "DescribeInstances" : "DescribeSpotPriceHistory";
				emulator.faults.add({ action, match: { region }, error: { code: "InternalError" } });
			},
			plantTaggedStranger: async (region) => {
				const id = await plant(region);
				await clientOf(region).send(new CreateTagsCommand({ Resources: [id], Tags: [{ Key: CONTROL_PLANE_TAG, Value: "contract" }] }));
				return id;
			},
			plantUntagged: async (region) => {
				await plant(region);
			},
		},
		wire: {
			addUnknownFields: () => proxy.rewrite((xml) => xml.replaceAll("<item>", "<item><somethingNew><item>x</item></somethingNew>")),
			dropInstanceIds: () => proxy.rewrite((xml) => xml.replaceAll(/<instanceId>[^<]*<\/instanceId>/g, "")),
		},
	};
}

/** An existing account or endpoint: a site's settings as JSON. */
function givenAccount(): LiveCloud | null {
	const { SPILLWAY_CONTRACT_AWS: row, SPILLWAY_CONTRACT_AWS_TYPE: instanceType = "g4dn.xlarge" } = process.env;
	if (!row) return null;
	const settings = JSON.parse(row);
	const listPrices = () => listOffers("aws");
	return {
		...{ regions: awsSettingsSchema.parse({ ...settings, controlPlane: "contract" }).regions, instanceType, rates: listPrices() },
		open: (controlPlane) => new AwsDriver("aws", { settings: { ...settings, controlPlane }, listPrices }),
	};
}

const given = givenAccount();
if (given) announceLive(given);

describeCloudDriverContract("aws", () => (given ? liveCloud(given) : emulatedAccount()));
