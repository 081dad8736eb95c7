import { describe, expect, it } from "vitest";
import { DAY_MS } from "#server/kernel/units.ts";
import type { LaunchRequest } from "../driver.ts";
import { placementsIn } from "./gang-placement.ts";
import { gceInstanceSchema, hasCapacity, instanceResource, observationOf } from "./mapper.ts";
import { instanceIdOfName, machineName, readProviderId, requestIdOf } from "./names.ts";
import { gcpSettingsSchema, gcpSiteSettings } from "./settings.ts";

const STARTED_MS = Date.parse("2026-11-22T10:00:20Z");
const ENDED_MS = Date.parse("2026-11-22T10:05:00Z");

const NOW_MS = Date.parse("2026-11-30T20:00:00Z");
const ZONE = "us-central1-a";
const SETTINGS = gcpSettingsSchema.parse({
	controlPlane: "spw-0123456789abcdef",
	project: "acme-bursts",
	regions: ["us-central1"],
	image: "projects/debian-cloud/global/images/family/debian-12",
	subnetworks: { "us-central1": "regions/us-central1/subnetworks/bursts" },
	externalAddress: false,
	networkTags: ["spillway"],
	serviceAccount: "bursts@acme-bursts.iam.gserviceaccount.com",
});

const REQUEST: LaunchRequest = {
	instanceId: "ins_01jd0000000000000000000000_001_0",
	jobId: "job_01jd0000000000000000000000",
	attemptId: "att_01jd0000000000000000000000_001",
	region: "us-central1",
	zone: ZONE,
	instanceType: "g2-standard-4",
	capacityType: "spot",
	userData: "#!/bin/sh\necho ü\n",
	expiresAtMs: Date.parse("2026-12-01T08:00:00Z"),
};
const resource = (changes: Partial<LaunchRequest> = {}, settings = SETTINGS) =>
	instanceResource({ ...REQUEST, ...changes }, ZONE, settings, NOW_MS);

it("grants login to holders of the site's keys, and to no one without any", () => {
	const sshKeys = ["ann:ssh-ed25519 AAAAann", "bob:ssh-ed25519 AAAAbob bob@example.test"];
	const items = (settings = SETTINGS) => resource({}, settings).metadata?.items;
	expect(items({ ...SETTINGS, sshKeys })).toContainEqual({ key: "ssh-keys", value: sshKeys.join("\n") });
	expect(items()).toEqual([{ key: "startup-script", value: REQUEST.userData }]);
	expect(() => gcpSettingsSchema.parse({ ...SETTINGS, sshKeys: ["ssh-ed25519 AAAAann"] })).toThrow(/must have the form ann:/);
});

it("launches into the reservation that its commitment names", () => {
	expect(resource({ capacityType: "reserved", reservation: "a100-block" })).toMatchObject({
		scheduling: { provisioningModel: "STANDARD" },
		reservationAffinity: {
			consumeReservationType: "SPECIFIC_RESERVATION",
			key: "compute.googleapis.com/reservation-name",
			values: ["a100-block"],
		},
	});
	expect(resource({ capacityType: "reserved", reservation: null })).not.toHaveProperty("reservationAffinity");
});

it("requests one spot machine, labeled in the same call, that Google itself deletes at its expiry", () => {
	expect(resource()).toMatchObject({
		name: expect.stringMatching(/^spw-[0-9a-f]{8}-ins-01jd0000000000000000000000-001-0$/),
		machineType: "zones/us-central1-a/machineTypes/g2-standard-4",
		labels: {
			"spillway-control-plane": "spw-0123456789abcdef",
			"spillway-instance": "ins_01jd0000000000000000000000_001_0",
			"spillway-job": "job_01jd0000000000000000000000",
			"spillway-expires-at": "1796112000",
			"spillway-request": expect.stringMatching(/^[0-9a-f]{40}$/),
		},
		disks: [{ boot: true, autoDelete: true, initializeParams: { sourceImage: SETTINGS.image, diskSizeGb: 100 } }],
		scheduling: {
			provisioningModel: "SPOT",
			onHostMaintenance: "TERMINATE",
			automaticRestart: false,
			terminationTime: "2026-12-01T08:00:00.000Z",
			instanceTerminationAction: "DELETE",
		},
		metadata: { items: [{ key: "startup-script", value: REQUEST.userData }] },
		networkInterfaces: [{ subnetwork: "regions/us-central1/subnetworks/bursts" }],
		tags: { items: ["spillway"] },
		serviceAccounts: [{ email: SETTINGS.serviceAccount }],
	});
	expect(resource().networkInterfaces?.[0]).not.toHaveProperty("accessConfigs");
});

