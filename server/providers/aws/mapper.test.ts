import { describe, expect, it } from "vitest";
import type { LaunchRequest } from "../driver.ts";
import { ec2InstanceSchema, observationOf, runInstancesInput } from "./mapper.ts";
import { awsSettingsSchema } from "./settings.ts";

const SETTINGS = awsSettingsSchema.parse({
	controlPlane: "prod",
	regions: ["us-east-1"],
	imageId: "ami-1",
	subnets: { "us-east-1b": "subnet-b" },
	securityGroups: { "us-east-1": ["sg-1"] },
	keyPairs: { "us-east-1": "ops", "eu-west-1": "ops-eu" },
});

const REQUEST: LaunchRequest = {
	instanceId: "ins_1_001_0",
	jobId: "job_1",
	attemptId: "att_1_001",
	region: "us-east-1",
	zone: "us-east-1b",
	instanceType: "g5.xlarge",
	capacityType: "spot",
	userData: "#!/bin/sh\necho ü\n",
	expiresAtMs: Date.parse("2026-12-01T08:00:00Z"),
};

it("requests one spot instance, tagged in the same call, that terminates when it powers off", () => {
	const input = runInstancesInput(REQUEST, SETTINGS, "ami-1");
	expect(input).toMatchObject({
		MinCount: 1,
		MaxCount: 1,
		ClientToken: "ins_1_001_0",
		InstanceInitiatedShutdownBehavior: "terminate",
		Placement: { AvailabilityZone: "us-east-1b" },
		SubnetId: "subnet-b",
		SecurityGroupIds: ["sg-1"],
		KeyName: "ops",
		InstanceMarketOptions: { MarketType: "spot", SpotOptions: { SpotInstanceType: "one-time", InstanceInterruptionBehavior: "terminate" } },
	});
	expect(Buffer.from(input.UserData ?? "", "base64").toString()).toBe(REQUEST.userData);
	expect(input.TagSpecifications?.map((t) => t.ResourceType)).toEqual(["instance", "volume", "spot-instances-request"]);
	expect(input.TagSpecifications?.[0]?.Tags).toEqual([
		{ Key: "spillway:control-plane", Value: "prod" },
		{ Key: "spillway:instance", Value: "ins_1_001_0" },
		{ Key: "spillway:job", Value: "job_1" },
		{ Key: "spillway:expires-at", Value: "2026-12-01T08:00:00.000Z" },
	]);
});

it("requests no market, no zone and no subnet for on-demand anywhere in the region", () => {
	const input = runInstancesInput({ ...REQUEST, capacityType: "on_demand", zone: null }, SETTINGS, "ami-1");
	expect(input).not.toHaveProperty("InstanceMarketOptions");
	expect(input).not.toHaveProperty("Placement");
	expect(input).not.toHaveProperty("SubnetId");
	expect(input.TagSpecifications?.map((t) => t.ResourceType)).toEqual(["instance", "volume"]);
	expect(input).not.toHaveProperty("BlockDeviceMappings");
});

it("requests the root disk by the image's name for it, with the priced size, deleted with the machine", () => {
	const input = runInstancesInput(REQUEST, SETTINGS, "ami-1", { rootDisk: { deviceName: "/dev/xvda", gib: 100 } });
	const Ebs = { VolumeType: "gp3", VolumeSize: 100, DeleteOnTermination: true };
	expect(input.BlockDeviceMappings).toEqual([{ DeviceName: "/dev/xvda", Ebs }]);
});

it("launches into the reservation that the commitment names, or into any open one without a name", () => {
	const input = (changes: Partial<LaunchRequest>) => runInstancesInput({ ...REQUEST, ...changes }, SETTINGS, "ami-1");
	expect(input({ capacityType: "reserved", reservation: "cr-0123456789abcdef0" }).CapacityReservationSpecification).toEqual({
		CapacityReservationTarget: { CapacityReservationId: "cr-0123456789abcdef0" },
	});
	expect(input({ capacityType: "reserved", reservation: null })).not.toHaveProperty("CapacityReservationSpecification");
});

it("gives the same input for the same request, so that a repeated call matches its token", () => {
	expect(runInstancesInput(REQUEST, SETTINGS, "ami-1")).toEqual(runInstancesInput({ ...REQUEST }, SETTINGS, "ami-1"));
});

