import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DescribeSubnetsCommand } from "@aws-sdk/client-ec2";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Ec2Emulator, startEc2Emulator } from "#server/emulators/aws/emulator.ts";
import { DEFAULT_ACCESS_KEY_ID } from "#server/emulators/aws/options.ts";
import { newClient } from "#server/emulators/aws/testing/fixture.ts";
import { defined } from "#server/kernel/assert.ts";
import { awsSiteKind } from "./site-kind.ts";

const REGION = "us-east-1";
const TYPE = "g5.xlarge";
const stateDir = mkdtempSync(path.join(tmpdir(), "spillway-aws-check-"));
let emulator: Ec2Emulator;
beforeAll(async () => {
	const zones = ["a", "b"].map((letter) => ({ zone: `${REGION}${letter}`, spotMicroUsdPerHour: 400_000n }));
	emulator = await startEc2Emulator({
		...{ port: 0, stateDir, bootDelayMs: 0, terminateDelayMs: 0, spotNoticeMs: 0, seed: 1 },
		catalog: [
			{
				...{ instanceType: TYPE, vcpus: 4, memoryGiB: 16, gpus: 1, gpuModel: "A10G-24GB" },
				regions: [{ region: REGION, onDemandMicroUsdPerHour: 1_006_000n, zones }],
			},
		],
		securityGroups: [
			{ id: "sg-open", region: REGION, letsItselfIn: true },
			{ id: "sg-shut", region: REGION, letsItselfIn: false },
		],
		keyPairs: ["ops"],
	});
});
afterEach(() => emulator.faults.clear());
afterAll(async () => {
	await emulator.stop({ killInstances: true });
	rmSync(stateDir, { recursive: true, force: true });
});

/** The result of one step when a site with these settings is checked. */
async function step(id: string, settings: Record<string, unknown> = {}) {
	const PRICE = { microUsdPerHour: 1_006_000n, asOf: "2026-07-20", source: "invented for tests" };
	const rate = { instanceType: TYPE, region: REGION, zone: null, accelerator: "A10G-24GB", gpus: 1, vcpus: 4, memoryGiB: 16 };
	const kind = awsSiteKind({ listPrices: () => [{ ...rate, onDemand: PRICE, spot: null }], controlUrl: "http://127.0.0.1:3000" });
	const place = {
		...{ siteId: "aws", controlPlane: "checks", credentials: { accessKeyId: DEFAULT_ACCESS_KEY_ID, secretAccessKey: "any" } },
		settings: { endpoint: emulator.url, regions: [REGION], imageId: "ami-0123456789abcdef0", ...settings },
	};
	const steps = await Array.fromAsync(kind.check(place));
	return defined(
		steps.find((one) => one.id === id),
		`no step ${id}`,
	);
}

async function subnetOf(zone: string): Promise<string> {
	const client = newClient(emulator.url, REGION);
	const { Subnets = [] } = await client.send(new DescribeSubnetsCommand({}));
	client.destroy();
	return defined(Subnets.find(({ AvailabilityZone }) => AvailabilityZone === zone)?.SubnetId, `no subnet in ${zone}`);
}

describe("before money is spent, the check", () => {
	it("finds subnets in their configured zones", async () => {
		const [a, b] = [await subnetOf(`${REGION}a`), await subnetOf(`${REGION}b`)];
		const right = await step("subnet", { subnets: { [`${REGION}a`]: a, [`${REGION}b`]: b } });
		expect(right).toMatchObject({ outcome: "passed", found: `Found: ${a} (${REGION}a), ${b} (${REGION}b).` });
		const swapped = await step("subnet", { subnets: { [`${REGION}a`]: b } });
		expect(swapped).toMatchObject({ outcome: "failed", found: `${b} is in ${REGION}b, not in ${REGION}a` });
		const gone = await step("subnet", { subnets: { [REGION]: "subnet-0" } });
		expect(gone).toMatchObject({ outcome: "failed", found: expect.stringContaining("'subnet-0' does not exist") });
		const elsewhere = await step("subnet", { subnets: { "eu-west-1": a } });
		expect(elsewhere).toMatchObject({ outcome: "failed", found: expect.stringContaining("not in the site's regions") });
	});

	it("finds security groups, and reports whether they let the machines of a gang reach each other", async () => {
		const of = (id: string) => ({ securityGroups: { [REGION]: [id] } });
		expect(await step("security_group", of("sg-open"))).toMatchObject({ outcome: "passed", found: `Found: sg-open (${REGION}).` });
		expect(await step("security_group", of("sg-0"))).toMatchObject({
			outcome: "failed",
			found: expect.stringContaining("The security group 'sg-0' does not exist"),
			fix: expect.stringContaining("Correct the group's id"),
		});
		expect(await step("gang_network", of("sg-open"))).toMatchObject({ outcome: "passed" });
		expect(await step("gang_network", of("sg-shut"))).toMatchObject({
			outcome: "failed",
			fix: expect.stringContaining("from the group itself"),
		});
		expect(await step("gang_network")).toMatchObject({ outcome: "passed", found: expect.stringContaining("the default group") });
	});

	it("finds the key pair for logging in", async () => {
		expect(await step("key_pair")).toMatchObject({ outcome: "passed", found: "Not set: there is no SSH access to instances." });
		expect(await step("key_pair", { keyPairs: { [REGION]: "ops" } })).toMatchObject({
			outcome: "passed",
			found: `Found: ops (${REGION}).`,
		});
		expect(await step("key_pair", { keyPairs: { [REGION]: "another" } })).toMatchObject({
			outcome: "failed",
			found: expect.stringContaining("The key pair 'another' does not exist"),
		});
	});

	it("dry-runs a launch with all of it, and creates none", async () => {
		const settings = {
			securityGroups: { [REGION]: ["sg-open"] },
			keyPairs: { [REGION]: "ops" },
			subnets: { [REGION]: await subnetOf(`${REGION}b`) },
		};
		expect(await step("permissions", settings)).toMatchObject({
			outcome: "passed",
			found: expect.stringContaining(`${TYPE} in ${REGION}`),
		});
		expect(emulator.instances()).toHaveLength(0);
	});

	it.each([
		["DescribeSubnets", "subnet", { subnets: { [REGION]: "subnet-0" } }],
		["DescribeSecurityGroups", "security_group", { securityGroups: { [REGION]: ["sg-open"] } }],
		["DescribeSecurityGroups", "gang_network", {}],
		["DescribeKeyPairs", "key_pair", { keyPairs: { [REGION]: "ops" } }],
	])("names the right %s if it is missing, and does not fail for that (%s)", async (action, id, settings) => {
		emulator.faults.add({ action, times: "always", error: { code: "UnauthorizedOperation" } });
		expect(await step(id, settings)).toMatchObject({ outcome: "unknown", fix: expect.stringContaining(`ec2:${action}`) });
	});
});
