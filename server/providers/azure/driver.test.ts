import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startAzureEmulator } from "#server/emulators/azure/emulator.ts";
import { EMULATED_RESOURCE_GROUP, EMULATED_SUBSCRIPTION } from "#server/emulators/azure/options.ts";
import { eventually } from "#server/emulators/shared/testing/eventually.ts";
import type { LaunchRequest } from "../driver.ts";
import { AzureDriver } from "./driver.ts";
import type { AzureSettings } from "./settings.ts";

const SIZE = "Standard_NC4as_T4_v3";
const CREATE = "virtualMachines.createOrUpdate";

async function startCloud() {
	const stateDir = mkdtempSync(path.join(tmpdir(), "spillway-azure-driver-"));
	const calls: string[] = [];
	const regions = [{ region: "eastus", onDemandMicroUsdPerHour: 526_000n, zones: [{ zone: "eastus-1", spotMicroUsdPerHour: 200_000n }] }];
	const emulator = await startAzureEmulator({
		...{ port: 0, stateDir, bootDelayMs: 0, terminateDelayMs: 0, spotNoticeMs: 0, guestStopGraceMs: 100, seed: 1 },
		catalog: [{ instanceType: SIZE, vcpus: 4, memoryGiB: 28, gpus: 1, gpuModel: "T4-16GB", regions }],
		log: (line) => calls.push(line.split(" ")[0] ?? ""),
	});
	onTestFinished(async () => {
		await emulator.stop({ killInstances: true });
		rmSync(stateDir, { recursive: true, force: true });
	});
	const driver = (controlPlane = "spw-1", changes: Partial<AzureSettings> = {}) =>
		new AzureDriver("azure", {
			settings: {
				...{ controlPlane, endpoint: emulator.url, subscriptionId: EMULATED_SUBSCRIPTION, resourceGroup: EMULATED_RESOURCE_GROUP },
				regions: ["eastus"],
				subnets: { eastus: "/subscriptions/s/resourceGroups/n/providers/Microsoft.Network/virtualNetworks/v/subnets/s" },
				allocationPollMs: 5,
				...changes,
			},
			listPrices: () => [],
		});
	return { emulator, calls, driver };
}

const request = (instanceId: string): LaunchRequest => ({
	...{ instanceId, jobId: "job_1", attemptId: "att_1_001", region: "eastus", zone: null, instanceType: SIZE, capacityType: "on_demand" },
	...{ userData: "", expiresAtMs: 1_900_000_000_000 },
});

it("reads a few machines by name, and many from the lists", async () => {
	const { driver, calls } = await startCloud();
	const azure = driver();
	const made = await Promise.all(Array.from({ length: 11 }, (_, i) => azure.launch(request(`ins_${i}_001_0`))));
	const ids = made.map(({ providerInstanceId }) => providerInstanceId);
	calls.length = 0;
	expect(await azure.describe("eastus", ids.slice(0, 2))).toHaveLength(2);
	expect(calls.filter((call) => call.includes("."))).toEqual(["virtualMachines.get", "virtualMachines.get"]);
	calls.length = 0;
	const seen = await azure.describe("eastus", [...ids, "spillway/unknown"]);
	expect(seen.map(({ providerInstanceId }) => providerInstanceId).toSorted()).toEqual(ids.toSorted());
	expect(calls.filter((call) => call.includes(".")).toSorted()).toEqual([
		"virtualMachines.get",
		"virtualMachines.listAll",
		"virtualMachines.listByLocation",
	]);
});

it("never deletes a machine without its tag", async () => {
	const { emulator, driver } = await startCloud();
	const theirs = await driver("spw-2").launch(request("ins_1_001_0"));
	await driver("spw-1").terminate("eastus", theirs.providerInstanceId);
	expect(
		emulator.instances().map(({ state, stateReasonCode }) => [state === "shutting-down" || state === "terminated", stateReasonCode]),
	).toEqual([[false, null]]);
});

it("reports missing capacity only when nothing is left of it, and needs a retry if that takes too long", async () => {
	const { emulator, driver } = await startCloud();
	const azure = driver("spw-1", { allocationWatchMs: 0 });
	emulator.faults.add({ action: CREATE, error: { code: "AllocationFailed" } });
	emulator.faults.add({ action: "virtualMachines.delete", error: { code: "InternalExecutionError" } });
	await expect(azure.launch(request("ins_1_001_0"))).rejects.toMatchObject({ kind: "transient" });
	expect(await azure.list()).toMatchObject({ instances: [{ state: "stopped", stateReasonCode: "AllocationFailed" }] });
	// The repeated call finds the failed machine by its name, in any process.
	await eventually("the refusal", () =>
		driver()
			.launch(request("ins_1_001_0"))
			.then(
				() => null,
				(error: unknown) => expect(error).toMatchObject({ kind: "insufficient_capacity", providerCode: "AllocationFailed" }) ?? true,
			),
	);
	expect((await azure.list()).instances).toEqual([]);
	expect(await azure.launch(request("ins_1_001_0"))).toMatchObject({ capacityType: "on_demand" });
});

it("ignores deletions that it did not request, and does nothing for machines that no longer exist", async () => {
	const { driver, emulator } = await startCloud();
	const azure = driver();
	const { providerInstanceId } = await azure.launch(request("ins_1_001_0"));
	await driver().terminate("eastus", providerInstanceId);
	await eventually("the end", () => emulator.instances()[0]?.state === "terminated");
	// A driver that did not request the deletion cannot confirm it: the machine is missing.
	expect(await azure.describe("eastus", [providerInstanceId])).toEqual([]);
	await azure.terminate("eastus", providerInstanceId);
});

it("checks what a machine needs before a launch, and reports all that is missing", async () => {
	const { driver, emulator } = await startCloud();
	await driver().check();
	const image = { publisher: "p", offer: "o", sku: "s" };
	emulator.faults.add({ action: "virtualMachineImages.list", match: { region: "eastus" }, error: { code: "NotFound", httpStatus: 404 } });
	await expect(driver("spw-1", { regions: ["eastus", "westus"], image }).check()).rejects.toMatchObject({
		kind: "invalid_request",
		message: expect.stringMatching(
			/the image p:o:s, which Azure does not have in eastus; no subnet for westus\. Correct the site's settings/,
		),
	});
	emulator.faults.add({ action: "virtualMachineImages.list", error: { code: "AuthorizationFailed" } });
	await driver().check();
	await expect(driver("spw-1", { resourceGroup: "nowhere" }).check()).rejects.toMatchObject({ providerCode: "ResourceGroupNotFound" });
});
