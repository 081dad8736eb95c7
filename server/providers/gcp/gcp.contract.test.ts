import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_PROJECT } from "#server/emulators/gcp/options.ts";
import { eventually } from "#server/emulators/shared/testing/eventually.ts";
import { defined } from "#server/kernel/assert.ts";
import { listOffers } from "#server/rates/offers.ts";
import { describeCloudDriverContract } from "../contract/cloud-contract.ts";
import { aLaunch } from "../contract/cloud-harness.ts";
import { announceLive, type LiveCloud, liveCloud } from "../contract/live-cloud.ts";
import { type EmulatedProject, openEmulatedProject, RATES, REGIONS } from "../testing/emulated-gcp-project.ts";
import { ComputeCalls } from "./client.ts";
import { GcpDriver } from "./driver.ts";
import { reachBetween } from "./gang-network.ts";
import { describeGpuSubnetworks } from "./gpu-subnetworks.ts";
import { instanceResource } from "./mapper.ts";
import { gcpSettingsSchema, gcpSiteSettings } from "./settings.ts";

const DEFAULT_TYPE = "g2-standard-4";

/** An existing project or endpoint: a site's settings as JSON. Without it, an emulated one is started. */
function givenProject(): LiveCloud | null {
	const { SPILLWAY_CONTRACT_GCP: row, SPILLWAY_CONTRACT_GCP_TYPE: instanceType = DEFAULT_TYPE } = process.env;
	if (!row) return null;
	const settingsOf = (controlPlane: string) => gcpSiteSettings("live", JSON.parse(row), controlPlane);
	const listPrices = () => listOffers("gcp");
	return {
		...{ regions: settingsOf("contract").regions, instanceType, rates: listPrices() },
		open: (controlPlane) => new GcpDriver("gcp", { settings: settingsOf(controlPlane), listPrices }),
	};
}

const given = givenProject();
if (given) announceLive(given);

let emulated: EmulatedProject | null = null;
const project = () => defined(emulated, "the emulated project");

beforeAll(async () => {
	if (!given) emulated = await openEmulatedProject();
});
afterAll(() => emulated?.close());

describeCloudDriverContract("gcp", () => (given ? liveCloud(given) : project().makeHarness()));