it.each([
	["pending", "pending", null],
	["running", "running", null],
	["shutting-down", "stopping", "Server.SpotInstanceTermination"],
	["stopping", "stopping", "Server.SpotInstanceTermination"],
	["stopped", "stopped", "Server.SpotInstanceTermination"],
	["terminated", "terminated", "Server.SpotInstanceTermination"],
] as const)("maps EC2's %s to %s", (name, state, stateReasonCode) => {
	const instance = ec2InstanceSchema.parse({
		InstanceId: "i-1",
		InstanceType: "g5.xlarge",
		State: { Name: name, Code: 1 },
		LaunchTime: new Date(5),
		Placement: { AvailabilityZone: "us-east-1b" },
		StateReason: { Code: "Server.SpotInstanceTermination" },
		SomethingNew: true,
	});
	expect(observationOf("us-east-1", instance)).toMatchObject({
		state,
		stateReasonCode,
		instanceId: null,
		capacityType: "on_demand",
		launchedAtMs: 5,
	});
});

it.each([
	["before it runs", { State: { Name: "pending" } }, { phase: "not_yet" }],
	["while it runs", { State: { Name: "running" } }, { phase: "now", fromMs: null }],
	[
		"after its termination was requested, which EC2 reports to the second",
		{ State: { Name: "shutting-down" }, StateTransitionReason: "User initiated (2026-11-22 10:00:07 GMT)" },
		{ phase: "over", fromMs: null, untilMs: Date.parse("2026-11-22T10:00:07Z") },
	],
	[
		"when no time is reported",
		{ State: { Name: "terminated" }, StateTransitionReason: "" },
		{ phase: "over", fromMs: null, untilMs: null },
	],
	["when its launch failed", { State: { Name: "terminated" }, StateReason: { Code: "Client.VolumeLimitExceeded" } }, { phase: "never" }],
])("reports the billed time of %s", (_what, shown, billing) => {
	const instance = { InstanceId: "i-1", InstanceType: "g5.xlarge", LaunchTime: new Date(5), Placement: { AvailabilityZone: "us-east-1b" } };
	expect(observationOf("us-east-1", ec2InstanceSchema.parse({ ...instance, ...shown })).billing).toEqual(billing);
});

describe("a gang that needs a high-bandwidth interconnect", () => {
	const gang: LaunchRequest = { ...REQUEST, instanceType: "p4d.24xlarge", nodes: 2, interconnect: "high" };

	it("is launched into its placement group, with an EFA on each network card", () => {
		const input = runInstancesInput(gang, SETTINGS, "ami-1");
		expect(input.Placement).toEqual({ AvailabilityZone: "us-east-1b", GroupName: "spillway-att_1_001" });
		const common = { SubnetId: "subnet-b", Groups: ["sg-1"], DeleteOnTermination: true };
		expect(input.NetworkInterfaces).toEqual([
			{ NetworkCardIndex: 0, DeviceIndex: 0, InterfaceType: "efa", ...common },
			...[1, 2, 3].map((card) => ({ NetworkCardIndex: card, DeviceIndex: 1, InterfaceType: "efa-only", ...common })),
		]);
		expect(input).not.toHaveProperty("SubnetId");
		expect(input).not.toHaveProperty("SecurityGroupIds");
	});

	it("has a plain first interface where the first network card has no EFA", () => {
		const { NetworkInterfaces = [] } = runInstancesInput({ ...gang, instanceType: "p6-b300.48xlarge" }, SETTINGS, "ami-1");
		const places = NetworkInterfaces.map((one) => [one.NetworkCardIndex, one.DeviceIndex, one.InterfaceType]);
		expect(places).toEqual([[0, 0, "interface"], ...Array.from({ length: 16 }, (_, i) => [i + 1, 1, "efa-only"])]);
	});

	it("has no placement group in a named reservation, which has its own place", () => {
		const input = runInstancesInput({ ...gang, capacityType: "reserved", reservation: "cr-0123456789abcdef0" }, SETTINGS, "ami-1");
		expect(input.Placement).toEqual({ AvailabilityZone: "us-east-1b" });
		expect(input.NetworkInterfaces).toHaveLength(4);
	});

	it.each<Partial<LaunchRequest>>([{ nodes: 1 }, { interconnect: undefined }])("needs nothing of it with %j", (changes) => {
		const input = runInstancesInput({ ...gang, ...changes }, SETTINGS, "ami-1");
		expect(input.Placement).toEqual({ AvailabilityZone: "us-east-1b" });
		expect(input).not.toHaveProperty("NetworkInterfaces");
	});
});
