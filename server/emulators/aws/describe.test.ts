import {
	CreateTagsCommand,
	DescribeInstancesCommand,
	type DescribeInstancesCommandInput,
	DescribeTagsCommand,
	paginateDescribeInstances,
	paginateDescribeTags,
	RunInstancesCommand,
	type RunInstancesCommandInput,
	TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../shared/testing/eventually.ts";
import { launchOf, SPOT, startTestEmulator, type TestEmulator } from "./testing/fixture.ts";

let emulator: TestEmulator;
let nowMs = Date.now();
beforeAll(async () => {
	emulator = await startTestEmulator({ clock: () => nowMs });
});
afterAll(() => emulator.dispose());

async function launch(overrides: Partial<RunInstancesCommandInput> = {}, region = "us-east-1"): Promise<string[]> {
	const { Instances = [] } = await emulator.client(region).send(new RunInstancesCommand(launchOf(overrides)));
	return Instances.map(({ InstanceId }) => InstanceId ?? "");
}

async function idsOf(input: DescribeInstancesCommandInput, region = "us-east-1"): Promise<string[]> {
	const { Reservations = [] } = await emulator.client(region).send(new DescribeInstancesCommand(input));
	return Reservations.flatMap(({ Instances = [] }) => Instances.map(({ InstanceId }) => InstanceId ?? ""));
}

describe("DescribeInstances", () => {
	it("applies each filter, with OR between values, AND between filters, and wildcards", async () => {
		const tagged = (value: string) => [{ ResourceType: "instance" as const, Tags: [{ Key: "spillway:job", Value: value }] }];
		const [plain = ""] = await launch({ Placement: { AvailabilityZone: "us-east-1a" }, ClientToken: "filter-1" });
		const [spot = ""] = await launch({
			InstanceMarketOptions: SPOT,
			TagSpecifications: tagged("job_a*c"),
			Placement: { AvailabilityZone: "us-east-1a" },
		});
		const [big = ""] = await launch({
			InstanceType: "p5.48xlarge",
			TagSpecifications: tagged("job_abc"),
			Placement: { AvailabilityZone: "us-east-1b" },
		});
		const by = (...filters: [string, ...string[]][]) => idsOf({ Filters: filters.map(([Name, ...Values]) => ({ Name, Values })) });
		expect(await by(["instance-lifecycle", "spot"])).toEqual([spot]);
		expect(await by(["availability-zone", "us-east-1b"])).toEqual([big]);
		expect(await by(["instance-type", "p5.48xlarge", "g5.xlarge"])).toEqual([plain, spot, big]);
		expect(await by(["instance-type", "p5.*"])).toEqual([big]);
		expect(await by(["client-token", "filter-1"])).toEqual([plain]);
		expect(await by(["tag-key", "spillway:*"])).toEqual([spot, big]);
		expect(await by(["tag:spillway:job", "job_a?c"])).toEqual([spot, big]);
		expect(await by(["tag:spillway:job", "job_a\\*c"])).toEqual([spot]);
		expect(await by(["tag-key", "spillway:job"], ["availability-zone", "us-east-1a"])).toEqual([spot]);
		expect(await by(["tag:__proto__", "*"])).toEqual([]);
		await eventually("all to run", async () => (await by(["instance-state-name", "running"])).length === 3);
		expect(await by(["instance-state-name", "terminated"])).toEqual([]);
	});

	it.each([
		[{ Filters: [{ Name: "shoe-size", Values: ["44"] }] }, "InvalidParameterValue"],
		[{ Filters: [{ Name: "constructor", Values: ["44"] }] }, "InvalidParameterValue"],
		[{ Filters: [{ Name: "instance-type" }] }, "MissingParameter"],
		[{ Filters: [{ Name: "instance-type", Values: Array.from({ length: 201 }, String) }] }, "FilterLimitExceeded"],
		[{ MaxResults: 4 }, "InvalidParameterValue"],
		[{ MaxResults: 1_001 }, "InvalidParameterValue"],
		[{ NextToken: "somewhere" }, "InvalidParameterValue"],
		[{ InstanceIds: ["i-nonsense"] }, "InvalidInstanceID.Malformed"],
		[{ InstanceIds: ["i-00000000000000000", "i-00000000000000001"] }, "InvalidInstanceID.NotFound"],
		[{ InstanceIds: ["i-00000000000000000"], MaxResults: 5 }, "InvalidParameterCombination"],
	])("rejects %j with %s", async (input, name) => {
		await expect(idsOf(input)).rejects.toMatchObject({ name });
	});

	it("pages through all of them, each once, even while some appear and others disappear", async () => {
		const all = await launch({ MinCount: 12, MaxCount: 12 }, "eu-west-1");
		const seen: string[] = [];
		let pages = 0;
		for await (const page of paginateDescribeInstances({ client: emulator.client("eu-west-1"), pageSize: 5 }, {})) {
			pages += 1;
			seen.push(...(page.Reservations ?? []).flatMap(({ Instances = [] }) => Instances.map(({ InstanceId }) => InstanceId ?? "")));
			if (pages === 1) await launch({}, "eu-west-1");
		}
		expect(pages).toBe(3);
		expect(seen).toHaveLength(13);
		expect(seen.slice(0, 12)).toEqual(all);
	});
});

describe("TerminateInstances", () => {
	it("ends all or none, reports both states, and can be repeated", async () => {
		const [id = ""] = await launch();
		const terminate = (ids: string[]) => emulator.client().send(new TerminateInstancesCommand({ InstanceIds: ids }));
		await expect(terminate([id, "i-00000000000000000"])).rejects.toMatchObject({ name: "InvalidInstanceID.NotFound" });
		expect(emulator.instances().find(({ instanceId }) => instanceId === id)?.state).toMatch(/pending|running/);
		await eventually("running", () => emulator.instances().find(({ instanceId }) => instanceId === id)?.state === "running");
		const { TerminatingInstances } = await terminate([id]);
		expect(TerminatingInstances).toEqual([
			{ InstanceId: id, PreviousState: { Code: 16, Name: "running" }, CurrentState: { Code: 32, Name: "shutting-down" } },
		]);
		await eventually("terminated", () => emulator.instances().find(({ instanceId }) => instanceId === id)?.state === "terminated");
		expect((await terminate([id])).TerminatingInstances?.[0]?.CurrentState?.Name).toBe("terminated");
		const { Reservations } = await emulator.client().send(new DescribeInstancesCommand({ InstanceIds: [id] }));
		expect(Reservations?.[0]?.Instances?.[0]).toMatchObject({
			State: { Code: 48, Name: "terminated" },
			StateReason: { Code: "Client.UserInitiatedShutdown" },
			StateTransitionReason: expect.stringMatching(/^User initiated \(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d GMT\)$/),
		});
	});

	it("lists a terminated machine for an hour; the records keep it", async () => {
		const [id = ""] = await launch();
		await emulator.client().send(new TerminateInstancesCommand({ InstanceIds: [id] }));
		const ended = await eventually("terminated", () => emulator.instances().find((i) => i.instanceId === id && i.state === "terminated"));
		nowMs = (ended.terminatedAt ?? 0) + 3_599_999;
		expect(await idsOf({ InstanceIds: [id] })).toEqual([id]);
		nowMs += 1;
		await expect(idsOf({ InstanceIds: [id] })).rejects.toMatchObject({ name: "InvalidInstanceID.NotFound" });
		expect(emulator.instances().some(({ instanceId }) => instanceId === id)).toBe(true);
	});
});

describe("CreateTags and DescribeTags", () => {
	it("tag all named resources or none, and list the tags with paging", async () => {
		const [id = ""] = await launch();
		const client = emulator.client();
		const tags = Array.from({ length: 7 }, (_, i) => ({ Key: `key-${i}`, Value: `value <${i}>` }));
		await client.send(new CreateTagsCommand({ Resources: [id], Tags: tags }));
		await client.send(new CreateTagsCommand({ Resources: [id], Tags: [{ Key: "key-0", Value: "changed" }] }));
		const seen: string[] = [];
		for await (const page of paginateDescribeTags({ client, pageSize: 5 }, { Filters: [{ Name: "resource-id", Values: [id] }] })) {
			seen.push(...(page.Tags ?? []).map(({ Key, Value }) => `${Key}=${Value}`));
		}
		expect(seen).toEqual(["key-0=changed", ...tags.slice(1).map(({ Key, Value }) => `${Key}=${Value}`)]);
		const mixed = new CreateTagsCommand({ Resources: [id, "i-00000000000000000"], Tags: [{ Key: "late", Value: "" }] });
		await expect(client.send(mixed)).rejects.toMatchObject({ name: "InvalidInstanceID.NotFound" });
		const { Tags } = await client.send(new DescribeTagsCommand({ Filters: [{ Name: "tag:late", Values: ["*"] }] }));
		expect(Tags).toEqual([]);
	});

	it("enforce the limit of 50 tags", async () => {
		const [id = ""] = await launch();
		const tag = (from: number, to: number) =>
			emulator.client().send(
				new CreateTagsCommand({
					Resources: [id],
					Tags: Array.from({ length: to - from }, (_, i) => ({ Key: `k${from + i}`, Value: "" })),
				}),
			);
		await tag(0, 50);
		await tag(0, 10);
		await expect(tag(50, 51)).rejects.toMatchObject({ name: "TagLimitExceeded" });
	});
});
