import {
	DescribeInstancesCommand,
	DescribeSpotInstanceRequestsCommand,
	DescribeTagsCommand,
	RunInstancesCommand,
	type RunInstancesCommandInput,
	TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../shared/testing/eventually.ts";
import { launchOf, SPOT, startTestEmulator, type TestEmulator } from "./testing/fixture.ts";

let emulator: TestEmulator;
beforeAll(async () => {
	emulator = await startTestEmulator({ keyPairs: ["key"] });
});
afterAll(() => emulator.dispose());

async function launch(overrides: Partial<RunInstancesCommandInput> = {}, region = "us-east-1") {
	const reservation = await emulator.client(region).send(new RunInstancesCommand(launchOf(overrides)));
	const instances = reservation.Instances ?? [];
	return { reservation, instances, ids: instances.map(({ InstanceId }) => InstanceId ?? "") };
}

describe("RunInstances", () => {
	it("returns a pending machine that then runs", async () => {
		const { instances, ids } = await launch({ Placement: { AvailabilityZone: "us-east-1b" }, KeyName: "key" });
		expect(instances[0]).toMatchObject({
			InstanceId: expect.stringMatching(/^i-[0-9a-f]{17}$/),
			State: { Code: 0, Name: "pending" },
			InstanceType: "g5.xlarge",
			ImageId: "ami-0123456789abcdef0",
			Placement: { AvailabilityZone: "us-east-1b" },
			LaunchTime: expect.any(Date),
			KeyName: "key",
		});
		expect(instances[0]?.InstanceLifecycle).toBeUndefined();
		const running = await eventually("running", async () => {
			const { Reservations = [] } = await emulator.client().send(new DescribeInstancesCommand({ InstanceIds: ids }));
			const [instance] = Reservations[0]?.Instances ?? [];
			return instance?.State?.Name === "running" ? instance : null;
		});
		expect(running).toMatchObject({
			State: { Code: 16 },
			LaunchTime: instances[0]?.LaunchTime,
			PrivateIpAddress: expect.stringMatching(/^127\./),
		});
	});

	it("launches spot with its own spot request, each with its tags", async () => {
		const { instances } = await launch({
			InstanceMarketOptions: { ...SPOT, SpotOptions: { MaxPrice: "1.0", SpotInstanceType: "one-time" } },
			TagSpecifications: [
				{ ResourceType: "instance", Tags: [{ Key: "spillway:job", Value: "job_1" }] },
				{ ResourceType: "spot-instances-request", Tags: [{ Key: "owner", Value: "spillway" }] },
			],
		});
		const [instance] = instances;
		expect(instance).toMatchObject({ InstanceLifecycle: "spot", Tags: [{ Key: "spillway:job", Value: "job_1" }] });
		const requestId = instance?.SpotInstanceRequestId ?? "";
		const { SpotInstanceRequests } = await emulator
			.client()
			.send(new DescribeSpotInstanceRequestsCommand({ SpotInstanceRequestIds: [requestId] }));
		expect(SpotInstanceRequests).toMatchObject([
			{
				State: "active",
				Status: { Code: "fulfilled" },
				InstanceId: instance?.InstanceId,
				SpotPrice: "1.0",
				Tags: [{ Key: "owner", Value: "spillway" }],
			},
		]);
		const { Tags } = await emulator.client().send(new DescribeTagsCommand({ Filters: [{ Name: "resource-id", Values: [requestId] }] }));
		expect(Tags).toEqual([{ ResourceId: requestId, ResourceType: "spot-instances-request", Key: "owner", Value: "spillway" }]);
	});

	it("launches MaxCount numbered machines at once", async () => {
		const { instances } = await launch({ MinCount: 2, MaxCount: 3 });
		expect(instances.map(({ AmiLaunchIndex }) => AmiLaunchIndex)).toEqual([0, 1, 2]);
	});

	it("launches as many as available between MinCount and MaxCount, and none below MinCount", async () => {
		emulator.faults.add({ action: "RunInstances", behaviour: { kind: "limited_capacity", available: 2 }, times: 2 });
		expect((await launch({ MinCount: 1, MaxCount: 4 })).ids).toHaveLength(2);
		const before = emulator.instances().length;
		await expect(launch({ MinCount: 3, MaxCount: 4 })).rejects.toMatchObject({ name: "InsufficientInstanceCapacity" });
		expect(emulator.instances()).toHaveLength(before);
	});

	it("launches nothing on a dry run", async () => {
		const before = emulator.instances().length;
		await expect(launch({ DryRun: true })).rejects.toMatchObject({ name: "DryRunOperation", $metadata: { httpStatusCode: 412 } });
		expect(emulator.instances()).toHaveLength(before);
	});

	it("places a launch in the zone of its subnet", async () => {
		const { instances } = await launch({ Placement: { AvailabilityZone: "us-east-1a" } });
		const again = await launch({ SubnetId: instances[0]?.SubnetId });
		expect(again.instances[0]?.Placement?.AvailabilityZone).toBe("us-east-1a");
	});

	it.each<[string, Partial<RunInstancesCommandInput>, string]>([
		["no image", { ImageId: undefined }, "MissingParameter"],
		["a malformed image", { ImageId: "image" }, "InvalidAMIID.Malformed"],
		["no MinCount", { MinCount: undefined }, "MissingParameter"],
		["no machines", { MinCount: 0 }, "InvalidParameterValue"],
		["MaxCount below MinCount", { MinCount: 2, MaxCount: 1 }, "InvalidParameterValue"],
		["an unknown type", { InstanceType: "t1.micro" }, "InvalidParameterValue"],
		["an unknown zone", { Placement: { AvailabilityZone: "us-east-1z" } }, "InvalidParameterValue"],
		["an unknown subnet", { SubnetId: "subnet-0" }, "InvalidSubnetID.NotFound"],
		["an unknown security group", { SecurityGroupIds: ["sg-0"] }, "InvalidGroup.NotFound"],
		["an unknown key pair", { KeyName: "another" }, "InvalidKeyPair.NotFound"],
		[
			"a zone that has no spot of the type",
			{ InstanceType: "p5.48xlarge", InstanceMarketOptions: SPOT, Placement: { AvailabilityZone: "us-east-1a" } },
			"Unsupported",
		],
		["user-data that is no base64", { UserData: "#!/bin/sh" }, "InvalidUserData.Malformed"],
		["user-data over 16 KiB", { UserData: Buffer.alloc(16_385).toString("base64") }, "InvalidParameterValue"],
		["a token over 64 characters", { ClientToken: "x".repeat(65) }, "InvalidParameterValue"],
		["a spot price below the market", { InstanceMarketOptions: { ...SPOT, SpotOptions: { MaxPrice: "0.01" } } }, "SpotMaxPriceTooLow"],
		["a spot price that is none", { InstanceMarketOptions: { ...SPOT, SpotOptions: { MaxPrice: "cheap" } } }, "InvalidParameterValue"],
		[
			"a persistent spot request",
			{ InstanceMarketOptions: { ...SPOT, SpotOptions: { SpotInstanceType: "persistent" } } },
			"UnsupportedOperation",
		],
		["reserved tags", { TagSpecifications: [{ ResourceType: "instance", Tags: [{ Key: "aws:x", Value: "" }] }] }, "InvalidParameterValue"],
		[
			"tags of a spot request on demand",
			{ TagSpecifications: [{ ResourceType: "spot-instances-request", Tags: [] }] },
			"InvalidParameterCombination",
		],
	])("rejects %s", async (_, overrides, name) => {
		const before = emulator.instances().length;
		await expect(launch(overrides)).rejects.toMatchObject({ name });
		expect(emulator.instances()).toHaveLength(before);
	});

	it("rejects a type that the region does not sell", async () => {
		await expect(launch({ InstanceType: "p5.48xlarge" }, "eu-west-1")).rejects.toMatchObject({ name: "Unsupported" });
	});
});

describe("ClientToken", () => {
	it("returns the same machines for the same request, in their current state", async () => {
		const first = await launch({ ClientToken: "same", MinCount: 2, MaxCount: 2 });
		await emulator.client().send(new TerminateInstancesCommand({ InstanceIds: first.ids.slice(0, 1) }));
		const second = await launch({ ClientToken: "same", MinCount: 2, MaxCount: 2 });
		expect(second.reservation.ReservationId).toBe(first.reservation.ReservationId);
		expect(second.ids).toEqual(first.ids);
		expect(second.instances[0]?.State?.Name).toMatch(/shutting-down|terminated/);
		expect(second.instances[0]?.ClientToken).toBe("same");
	});

	it("launches once for many concurrent calls", async () => {
		const launches = await Promise.all(Array.from({ length: 12 }, () => launch({ ClientToken: "at-once" })));
		expect(new Set(launches.flatMap(({ ids }) => ids)).size).toBe(1);
		expect(emulator.instances().filter(({ clientToken }) => clientToken === "at-once")).toHaveLength(1);
	});

	it("rejects the token with other parameters", async () => {
		await launch({ ClientToken: "other" });
		await expect(launch({ ClientToken: "other", InstanceType: "p5.48xlarge" })).rejects.toMatchObject({
			name: "IdempotentParameterMismatch",
		});
		await expect(launch({ ClientToken: "other", UserData: "IyEvYmluL3No" })).rejects.toMatchObject({ name: "IdempotentParameterMismatch" });
	});

	it("is valid within its region", async () => {
		const here = await launch({ ClientToken: "regional" });
		const there = await launch({ ClientToken: "regional" }, "eu-west-1");
		expect(there.ids).not.toEqual(here.ids);
	});

	it("still returns the machines after capacity is exhausted", async () => {
		const first = await launch({ ClientToken: "before-the-drought" });
		const fault = emulator.faults.add({ action: "RunInstances", error: { code: "InsufficientInstanceCapacity" }, times: "always" });
		expect((await launch({ ClientToken: "before-the-drought" })).ids).toEqual(first.ids);
		await expect(launch()).rejects.toMatchObject({ name: "InsufficientInstanceCapacity" });
		emulator.faults.remove(fault);
	});
});
