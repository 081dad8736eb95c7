import { createPublicKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { LaunchRequest } from "../driver.ts";
import { availabilitySetResource, placementsOf } from "./gang-placement.ts";
import { type AzureVm, failureIn, launchSum, observationOf, virtualMachineOf } from "./mapper.ts";
import { machineNameOf, providerIdOf, readProviderId, refOfResourceId } from "./names.ts";
import { azureSettingsSchema, azureSiteSettings } from "./settings.ts";
import { throwawayPublicKey } from "./throwaway-key.ts";

const NETWORK = "/subscriptions/s/resourceGroups/net/providers/Microsoft.Network";
const ROW = {
	subscriptionId: "00000000-0000-4000-8000-000000000000",
	resourceGroup: "spillway",
	regions: ["eastus", "westeurope"],
	subnets: { eastus: `${NETWORK}/virtualNetworks/v/subnets/s` },
};
const settings = azureSettingsSchema.parse({ ...ROW, controlPlane: "spw-1" });

const request = (changes: Partial<LaunchRequest> = {}): LaunchRequest => ({
	instanceId: "ins_01jd_001_0",
	jobId: "job_01jd",
	attemptId: "att_01jd_001",
	region: "eastus",
	zone: null,
	instanceType: "Standard_NC4as_T4_v3",
	capacityType: "on_demand",
	userData: "#!/bin/sh\n",
	expiresAtMs: 1_800_000_000_000,
	...changes,
});

const vm = (changes: Partial<AzureVm> = {}): AzureVm => ({
	name: "ins-01jd-001-0",
	id: "/subscriptions/s/resourceGroups/SPILLWAY/providers/Microsoft.Compute/virtualMachines/ins-01jd-001-0",
	location: "EastUS",
	provisioningState: "Succeeded",
	timeCreated: new Date(1_000),
	hardwareProfile: { vmSize: "Standard_NC4as_T4_v3" },
	tags: { "spillway:instance": "ins_01jd_001_0" },
	...changes,
});
const power = (...codes: string[]) => ({ instanceView: { statuses: codes.map((code) => ({ code })) } });

describe("what Azure shows", () => {
	it.each([
		["being made", vm({ provisioningState: "Creating" }), "pending"],
		["created, without a power state", vm(power("ProvisioningState/succeeded")), "pending"],
		["running", vm(power("ProvisioningState/succeeded", "PowerState/running")), "running"],
		["shut down from within", vm(power("PowerState/stopped")), "stopped"],
		["deallocated", vm(power("PowerState/deallocated")), "stopped"],
		["shutting down", vm(power("PowerState/deallocating")), "stopping"],
		["being deleted while running", vm({ provisioningState: "Deleting", ...power("PowerState/running") }), "stopping"],
		["failed", vm({ provisioningState: "Failed", ...power("ProvisioningState/failed/AllocationFailed") }), "stopped"],
	])("%s", (_what, shown, state) => {
		expect(observationOf(shown)).toMatchObject({ state, providerInstanceId: "spillway/ins-01jd-001-0", region: "eastus", zone: null });
	});

	it("has the capacity type that was launched", () => {
		expect(observationOf(vm({ priority: "Spot" })).capacityType).toBe("spot");
		expect(observationOf(vm({ priority: "Regular" })).capacityType).toBe("on_demand");
		expect(observationOf(vm({ capacityReservation: {} })).capacityType).toBe("reserved");
		expect(observationOf(vm({ zones: ["2"] })).zone).toBe("eastus-2");
	});

	it("reports why it failed, even if Azure reported no reason", () => {
		const failed = vm({
			provisioningState: "Failed",
			instanceView: { statuses: [{ code: "ProvisioningState/failed/AllocationFailed", message: "no room" }] },
		});
		expect(failureIn(failed)).toEqual({ code: "AllocationFailed", message: "no room" });
		expect(observationOf(failed).stateReasonCode).toBe("AllocationFailed");
		expect(failureIn(vm({ provisioningState: "Failed" }))).toMatchObject({ code: "ProvisioningFailed" });
		expect(failureIn(vm())).toBeNull();
	});

	it.each([
		["Creating", null, { phase: "not_yet" }],
		["Succeeded", "starting", { phase: "now", fromMs: null }],
		["Succeeded", "running", { phase: "now", fromMs: null }],
		["Succeeded", "stopped", { phase: "now", fromMs: null }],
		["Succeeded", "deallocated", { phase: "over", fromMs: null, untilMs: null }],
		["Deleting", "running", { phase: "over", fromMs: null, untilMs: null }],
		["Failed", null, { phase: "never" }],
	])("reports the billed time of one that is %s and %s", (provisioningState, power, billing) => {
		const statuses = power === null ? [] : [{ code: `PowerState/${power}` }];
		expect(observationOf(vm({ provisioningState, instanceView: { statuses } })).billing).toEqual(billing);
	});

	it("is rejected when its id is not a machine's", () => {
		expect(() => observationOf(vm({ id: "/subscriptions/s" }))).toThrow(/is not the id of a virtual machine/);
	});
});

describe("what is asked for", () => {
	it("has disk and network interface deleted with it, our tags, and its script in custom data", () => {
		const machine = virtualMachineOf(request(), settings, "ssh-rsa AAAA test");
		expect(machine.storageProfile?.osDisk).toMatchObject({ createOption: "FromImage", deleteOption: "Delete" });
		expect(machine.networkProfile?.networkInterfaceConfigurations?.[0]).toMatchObject({ deleteOption: "Delete" });
		expect(machine.networkProfile?.networkInterfaces).toBeUndefined();
		expect(Buffer.from(machine.osProfile?.customData ?? "", "base64").toString()).toBe("#!/bin/sh\n");
		expect(machine.tags).toMatchObject({
			"spillway:control-plane": "spw-1",
			"spillway:instance": "ins_01jd_001_0",
			"spillway:job": "job_01jd",
			"spillway:expires-at": "2027-01-15T08:00:00.000Z",
		});
		expect(machine).not.toHaveProperty("priority");
		expect(machine).not.toHaveProperty("zones");
	});

	it("is spot with deletion at its eviction, in a zone, or for a reservation", () => {
		expect(virtualMachineOf(request({ capacityType: "spot", zone: "eastus-3" }), settings, "k")).toMatchObject({
			priority: "Spot",
			evictionPolicy: "Delete",
			billingProfile: { maxPrice: -1 },
			zones: ["3"],
		});
		const group = `${NETWORK}/capacityReservationGroups/g`;
		const reserving = azureSettingsSchema.parse({ ...ROW, controlPlane: "spw-1", capacityReservationGroups: { eastus: group } });
		expect(virtualMachineOf(request({ capacityType: "reserved" }), reserving, "k").capacityReservation).toEqual({
			capacityReservationGroup: { id: group },
		});
		const other = `${NETWORK}/capacityReservationGroups/other`;
		expect(virtualMachineOf(request({ capacityType: "reserved", reservation: other }), reserving, "k").capacityReservation).toEqual({
			capacityReservationGroup: { id: other },
		});
		expect(virtualMachineOf(request(), reserving, "k")).not.toHaveProperty("capacityReservation");
	});

	it("requires a subnet and an image in its region", () => {
		expect(() => virtualMachineOf(request({ region: "westeurope" }), settings, "k")).toThrow(
			/no subnet is set for westeurope; add one to the site's settings/,
		);
		const image = { westeurope: { id: "/subscriptions/s/images/i" } };
		const others = azureSettingsSchema.parse({ ...ROW, controlPlane: "spw-1", image });
		expect(() => virtualMachineOf(request(), others, "k")).toThrow(/no machine image is set for eastus; add one to the site's settings/);
		const everywhere = azureSettingsSchema.parse({ ...ROW, controlPlane: "spw-1", image: { id: "/subscriptions/s/images/i" } });
		expect(virtualMachineOf(request(), everywhere, "k").storageProfile?.imageReference).toEqual({ id: "/subscriptions/s/images/i" });
	});

	it.each([{ userData: "x" }, { capacityType: "spot" as const }, { instanceType: "y" }, { expiresAtMs: 1 }, { zone: "eastus-1" }])(
		"has another hash with %o",
		(changes) => {
			expect(launchSum(request(changes))).not.toBe(launchSum(request()));
			expect(launchSum(request())).toBe(launchSum(request()));
		},
	);
});

describe("names", () => {
	it("can be converted in both directions", () => {
		expect(machineNameOf("ins_01JD_001_0")).toBe("ins-01jd-001-0");
		const id = providerIdOf({ resourceGroup: "Spillway", name: "ins-1" });
		expect(readProviderId(id)).toEqual({ resourceGroup: "spillway", name: "ins-1" });
		expect(readProviderId("i-0123456789abcdef0")).toBeNull();
		expect(refOfResourceId("/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/networkInterfaces/n")).toBeNull();
	});
});

describe("settings", () => {
	it.each([
		["http to another host", { endpoint: "http://azure.example.com" }, /plain http is allowed for an emulator on this host only/],
		[
			"a credential in the row",
			{ credentials: { tenantId: ROW.subscriptionId, clientId: ROW.subscriptionId, clientSecret: "x" } },
			/credentials/,
		],
		["a region by its long name", { regions: ["East US"] }, /Azure's short form/],
		["a subnet that is not a resource id", { subnets: { eastus: "default" } }, /begins with \/subscriptions\//],
		["no subscription", { subscriptionId: undefined }, /subscriptionId/],
	])("reject %s", (_what, wrong, words) => {
		expect(() => azureSiteSettings("azure", { ...ROW, ...wrong }, "spw-1")).toThrow(words);
	});

	it("accept a row, and an emulator on this host", () => {
		expect(azureSiteSettings("azure", { ...ROW, endpoint: "http://127.0.0.1:3011" }, "spw-1")).toMatchObject({ controlPlane: "spw-1" });
	});
});

it("a discarded key is an RSA key in SSH's format", async () => {
	const [kind, blob = ""] = (await throwawayPublicKey()).split(" ");
	expect(kind).toBe("ssh-rsa");
	const fields: Buffer[] = [];
	for (let rest = Buffer.from(blob, "base64"); rest.length > 0; rest = rest.subarray(4 + rest.readUInt32BE(0)))
		fields.push(rest.subarray(4, 4 + rest.readUInt32BE(0)));
	const [name, e, n] = fields;
	expect(name?.toString()).toBe("ssh-rsa");
	const jwk = { kty: "RSA", e: e?.toString("base64url") ?? "", n: n?.subarray(1).toString("base64url") ?? "" };
	expect(createPublicKey({ key: jwk, format: "jwk" }).asymmetricKeyDetails?.modulusLength).toBe(3_072);
	expect(await throwawayPublicKey()).toContain(blob);
});

describe("a gang that needs a high-bandwidth interconnect", () => {
	const gang = (changes: Partial<LaunchRequest> = {}) => request({ nodes: 2, interconnect: "high", ...changes });
	const setOf = (changes: Partial<LaunchRequest> = {}) => virtualMachineOf(gang(changes), settings, "ssh-rsa AAAA test").availabilitySet;

	it("is in its availability set, by which its attempt is found", () => {
		const id = `/subscriptions/${ROW.subscriptionId}/resourceGroups/spillway/providers/Microsoft.Compute/availabilitySets`;
		expect(setOf()).toEqual({ id: `${id}/spillway-att-01jd-001` });
		expect(availabilitySetResource(gang(), "spw-1")).toMatchObject({ location: "eastus", sku: { name: "Aligned" } });
		const ours = { name: "spillway-att-01jd-001", location: "EastUS", tags: { "spillway:control-plane": "spw-1" } };
		const found = placementsOf([ours, { ...ours, tags: {} }, { ...ours, name: "theirs" }], "spw-1");
		expect(found).toEqual([{ region: "eastus", name: ours.name, attemptId: "att_01jd_001" }]);
	});

	it("has none for one node, any network or spot", () => {
		expect([setOf({ nodes: 1 }), setOf({ interconnect: undefined }), setOf({ capacityType: "spot" })]).toEqual([
			undefined,
			undefined,
			undefined,
		]);
	});
});
