import type { VirtualMachine } from "@azure/arm-compute";
import { beforeAll, describe, expect, it } from "vitest";
import { EMULATED_SUBSCRIPTION, EMULATED_TOKEN } from "./options.ts";
import { GROUP, machineOf, SPOT, startTestEmulator, type TestEmulator } from "./testing/fixture.ts";

let emulator: TestEmulator;
beforeAll(async () => {
	emulator = await startTestEmulator();
	return () => emulator.dispose();
});

const VM = `/subscriptions/${EMULATED_SUBSCRIPTION}/resourceGroups/${GROUP}/providers/Microsoft.Compute/virtualMachines`;
const VERSION = "api-version=2026-04-01";

async function send(method: string, path: string, body?: unknown, token = EMULATED_TOKEN) {
	const answer = await fetch(`${emulator.url}${path}`, {
		method,
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
	});
	const text = await answer.text();
	return { status: answer.status, code: text === "" ? null : JSON.parse(text).error?.code };
}

describe("a request to Azure Resource Manager", () => {
	it.each([
		["without api-version", "GET", `${VM}/x`, { status: 400, code: "MissingApiVersionParameter" }],
		[
			"with an api-version other than the SDK's",
			"GET",
			`${VM}/x?api-version=2015-06-15`,
			{ status: 400, code: "InvalidApiVersionParameter" },
		],
		["for a missing resource", "GET", `${VM}/x?${VERSION}`, { status: 404, code: "ResourceNotFound" }],
		["with an unsupported parameter", "GET", `${VM}?${VERSION}&$top=3`, { status: 400, code: "NotSupported" }],
		[
			"in another subscription",
			"GET",
			`${VM.replace(EMULATED_SUBSCRIPTION, "other")}?${VERSION}`,
			{ status: 404, code: "SubscriptionNotFound" },
		],
		["in another group", "GET", `${VM.replace(GROUP, "other")}?${VERSION}`, { status: 404, code: "ResourceGroupNotFound" }],
		["to nowhere", "GET", `/subscriptions?${VERSION}`, { status: 404, code: "InvalidResourceType" }],
		["with another method", "POST", `${VM}/x?${VERSION}`, { status: 405, code: "HttpMethodNotSupported" }],
		["for a machine that no longer exists", "DELETE", `${VM}/x?${VERSION}`, { status: 204, code: null }],
	])("%s gets Azure's response", async (_what, method, path, answer) => {
		expect(await send(method, path)).toEqual(answer);
	});

	it("with an unknown token is rejected, and so is one without", async () => {
		expect(await send("GET", `${VM}?${VERSION}`, undefined, "expired")).toEqual({ status: 401, code: "InvalidAuthenticationToken" });
		expect((await fetch(`${emulator.url}${VM}?${VERSION}`)).status).toBe(401);
	});

	it("with a body that is not JSON, or a field that the SDK does not know, is rejected", async () => {
		expect(await send("PUT", `${VM}/x?${VERSION}`, "{")).toMatchObject({ code: "InvalidRequestContent" });
		const flat = { location: "eastus", hardwareProfile: { vmSize: "Standard_NC4as_T4_v3" } };
		expect(await send("PUT", `${VM}/x?${VERSION}`, flat)).toMatchObject({ status: 400, code: "InvalidRequestContent" });
		const nested = { location: "eastus", properties: { hardwareProfile: { vmSize: "Standard_NC4as_T4_v3", gpus: 1 } } };
		expect(await send("PUT", `${VM}/x?${VERSION}`, nested)).toMatchObject({ status: 400, code: "InvalidRequestContent" });
	});
});

describe("a machine that Azure would not make", () => {
	const os = machineOf().osProfile;
	const network = machineOf().networkProfile;
	it.each<[string, Partial<VirtualMachine>, string]>([
		["of an unknown size", { hardwareProfile: { vmSize: "Standard_X1" } }, "InvalidParameter"],
		[
			"of a size that the region does not sell",
			{ location: "northcentralus", hardwareProfile: { vmSize: "Standard_ND96isr_H100_v5" } },
			"SkuNotAvailable",
		],
		["of a size that the zone does not sell", { zones: ["2"], hardwareProfile: { vmSize: "Standard_ND96isr_H100_v5" } }, "SkuNotAvailable"],
		["in an unknown zone", { zones: ["7"] }, "AvailabilityZoneNotSupported"],
		["in two zones", { zones: ["1", "2"] }, "InvalidParameter"],
		["in an unknown region", { location: "atlantis" }, "LocationNotAvailableForResourceType"],
		[
			"as spot where spot is not sold",
			{ ...SPOT, hardwareProfile: { vmSize: "Standard_ND96isr_H100_v5" } },
			"AzureSpotIsNotSupportedForThisVMSize",
		],
		["below the spot price", { ...SPOT, billingProfile: { maxPrice: 0.1 } }, "SpotPriceGreaterThanProvidedMaxPrice"],
		["for nothing", { ...SPOT, billingProfile: { maxPrice: 0 } }, "MaxPriceValueInvalid"],
		["with an eviction policy, but not as spot", { evictionPolicy: "Delete" }, "EvictionPolicyCanBeSetOnlyOnAzureSpotVirtualMachines"],
		["with a price limit, but not as spot", { billingProfile: { maxPrice: 1 } }, "MaxPriceIsSupportedOnlyForAzureSpotVirtualMachines"],
		["without an image", { storageProfile: { osDisk: { createOption: "FromImage" } } }, "InvalidParameter"],
		["without a network", { networkProfile: {} }, "NetworkProfileNotSpecified"],
		[
			"without the version of the network's interface",
			{ networkProfile: { ...network, networkApiVersion: undefined } as never },
			"InvalidParameter",
		],
		["without a key or password", { osProfile: { computerName: "x", adminUsername: "x" } }, "InvalidParameter"],
		["with an invalid host name", { osProfile: { ...os, computerName: "a_b" } }, "InvalidParameter"],
		["with custom data that is not base64", { osProfile: { ...os, customData: "#!/bin/sh" } }, "InvalidParameter"],
		["with too much custom data", { osProfile: { ...os, customData: "A".repeat(87_384) } }, "InvalidParameter"],
		["with an invalid tag", { tags: { "a/b": "x" } }, "InvalidTagNameCharacters"],
		["with a license, which is not emulated", { licenseType: "RHEL_BYOS" }, "NotSupported"],
	])("%s is rejected", async (_what, changes, code) => {
		const made = emulator.client().virtualMachines.createOrUpdate(GROUP, "refused", machineOf(changes)).submitted();
		await expect(made).rejects.toMatchObject({ name: "RestError", code });
		expect(emulator.instances()).toEqual([]);
	});

	it("has a name that Azure rejects", async () => {
		const made = emulator.client().virtualMachines.createOrUpdate(GROUP, "a_b", machineOf()).submitted();
		await expect(made).rejects.toMatchObject({ code: "InvalidResourceName" });
	});
});