it("takes the network `default` and its own address where nothing else is said, and gives no rights", () => {
	const { controlPlane, project, regions, image } = SETTINGS;
	const plain = resource({}, gcpSettingsSchema.parse({ controlPlane, project, regions, image }));
	expect(plain.networkInterfaces).toEqual([
		{ network: "global/networks/default", accessConfigs: [{ name: "External NAT", type: "ONE_TO_ONE_NAT" }] },
	]);
	expect(plain).not.toHaveProperty("serviceAccounts");
	expect(plain).not.toHaveProperty("tags");
});

it("omits Google's own switch for a lifetime above its limit, and requests no action without one", () => {
	const expiresAtMs = NOW_MS + 120 * DAY_MS;
	expect(resource({ expiresAtMs, capacityType: "on_demand" }).scheduling).toEqual({
		provisioningModel: "STANDARD",
		onHostMaintenance: "TERMINATE",
		automaticRestart: false,
	});
	expect(resource({ expiresAtMs }).scheduling).toMatchObject({ instanceTerminationAction: "DELETE" });
});

it("has the same hash for the same request at any time, and another one for a different request", () => {
	const sumOf = (made: ReturnType<typeof resource>) => made.labels?.["spillway-request"];
	const far = NOW_MS + 120 * DAY_MS;
	const later = instanceResource({ ...REQUEST, expiresAtMs: far }, ZONE, SETTINGS, NOW_MS + 60 * DAY_MS);
	expect(sumOf(later)).toBe(sumOf(resource({ expiresAtMs: far })));
	expect(later.scheduling?.terminationTime).toBeDefined();
	for (const changes of [{ userData: "#!/bin/sh\n" }, { expiresAtMs: far }, { capacityType: "on_demand" as const }]) {
		expect(sumOf(resource(changes))).not.toBe(sumOf(resource()));
	}
});

it.each([
	["PROVISIONING", "pending", false],
	["STAGING", "pending", true],
	["RUNNING", "running", true],
	["REPAIRING", "running", true],
	["STOPPING", "stopping", true],
	["SUSPENDED", "stopped", true],
	["TERMINATED", "stopped", true],
] as const)("maps Google's %s to %s", (status, state, roomIsThere) => {
	const instance = gceInstanceSchema.parse({
		id: "4242424242424242424",
		name: "machine",
		status,
		zone: "https://www.googleapis.com/compute/v1/projects/p/zones/us-central1-a",
		machineType: "https://www.googleapis.com/compute/v1/projects/p/zones/us-central1-a/machineTypes/g2-standard-4",
		creationTimestamp: "2026-11-22T02:00:00.123-08:00",
		...(state === "pending" ? {} : { lastStartTimestamp: "2026-11-22T02:00:20.000-08:00" }),
		scheduling: { provisioningModel: "SPOT" },
		somethingNew: true,
	});
	expect(hasCapacity(instance)).toBe(roomIsThere);
	expect(observationOf(instance, { code: "delete", untilMs: ENDED_MS })).toEqual({
		providerInstanceId: "us-central1-a/4242424242424242424",
		instanceId: null,
		region: "us-central1",
		zone: "us-central1-a",
		instanceType: "g2-standard-4",
		capacityType: "spot",
		state,
		launchedAtMs: Date.parse("2026-11-22T10:00:00.123Z"),
		billing: { pending: { phase: "not_yet" }, running: { phase: "now", fromMs: STARTED_MS } }[state as string] ?? {
			...{ phase: "over", fromMs: STARTED_MS, untilMs: ENDED_MS },
		},
		stateReasonCode: state === "stopping" || state === "stopped" ? "delete" : null,
		privateAddress: null,
	});
});

it.each([
	["one that stops without a recorded end yet", "STOPPING", {}, { phase: "now", fromMs: STARTED_MS }],
	[
		"one that was switched off",
		"TERMINATED",
		{ lastStopTimestamp: "2026-11-22T10:05:00Z" },
		{ phase: "over", fromMs: STARTED_MS, untilMs: ENDED_MS },
	],
	["one that never ran", "STOPPING", { lastStartTimestamp: null }, { phase: "never" }],
] as const)("reports the billed time of %s", (_what, status, changes, billing) => {
	const instance = gceInstanceSchema.parse({
		...{ id: "42", name: "m", status, zone: "zones/us-central1-a", machineType: "machineTypes/g2-standard-4" },
		...{ creationTimestamp: "2026-11-22T10:00:00Z", lastStartTimestamp: "2026-11-22T10:00:20Z", ...changes },
	});
	expect(observationOf(instance).billing).toEqual(billing);
});