describe.skipIf(given)("gcp only", () => {
	it("reports that a preempted machine was spot, and then that it has ended", async () => {
		const harness = await project().makeHarness();
		const { driver } = harness;
		const request = aLaunch(harness, { capacityType: "spot", expiresAtMs: Date.now() + 3_600_000 });
		const made = await driver.launch(request);
		const seen = async () => (await driver.describe(request.region, [made.providerInstanceId]))[0];
		await eventually("the machine", async () => (await seen())?.state === "running");
		project().emulator.interrupt(made.providerInstanceId.replace(/^.*\//, ""));
		const over = await eventually("the end", async () => {
			const now = await seen();
			return now?.state === "terminated" ? now : null;
		});
		expect(over).toMatchObject({ instanceId: request.instanceId, stateReasonCode: "spot: compute.instances.preempted" });
		// A launch with a lost response is found by its token, even if its machine has ended by then.
		expect(await driver.findByToken(request.region, request.instanceId)).toEqual(over);
	});

	it("launches machines with TPUs, from Google's image for them and on the disk that they require; another disk is rejected", async () => {
		const clock = { nowMs: () => Date.parse("2026-11-22T10:00:00Z") };
		const settings = {
			...{ controlPlane: "contract-tpu", project: DEFAULT_PROJECT, regions: REGIONS, endpoint: project().emulator.url, livePrices: false },
			image: "projects/debian-cloud/global/images/family/debian-12",
		};
		const driver = new GcpDriver("gcp", { settings, listPrices: () => listOffers("gcp"), clock, open: async () => project().sdk });
		const { offers } = await driver.offers();
		const tpus = offers.filter(({ accelerator }) => accelerator === "TPU-v6e");
		expect(tpus.map((o) => [o.zone, o.capacityType, o.gpus, o.microUsdPerHour, o.disk?.type])).toEqual([
			["europe-west4-a", "on_demand", 4, 11_880_000n, "hyperdisk-balanced"],
			["europe-west4-a", "spot", 4, 8_320_000n, "hyperdisk-balanced"],
		]);
		const request = {
			...{ instanceId: "ins_tpu_001_0", jobId: "job_tpu", attemptId: "att_tpu_001", region: "europe-west4", zone: "europe-west4-a" },
			...{ instanceType: "ct6e-standard-4t", capacityType: "on_demand" as const, userData: "#!/bin/sh\n" },
			expiresAtMs: Date.now() + 3_600_000,
		};
		const made = await driver.launch(request);
		expect(made).toMatchObject({ instanceType: "ct6e-standard-4t", capacityType: "on_demand" });
		await driver.terminate("europe-west4", made.providerInstanceId);
		const compute = new ComputeCalls(gcpSettingsSchema.parse(settings), async () => project().sdk);
		const resource = instanceResource(request, "europe-west4-a", gcpSettingsSchema.parse(settings), Date.now());
		const [boot] = resource.disks ?? [];
		expect(boot?.initializeParams).toMatchObject({
			sourceImage: expect.stringMatching(/^projects\/ubuntu-os-accelerator-images\/.*tpu/),
			diskType: "zones/europe-west4-a/diskTypes/hyperdisk-balanced",
		});
		const balanced = { ...boot?.initializeParams, diskType: "zones/europe-west4-a/diskTypes/pd-balanced" };
		const wrong = { ...resource, name: "other", disks: [{ ...boot, initializeParams: balanced }] };
		await expect(compute.insert("europe-west4-a", wrong, "6f4b2a10-0000-8000-a000-000000000009")).rejects.toMatchObject({
			kind: "invalid_request",
			message: expect.stringContaining("not compatible"),
		});
	});

	it("reads from the network's rules whether machines can reach each other", async () => {
		const settings = gcpSettingsSchema.parse({
			...{ controlPlane: "contract", project: DEFAULT_PROJECT, regions: REGIONS, endpoint: project().emulator.url },
			image: "projects/debian-cloud/global/images/family/debian-12",
		});
		const compute = new ComputeCalls(settings, async () => project().sdk);
		const { network, ipCidrRange } = await compute.subnetwork("us-central1");
		expect(reachBetween(await compute.firewalls(network), { ...settings, ipCidrRange })).toBe("yes");
	});

	it("launches A3 gangs only with subnetworks for their GPU interfaces, each in its own network", async () => {
		const gpuSubnetworks = ["gpu-1", "gpu-2", "gpu-3", "gpu-4"].map((name) => `regions/us-central1/subnetworks/${name}`);
		const settings = gcpSettingsSchema.parse({
			...{ controlPlane: "contract-a3", project: DEFAULT_PROJECT, regions: REGIONS, endpoint: project().emulator.url, gpuSubnetworks },
			image: "projects/debian-cloud/global/images/family/debian-12",
		});
		const open = async () => ({ ...project().sdk, close: async () => {} });
		const driver = (changes = {}) => new GcpDriver("gcp", { settings: { ...settings, ...changes }, listPrices: () => RATES, open });
		const gang = { instanceType: "a3-highgpu-8g", zone: "us-central1-b", nodes: 2, interconnect: "high" as const };
		const request = aLaunch({ ...(await project().makeHarness()), instanceType: gang.instanceType }, gang);
		const few = gpuSubnetworks.slice(1);
		await expect(driver({ gpuSubnetworks: few }).launch(request)).rejects.toMatchObject({
			...{ kind: "invalid_request", message: expect.stringMatching(/needs 4 GPU subnetworks in us-central1; .* lists 3$/) },
		});
		const { providerInstanceId } = await driver().launch(request);
		const instance = providerInstanceId.replace(/^.*\//, "");
		const [made] = await project().sdk.instances.get({ project: DEFAULT_PROJECT, zone: gang.zone, instance });
		expect(made.networkInterfaces?.map(({ nicType }) => nicType)).toEqual(["GVNIC", "GVNIC", "GVNIC", "GVNIC", "GVNIC"]);

		const compute = new ComputeCalls(settings, async () => project().sdk);
		expect(await describeGpuSubnetworks(compute, settings)).toBe("us-central1: 4 subnetworks, each in its own network");
		const shared = { ...settings, gpuSubnetworks: ["regions/us-central1/subnetworks/bursts"] };
		expect(await describeGpuSubnetworks(compute, shared)).toEqual({
			failed: "regions/us-central1/subnetworks/bursts is in the VPC network of another interface. Each needs its own.",
		});
	});

	it("reports before any launch what Google does not have of the site's settings", async () => {
		const settings = {
			...{ controlPlane: "contract", project: DEFAULT_PROJECT, regions: ["us-central1", "mars-north1"], endpoint: project().emulator.url },
			image: "projects/debian-cloud/global/images/family/debian-12",
			subnetworks: { "us-central1": "projects/shared/regions/us-central1/subnetworks/bursts" },
		};
		const driver = new GcpDriver("gcp", { settings, listPrices: () => RATES, open: async () => project().sdk });
		project().emulator.faults.add({ action: "Images.GetFromFamily", error: { code: "notFound" } });
		project().emulator.faults.add({ action: "Subnetworks.Get", error: { code: "notFound" } });
		await expect(driver.check()).rejects.toMatchObject({
			kind: "invalid_request",
			message:
				"Google Cloud has no region mars-north1 for the project emulated-project; no image projects/debian-cloud/global/images/family/debian-12; no subnetwork projects/shared/regions/us-central1/subnetworks/bursts, which is set for us-central1. Correct the site's settings or create what is missing, before launching instances",
		});
		// A missing permission to read must not block launches.
		project().emulator.faults.add({ action: "Images.GetFromFamily", error: { code: "forbidden" } });
		await new GcpDriver("gcp", {
			settings: { ...settings, regions: REGIONS },
			listPrices: () => RATES,
			open: async () => project().sdk,
		}).check();
	});
});
