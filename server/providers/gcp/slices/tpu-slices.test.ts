import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GceEmulator, startGceEmulator } from "#server/emulators/gcp/emulator.ts";
import { writeKeyFile } from "#server/emulators/gcp/key-file.ts";
import { DEFAULT_PROJECT } from "#server/emulators/gcp/options.ts";
import { eventually } from "#server/emulators/shared/testing/eventually.ts";
import { defined } from "#server/kernel/assert.ts";
import { listOffers } from "#server/rates/offers.ts";
import { CHIP_RATES } from "#server/rates/tpu-chips.ts";
import type { InstanceObservation, LaunchRequest } from "../../driver.ts";
import { type ComputeClients, openComputeClients } from "../compute-clients.ts";
import { GcpDriver } from "../driver.ts";

const ZONE = "us-east5-b";
const REGION = "us-east5";
const NOW_MS = Date.parse("2026-11-22T10:00:00Z");

let stateDir: string;
let emulator: GceEmulator;
let sdk: ComputeClients;
let aheadMs = 0;

beforeAll(async () => {
	stateDir = mkdtempSync(path.join(tmpdir(), "spillway-tpu-"));
	process.env["GOOGLE_APPLICATION_CREDENTIALS"] = writeKeyFile(stateDir);
	emulator = await startGceEmulator({
		...{ port: 0, stateDir, seed: 1, bootDelayMs: 5, terminateDelayMs: 5, spotNoticeMs: 5, guestStopGraceMs: 100 },
		clock: () => Date.now() + aheadMs,
		catalog: [
			{
				...{ instanceType: "g2-standard-4", vcpus: 4, memoryGiB: 16, gpus: 1, gpuModel: "L4-24GB" },
				regions: [{ region: REGION, onDemandMicroUsdPerHour: 700_000n, zones: [{ zone: ZONE, spotMicroUsdPerHour: null }] }],
			},
		],
		tpuTypes: { [ZONE]: ["v6e-1", "v6e-16", "v5litepod-16", "v5p-16"] },
	});
	sdk = await openComputeClients({ endpoint: emulator.url });
});
afterAll(async () => {
	await sdk.close();
	await emulator.stop({ killInstances: true });
	rmSync(stateDir, { recursive: true, force: true });
});

let drivers = 0;
function openDriver(): GcpDriver {
	drivers += 1;
	const settings = {
		...{ controlPlane: `tpu-${drivers}`, project: DEFAULT_PROJECT, regions: [REGION], endpoint: emulator.url, livePrices: false },
		...{ image: "projects/debian-cloud/global/images/family/debian-12", tpuZones: [ZONE], operationPollMs: 5, pageSize: 5 },
		capacityTimeoutMs: 200,
	};
	return new GcpDriver("gcp", {
		settings,
		listPrices: () => listOffers("gcp"),
		listChips: () => CHIP_RATES,
		clock: { nowMs: () => NOW_MS },
		open: async () => ({ ...sdk, close: async () => {} }),
	});
}

let attempts = 0;
/** The calls for all hosts of one attempt. */
function hostsOfAttempt(changes: Partial<LaunchRequest> = {}, hosts = 4): LaunchRequest[] {
	attempts += 1;
	const ids = Array.from({ length: hosts }, (_, rank) => `ins_slice${attempts}_001_${rank}`);
	return ids.map((instanceId) => ({
		...{ instanceId, jobId: "job_slice", attemptId: `att_slice${attempts}_001`, region: REGION, zone: ZONE, nodes: hosts },
		...{ instanceType: "v6e-16", capacityType: "on_demand" as const, userData: "#!/bin/sh\n", expiresAtMs: Date.now() + 3_600_000 },
		hosts: ids.map((id) => ({ instanceId: id, userData: `#!/bin/sh\necho ${id}\nsleep 600\n` })),
		...changes,
	}));
}

async function launchAll(driver: GcpDriver, requests: readonly LaunchRequest[]): Promise<InstanceObservation[]> {
	const launched: InstanceObservation[] = [];
	for (const request of requests) launched.push(await driver.launch(request));
	return launched;
}

describe("offers of TPU slices", () => {
	it("have a host's chips and their price: v6e at $2.7 a chip, v5e at $1.2, v5p at $4.2, four chips to a host", async () => {
		const { offers } = await openDriver().offers();
		const slices = offers.filter(({ capacityType, accelerator }) => capacityType === "on_demand" && accelerator.startsWith("TPU"));
		expect(slices.map((o) => [o.instanceType, o.zone, o.gpus, o.microUsdPerHour])).toEqual([
			["v5litepod-16", ZONE, 4, 4_800_000n],
			["v5p-16", ZONE, 4, 16_800_000n],
			["v6e-16", ZONE, 4, 10_800_000n],
		]);
		expect(slices.every(({ priceSource }) => priceSource.includes("2024-12-23"))).toBe(true);
	});
});

