import {
	CreatePlacementGroupCommand,
	DeletePlacementGroupCommand,
	DescribeInstanceTypesCommand,
	DescribePlacementGroupsCommand,
	RunInstancesCommand,
	type RunInstancesCommandInput,
	TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../shared/testing/eventually.ts";
import { checkInterfaces } from "./actions/launch-network.ts";
import { openPlacementGroups } from "./book/placement-groups.ts";
import { launchOf, startTestEmulator, type TestEmulator } from "./testing/fixture.ts";

let emulator: TestEmulator;
beforeAll(async () => {
	emulator = await startTestEmulator();
});
afterAll(() => emulator.dispose());

const EFA = { DeviceIndex: 0, NetworkCardIndex: 0, InterfaceType: "efa" };
const efaOnly = (card: number) => ({ DeviceIndex: 1, NetworkCardIndex: card, InterfaceType: "efa-only" });

async function launch(overrides: Partial<RunInstancesCommandInput>) {
	const { Instances = [] } = await emulator.client().send(new RunInstancesCommand(launchOf({ InstanceType: "p5.48xlarge", ...overrides })));
	return Instances[0];
}

const createGroup = (name: string) =>
	emulator.client().send(
		new CreatePlacementGroupCommand({
			...{ GroupName: name, Strategy: "cluster" },
			TagSpecifications: [{ ResourceType: "placement-group", Tags: [{ Key: "owner", Value: name }] }],
		}),
	);
const deleteGroup = (name: string) => emulator.client().send(new DeletePlacementGroupCommand({ GroupName: name }));

describe("placement groups", () => {
	it("are found by their tags, exist once, and survive a restart", async () => {
		await createGroup("one");
		await expect(createGroup("one")).rejects.toMatchObject({ name: "InvalidPlacementGroup.Duplicate" });
		const Filters = [{ Name: "tag:owner", Values: ["one"] }];
		const { PlacementGroups: found } = await emulator.client().send(new DescribePlacementGroupsCommand({ Filters }));
		expect(found).toMatchObject([{ GroupName: "one", Strategy: "cluster", State: "available" }]);
		expect(openPlacementGroups(emulator.stateDir).find("us-east-1", "one")?.tags).toEqual({ owner: "one" });
		await deleteGroup("one");
		await expect(deleteGroup("one")).rejects.toMatchObject({ name: "InvalidPlacementGroup.Unknown" });
	});

	it("keep their machines in one zone and are not deleted while they have any", async () => {
		await createGroup("two");
		const first = await launch({ Placement: { GroupName: "two", AvailabilityZone: "us-east-1b" } });
		expect(first?.Placement).toMatchObject({ GroupName: "two", AvailabilityZone: "us-east-1b" });
		expect((await launch({ Placement: { GroupName: "two" } }))?.Placement?.AvailabilityZone).toBe("us-east-1b");
		const elsewhere = launch({ Placement: { GroupName: "two", AvailabilityZone: "us-east-1a" } });
		await expect(elsewhere).rejects.toMatchObject({
			name: "InvalidPlacementGroup.InUse",
			message: expect.stringContaining("in use in another availability zone: us-east-1b"),
		});
		await expect(deleteGroup("two")).rejects.toMatchObject({ name: "InvalidPlacementGroup.InUse" });
		const ids = emulator.instances().flatMap((i) => (i.placementGroup === "two" ? [i.instanceId] : []));
		await emulator.client().send(new TerminateInstancesCommand({ InstanceIds: ids }));
		await eventually("deleted", async () =>
			deleteGroup("two").then(
				() => true,
				() => null,
			),
		);
	});

	it("must exist", async () => {
		await expect(launch({ Placement: { GroupName: "none" } })).rejects.toMatchObject({ name: "InvalidPlacementGroup.Unknown" });
	});
});

describe("EFA interfaces", () => {
	it("are accepted on each network card of a type that has them", async () => {
		const NetworkInterfaces = [EFA, ...Array.from({ length: 31 }, (_, i) => efaOnly(i + 1))];
		expect((await launch({ NetworkInterfaces }))?.InstanceType).toBe("p5.48xlarge");
		const types = await emulator.client().send(new DescribeInstanceTypesCommand({ InstanceTypes: ["p5.48xlarge", "g5.xlarge"] }));
		const efas = types.InstanceTypes?.map((t) => [t.InstanceType, t.NetworkInfo?.EfaInfo?.MaximumEfaInterfaces ?? 0]) ?? [];
		expect(Object.fromEntries(efas)).toEqual({ "p5.48xlarge": 32, "g5.xlarge": 0 });
	});

	it.each<[string, Partial<RunInstancesCommandInput>, string]>([
		["a type without EFA", { InstanceType: "g5.xlarge", NetworkInterfaces: [EFA] }, "InvalidParameterCombination"],
		["an EFA-only primary interface", { NetworkInterfaces: [{ ...EFA, InterfaceType: "efa-only" }] }, "InvalidParameterCombination"],
		["no primary interface", { NetworkInterfaces: [efaOnly(1)] }, "InvalidParameterCombination"],
		["security groups of the instance too", { SecurityGroupIds: ["sg-1"], NetworkInterfaces: [EFA] }, "InvalidParameterCombination"],
		["two interfaces in one place", { NetworkInterfaces: [EFA, efaOnly(1), efaOnly(1)] }, "InvalidParameterValue"],
		["a network card that does not exist", { NetworkInterfaces: [EFA, efaOnly(32)] }, "InvalidParameterValue"],
		[
			"a public address with several interfaces",
			{ NetworkInterfaces: [{ ...EFA, AssociatePublicIpAddress: true }, efaOnly(1)] },
			"InvalidParameterCombination",
		],
	])("are rejected with %s", async (_, input, code) => {
		await expect(launch(input)).rejects.toMatchObject({ name: code });
	});

	it("are rejected on the first network card of a type that has none there", () => {
		const plain = { ...EFA, InterfaceType: "interface" };
		const all = Array.from({ length: 16 }, (_, i) => efaOnly(i + 1));
		const check = (...NetworkInterfaces: object[]) =>
			checkInterfaces({ NetworkInterfaces } as RunInstancesCommandInput, "p6-b300.48xlarge");
		expect(() => check(plain, ...all)).not.toThrow();
		expect(() => check(EFA, ...all)).toThrow(/Network card 0 of p6-b300.48xlarge does not support EFA/);
		expect(() => check(plain, ...all, efaOnly(17))).toThrow(/at most 16 EFA interfaces/);
	});
});