it("names machines reversibly, and differently for two control planes", () => {
	const name = machineName("spw-1", REQUEST.instanceId);
	expect(name.length).toBeLessThanOrEqual(63);
	expect(instanceIdOfName("spw-1", name)).toBe(REQUEST.instanceId);
	expect(instanceIdOfName("spw-2", name)).toBeNull();
	expect(machineName("spw-2", REQUEST.instanceId)).not.toBe(name);
});

it("uses a UUID as the request id, the same for the same try", () => {
	const id = requestIdOf("spw-12345678-ins-1", 0);
	expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
	expect(requestIdOf("spw-12345678-ins-1", 0)).toBe(id);
	expect(requestIdOf("spw-12345678-ins-1", 1)).not.toBe(id);
});

it("distinguishes its own machine ids from those of other clouds", () => {
	expect(readProviderId("us-central1-a/42")).toEqual({ zone: "us-central1-a", id: "42" });
	expect(readProviderId("i-0123456789abcdef0")).toBeNull();
	expect(readProviderId("../zones/x/42")).toBeNull();
});

it("reports which of a site's settings are wrong and what they should be", () => {
	const row = { project: "Acme Bursts", regions: ["us-central1-a"], image: "debian-12", credentials: "x" };
	expect(() => gcpSiteSettings("gcp", row, "spw-1")).toThrow(
		/site gcp: invalid settings:\n {2}project: .*\n {2}regions\.0: .*us-central1\n {2}credentials: .*\n {2}image: .*/,
	);
});

describe("a gang that needs a high-bandwidth interconnect", () => {
	const gang: Partial<LaunchRequest> = { instanceType: "a3-highgpu-8g", nodes: 2, interconnect: "high" };
	const policies = (changes: Partial<LaunchRequest>) => resource({ ...gang, ...changes }).resourcePolicies;

	it("uses gVNIC and its compact placement policy, by which its attempt is found", () => {
		const { networkInterfaces, resourcePolicies } = resource(gang);
		expect(networkInterfaces).toEqual([{ subnetwork: "regions/us-central1/subnetworks/bursts", nicType: "GVNIC" }]);
		const [policy = ""] = resourcePolicies ?? [];
		expect(policy).toMatch(/^projects\/acme-bursts\/regions\/us-central1\/resourcePolicies\/spw-[0-9a-f]{8}-att-01jd0{22}-001$/);
		const name = policy.slice(policy.lastIndexOf("/") + 1);
		const placement = { region: "us-central1", name, attemptId: REQUEST.attemptId };
		expect(placementsIn("us-central1", [name, "spw-00000000-att-1", "theirs"], SETTINGS.controlPlane)).toEqual([placement]);
	});

	it("has an interface for GPU traffic in each of the region's GPU subnetworks, without an external address", () => {
		const own = Array.from({ length: 9 }, (_, n) => `regions/us-central1/subnetworks/gpu-${n}`);
		const gpuSubnetworks = ["regions/europe-west4/subnetworks/gpu-1", ...own];
		const nics = (instanceType: string) => resource({ ...gang, instanceType }, { ...SETTINGS, gpuSubnetworks }).networkInterfaces?.slice(1);
		const gvnic = (subnetwork: string) => ({ subnetwork, nicType: "GVNIC" });
		expect(nics("a3-highgpu-8g")).toEqual(own.slice(0, 4).map(gvnic));
		expect(nics("a3-megagpu-8g")).toEqual(own.slice(0, 8).map(gvnic));
		expect(nics("a2-highgpu-8g")).toEqual([]);
		expect(resource({ ...gang, nodes: 1 }, { ...SETTINGS, gpuSubnetworks }).networkInterfaces).toHaveLength(1);
		expect(() => gcpSettingsSchema.parse({ ...SETTINGS, gpuSubnetworks: ["gpu-1"] })).toThrow(/must be a subnetwork such as/);
		expect(() => gcpSettingsSchema.parse({ ...SETTINGS, gpuSubnetworks: [own[0], own[0]] })).toThrow(/must name each subnetwork once/);
	});

	it("has no policy in a named reservation, and nothing of it for one node or any network", () => {
		expect(policies({ capacityType: "reserved", reservation: "a100-block" })).toBeUndefined();
		expect(policies({ nodes: 1 })).toBeUndefined();
		expect(policies({ interconnect: undefined })).toBeUndefined();
		expect(resource({ ...gang, nodes: 1 }).networkInterfaces?.[0]).not.toHaveProperty("nicType");
	});
});