describe("a TPU slice", () => {
	it("is created once for all hosts, each with its own id, address and number", async () => {
		const driver = openDriver();
		const requests = hostsOfAttempt();
		const launched = await launchAll(driver, requests);
		expect(launched.map(({ instanceId }) => instanceId)).toEqual(requests.map(({ instanceId }) => instanceId));
		expect(await driver.launch(defined(requests[0], "first request"))).toMatchObject({
			providerInstanceId: launched[0]?.providerInstanceId,
		});
		const ids = launched.map(({ providerInstanceId }) => providerInstanceId);
		const running = await eventually("running hosts", async () => {
			const seen = await driver.describe(REGION, ids);
			return seen.every(({ state }) => state === "running") ? seen : null;
		});
		expect(new Set(running.map(({ privateAddress }) => privateAddress)).size).toBe(4);
		expect(running[0]).toMatchObject({ instanceType: "v6e-16", zone: ZONE, billing: { phase: "now" } });
		const { instances } = await driver.list();
		expect(instances.map(({ instanceId }) => instanceId)).toEqual(requests.map(({ instanceId }) => instanceId));
		expect(await driver.findByToken(REGION, "ins_none_001_0")).toBeNull();
		expect((await driver.findByToken(REGION, defined(requests[2], "third").instanceId))?.providerInstanceId).toBe(ids[2]);
		// Another control plane's list has none of them.
		expect((await openDriver().list()).instances).toEqual([]);
		await driver.terminate(REGION, defined(ids[1], "second id"));
		await driver.terminate(REGION, defined(ids[3], "fourth id"));
		await eventually("the end of all hosts", async () => {
			const seen = await driver.describe(REGION, ids);
			return seen.length === 4 && seen.every(({ state }) => state === "terminated") ? seen : null;
		});
		expect((await driver.list()).instances).toEqual([]);
	});

	it("ends as a whole when Google reclaims one of its spot hosts", async () => {
		const driver = openDriver();
		const launched = await launchAll(driver, hostsOfAttempt({ capacityType: "spot" }));
		const ids = launched.map(({ providerInstanceId }) => providerInstanceId);
		await eventually("running hosts", async () =>
			(await driver.describe(REGION, ids)).every(({ state }) => state === "running") ? true : null,
		);
		const host = defined(
			emulator.instances().findLast(({ instanceType, state }) => instanceType === "v6e-16" && state === "running"),
			"a running host",
		);
		emulator.interrupt(host.instanceId);
		const over = await eventually("the end of all hosts", async () => {
			const seen = await driver.describe(REGION, ids);
			return seen.every(({ state }) => state === "stopped") ? seen : null;
		});
		expect(over.map(({ stateReasonCode, billing }) => [stateReasonCode, billing.phase])).toEqual(
			Array(4).fill(["spot: SUSPENDED", "over"]),
		);
	});

	it("waits in Google's queue, and is out of capacity once Google gives up; the failed request is deleted", async () => {
		const driver = openDriver();
		emulator.faults.add({ action: "Tpu.Provision", error: { code: "STOCKOUT" } });
		const [first] = hostsOfAttempt();
		await expect(driver.launch(defined(first, "request"))).rejects.toMatchObject({ kind: "transient", providerCode: "Queued" });
		aheadMs += 301_000;
		await expect(driver.launch(defined(first, "request"))).rejects.toMatchObject({
			kind: "insufficient_capacity",
			message: expect.stringContaining("no more capacity"),
		});
		expect((await driver.list()).instances).toEqual([]);
		const [left] = await driver.placements.list();
		expect(left).toMatchObject({ region: REGION, attemptId: first?.attemptId });
		await driver.placements.delete(defined(left, "failed request"));
		expect(await driver.placements.list()).toEqual([]);
	});

	it.each([
		["quota_exceeded", "RESOURCE_EXHAUSTED", "Quota limit 'TPUV6EPerProjectPerZoneForTPUAPI' has been exceeded. Limit: 0"],
		["insufficient_capacity", "RESOURCE_EXHAUSTED", 'There is no more capacity in the zone "us-east5-b"'],
		["unauthorized", "PERMISSION_DENIED", "Permission 'tpu.nodes.create' denied"],
		["transient", "UNAVAILABLE", "The service is currently unavailable."],
	])("reports %s for Google's %s: %s", async (kind, code, message) => {
		emulator.faults.add({ action: "Tpu.CreateQueuedResource", error: { code, message } });
		const [first] = hostsOfAttempt();
		await expect(openDriver().launch(defined(first, "request"))).rejects.toMatchObject({ kind, message: expect.stringContaining(message) });
	});

	it("is refused for a number of hosts other than its own, without a call", async () => {
		const [first] = hostsOfAttempt({}, 2);
		await expect(openDriver().launch(defined(first, "request"))).rejects.toMatchObject({
			kind: "invalid_request",
			message: expect.stringContaining("set nodes to 4"),
		});
	});
});
