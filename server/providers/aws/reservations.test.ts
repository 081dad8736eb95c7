import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestEmulator, type TestEmulator } from "#server/emulators/aws/testing/fixture.ts";
import { OWNER_ID } from "#server/emulators/aws/world.ts";
import type { LaunchRequest } from "../driver.ts";
import type { DatedRate } from "../snapshot-rate.ts";
import { AwsDriver } from "./driver.ts";

const RATE: DatedRate = {
	...{ instanceType: "g5.xlarge", region: "us-east-1", zone: null, accelerator: "A10G-24GB", gpus: 1, vcpus: 4, memoryGiB: 16 },
	onDemand: { microUsdPerHour: 1_006_000n, asOf: "2026-07-30", source: "invented for tests" },
	spot: null,
};
const BLOCK = {
	id: "cr-0b10c000000000000",
	region: "us-east-1",
	zone: "us-east-1b",
	instanceType: "p5.48xlarge",
	instances: 1,
	isBlock: true,
};
const PLAIN = { id: "cr-00000000000000001", region: "us-east-1", zone: "us-east-1a", instanceType: "g5.xlarge", instances: 2 };

let emulator: TestEmulator;
let driver: AwsDriver;
beforeAll(async () => {
	emulator = await startTestEmulator({ capacityReservations: [BLOCK, PLAIN], vcpuQuotas: { "L-DB2E81BA": 20, "L-417A185B": 0 } });
	driver = newDriver();
});
afterAll(async () => {
	await driver.close();
	await emulator.dispose();
});

function newDriver(): AwsDriver {
	const credentials = { accessKeyId: "AKIAEMULATED", secretAccessKey: "any" };
	const place = { regions: ["us-east-1"], imageId: "ami-0123456789abcdef0", accountId: OWNER_ID, endpoint: emulator.url };
	return new AwsDriver("aws", { settings: { controlPlane: "prod", credentials, ...place }, listPrices: () => [RATE] });
}

const request = (n: number, into: { id: string; zone: string; instanceType: string }): LaunchRequest => ({
	...{ instanceId: `ins_${n}_001_0`, jobId: `job_${n}`, attemptId: `att_${n}_001`, region: "us-east-1", zone: into.zone },
	...{ instanceType: into.instanceType, capacityType: "reserved", reservation: into.id, userData: "#!/bin/sh\n" },
	expiresAtMs: 1_900_000_000_000,
});
const quotaUsed = async () => (await driver.offers()).offers.find(({ capacityType }) => capacityType === "on_demand")?.quota?.used;

it("a Capacity Block is used through its own market type, next to the on-demand quota, until it is full", async () => {
	expect(await driver.launch(request(1, BLOCK))).toMatchObject({ capacityType: "reserved", state: "pending" });
	// A repeated request returns the same machine, even from a driver that has to look the block up again.
	const again = newDriver();
	expect(await again.launch(request(1, BLOCK))).toMatchObject({ instanceId: "ins_1_001_0" });
	await again.close();
	expect(emulator.instances()).toHaveLength(1);
	await expect(driver.launch(request(2, BLOCK))).rejects.toMatchObject({
		kind: "insufficient_capacity",
		providerCode: "ReservationCapacityExceeded",
	});
});

it("without permission to describe reservations a block is requested as before, and EC2's error is reported", async () => {
	const blind = newDriver();
	emulator.faults.add({ action: "DescribeCapacityReservations", error: { code: "UnauthorizedOperation" } });
	await expect(blind.launch(request(3, BLOCK))).rejects.toMatchObject({ kind: "invalid_request", message: /market type/ });
	await blind.close();
});

it("unused capacity counts towards the quota, and used capacity is not counted again: 2 × 4 vCPUs, for a machine or none", async () => {
	expect(await quotaUsed()).toBe(8);
	await driver.launch(request(4, PLAIN));
	expect(await quotaUsed()).toBe(8);
	emulator.faults.add({ action: "DescribeCapacityReservations", error: { code: "UnauthorizedOperation" } });
	expect(await quotaUsed()).toBe(4);
});
