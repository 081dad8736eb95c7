import {
	CreatePlacementGroupCommand,
	DeletePlacementGroupCommand,
	DescribeImagesCommand,
	DescribeKeyPairsCommand,
	DescribePlacementGroupsCommand,
	DescribeRegionsCommand,
	DescribeSecurityGroupsCommand,
	DescribeSubnetsCommand,
	EC2Client,
	type Filter,
	paginateDescribeCapacityReservations,
	paginateDescribeInstances,
	paginateDescribeInstanceTypeOfferings,
	paginateDescribeSpotPriceHistory,
	RunInstancesCommand,
	type RunInstancesCommandInput,
	StartInstancesCommand,
	StopInstancesCommand,
	type Tag,
	TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import { z } from "zod";
import { DriverError } from "../driver-errors.ts";
import { repeatAfterReset } from "../repeat-after-reset.ts";
import { callAws, notUnderstood, parseAnswer, readPages } from "./answers.ts";
import { clientConfig } from "./client-config.ts";
import { type SecurityGroup, securityGroupSchema } from "./gang-network.ts";
import { placementGroupSchema } from "./gang-placement.ts";
import { type Ec2Instance, reservationSchema } from "./mapper.ts";
import { retryWithServerClock } from "./retry-with-server-clock.ts";
import type { ParsedAwsSettings } from "./settings.ts";

/** EC2 accepts at most this many values in one filter. */
const FILTER_VALUES_MAX = 200;

const GROUP_EXISTS = "InvalidPlacementGroup.Duplicate";
const GROUP_IN_USE = "InvalidPlacementGroup.InUse";
const GROUP_UNKNOWN = "InvalidPlacementGroup.Unknown";

/** Ignores an error with one of these codes. */
function unlessCode(...codes: string[]): (error: unknown) => void {
	return (error) => {
		if (!(error instanceof DriverError) || !codes.includes(error.providerCode ?? "")) throw error;
	};
}

const offeringSchema = z.object({ InstanceType: z.string().min(1), Location: z.string().min(1) });
export type Ec2Offering = z.output<typeof offeringSchema>;

const imageSchema = z.object({
	RootDeviceName: z.string().min(1),
	BlockDeviceMappings: z
		.array(z.object({ DeviceName: z.string().optional(), Ebs: z.object({ VolumeSize: z.number().int().optional() }).optional() }))
		.default([]),
});

const spotPriceSchema = z.object({
	InstanceType: z.string().min(1),
	AvailabilityZone: z.string().min(1),
	SpotPrice: z.string().min(1),
	Timestamp: z.date(),
});
export type Ec2SpotPrice = z.output<typeof spotPriceSchema>;

const countedSchema = z.object({
	InstanceType: z.string().min(1),
	InstanceLifecycle: z.string().optional(),
	Placement: z.object({ Tenancy: z.string().optional() }).optional(),
	CpuOptions: z.object({ CoreCount: z.number(), ThreadsPerCore: z.number() }).optional(),
});
/** Properties of a machine that quotas count, regardless of who uses it. */
export type CountedMachine = z.output<typeof countedSchema>;

const reservedSchema = z.object({
	CapacityReservationId: z.string().min(1),
	InstanceType: z.string().min(1),
	State: z.string(),
	TotalInstanceCount: z.number(),
	AvailableInstanceCount: z.number(),
	ReservationType: z.string().optional(),
	InstanceMatchCriteria: z.string().optional(),
	InstancePlatform: z.string().optional(),
	Tenancy: z.string().optional(),
	OwnerId: z.string().optional(),
});
/** Capacity that the account has reserved or that is shared with it. */
export type ReservedCapacity = z.output<typeof reservedSchema>;

/** The driver's EC2 calls, with one client per region. Every response is validated. */
export class Ec2Calls {
	readonly #settings: ParsedAwsSettings;
	readonly #clients = new Map<string, EC2Client>();

	constructor(settings: ParsedAwsSettings) {
		this.#settings = settings;
	}

	async describeRegions(region: string): Promise<void> {
		await callAws(`regions ${this.#settings.regions.join(", ")}`, () =>
			this.#client(region).send(new DescribeRegionsCommand({ RegionNames: this.#settings.regions })),
		);
	}

	/** Returns every region that the account has enabled. */
	async enabledRegions(region: string): Promise<string[]> {
		const what = "regions of the account";
		const answer = await callAws(what, () => this.#client(region).send(new DescribeRegionsCommand({})));
		return parseAnswer(what, z.array(z.object({ RegionName: z.string().min(1) })), answer.Regions).map((r) => r.RegionName);
	}

	/**
	 * Returns name and size of an image's root disk.
	 * @throws DriverError also if the account may not describe images
	 */
	async rootDisk(region: string, imageId: string): Promise<{ deviceName: string; gib: number }> {
		const what = `image ${imageId} in ${region}`;
		const answer = await callAws(what, () => this.#client(region).send(new DescribeImagesCommand({ ImageIds: [imageId] })));
		const [image] = parseAnswer(what, z.array(imageSchema).min(1), answer.Images);
		if (!image) throw notUnderstood(what, "no image");
		const root = image.BlockDeviceMappings.find(({ DeviceName }) => DeviceName === image.RootDeviceName);
		return { deviceName: image.RootDeviceName, gib: root?.Ebs?.VolumeSize ?? 0 };
	}

	/**
	 * Returns the state of an image; `available` images can be launched.
	 * @throws DriverError invalid_request if it does not exist
	 */
	async imageState(region: string, imageId: string): Promise<string> {
		const what = `image ${imageId} in ${region}`;
		const answer = await callAws(what, () => this.#client(region).send(new DescribeImagesCommand({ ImageIds: [imageId] })));
		const [image] = parseAnswer(what, z.array(z.object({ State: z.string() })).min(1), answer.Images);
		return image?.State ?? "unknown";
	}

	/**
	 * Returns zones of subnets by id.
	 * @throws DriverError invalid_request if one does not exist
	 */
	async subnetZones(region: string, ids: readonly string[]): Promise<Map<string, string>> {
		const what = `subnets in ${region}`;
		const answer = await callAws(what, () => this.#client(region).send(new DescribeSubnetsCommand({ SubnetIds: [...ids] })));
		const found = parseAnswer(what, z.array(z.object({ SubnetId: z.string(), AvailabilityZone: z.string() })), answer.Subnets);
		return new Map(found.map((s) => [s.SubnetId, s.AvailabilityZone]));
	}

	/**
	 * Returns security groups with their rules: the named ones, or without names the default one of each network.
	 * @throws DriverError invalid_request if one does not exist
	 */
	async securityGroups(region: string, ids: readonly string[]): Promise<SecurityGroup[]> {
		const what = `security groups in ${region}`;
		const asked = ids.length > 0 ? { GroupIds: [...ids] } : { Filters: [{ Name: "group-name", Values: ["default"] }] };
		const answer = await callAws(what, () => this.#client(region).send(new DescribeSecurityGroupsCommand(asked)));
		return parseAnswer(what, z.array(securityGroupSchema), answer.SecurityGroups);
	}

	/** @throws DriverError invalid_request if no key pair has this name */
	async findKeyPair(region: string, name: string): Promise<void> {
		await callAws(`key pair ${name} in ${region}`, () => this.#client(region).send(new DescribeKeyPairsCommand({ KeyNames: [name] })));
	}

	/**
	 * Checks with EC2's dry run whether it would accept this launch. Creates nothing.
	 * @throws DriverError with EC2's reason for rejecting the launch
	 */
	async tryLaunch(region: string, input: RunInstancesCommandInput): Promise<void> {
		const what = `trial of a launch of ${input.InstanceType} in ${region}`;
		try {
			await callAws(what, () => this.#client(region).send(new RunInstancesCommand({ ...input, DryRun: true })));
		} catch (error) {
			// EC2 reports a successful dry run as an error with this name.
			if (!(error instanceof DriverError) || error.providerCode !== "DryRunOperation") throw error;
		}
	}

	async runInstances(region: string, input: RunInstancesCommandInput): Promise<Ec2Instance> {
		const what = `launch of ${input.InstanceType} in ${region}`;
		const answer = await callAws(what, () => this.#client(region).send(new RunInstancesCommand(input)));
		const [instance] = parseAnswer(what, reservationSchema, answer).Instances;
		if (!instance) throw notUnderstood(what, "no instance");
		return instance;
	}

	async describeInstances(region: string, filters: Filter[]): Promise<Ec2Instance[]> {
		const what = `instances in ${region}`;
		const paginator = paginateDescribeInstances({ client: this.#client(region), pageSize: this.#settings.pageSize }, { Filters: filters });
		const reservations = await readPages(what, paginator, (page) => page.Reservations);
		return parseAnswer(what, z.array(reservationSchema), reservations).flatMap((r) => r.Instances);
	}

	/** The account's machines of these families, such as `p`, that run or are about to, regardless of who started them. */
	async countedMachines(region: string, families: readonly string[]): Promise<CountedMachine[]> {
		const what = `machines in the quotas of ${region}`;
		const Filters = [
			{ Name: "instance-state-name", Values: ["pending", "running"] },
			{ Name: "instance-type", Values: families.map((family) => `${family}*`) },
		];
		const paginator = paginateDescribeInstances({ client: this.#client(region), pageSize: this.#settings.pageSize }, { Filters });
		const reservations = await readPages(what, paginator, (page) => page.Reservations);
		return parseAnswer(what, z.array(z.object({ Instances: z.array(countedSchema) })), reservations).flatMap((r) => r.Instances);
	}

	/**
	 * The reservations with these ids, or all that the account can see.
	 * @throws DriverError invalid_request for an unknown id
	 */
	async capacityReservations(region: string, ids: readonly string[] = []): Promise<ReservedCapacity[]> {
		const what = `capacity reservations ${ids.join(", ")}${ids.length > 0 ? " " : ""}in ${region}`;
		const asked = ids.length > 0 ? { CapacityReservationIds: [...ids] } : {};
		const rows = await readPages(
			what,
			paginateDescribeCapacityReservations({ client: this.#client(region) }, asked),
			(page) => page.CapacityReservations,
		);
		return parseAnswer(what, z.array(reservedSchema), rows);
	}

	/** Creates a cluster placement group, unless it exists. */
	async createPlacementGroup(region: string, name: string, tags: Tag[]): Promise<void> {
		const TagSpecifications = [{ ResourceType: "placement-group" as const, Tags: tags }];
		const input = { GroupName: name, Strategy: "cluster" as const, TagSpecifications };
		const what = `placement group ${name} in ${region}`;
		await callAws(what, () => this.#client(region).send(new CreatePlacementGroupCommand(input))).catch(unlessCode(GROUP_EXISTS));
	}

	/** Names of the placement groups that match. */
	async placementGroups(region: string, filters: Filter[]): Promise<string[]> {
		const what = `placement groups in ${region}`;
		const answer = await callAws(what, () => this.#client(region).send(new DescribePlacementGroupsCommand({ Filters: filters })));
		return parseAnswer(what, z.array(placementGroupSchema), answer.PlacementGroups ?? []).map(({ GroupName }) => GroupName);
	}

	/** Does nothing while the group is in use, or if it does not exist. */
	async deletePlacementGroup(region: string, name: string): Promise<void> {
		const what = `placement group ${name} in ${region}`;
		const call = () => this.#client(region).send(new DeletePlacementGroupCommand({ GroupName: name }));
		await callAws(what, call).catch(unlessCode(GROUP_IN_USE, GROUP_UNKNOWN));
	}

	async terminateInstance(region: string, providerInstanceId: string): Promise<void> {
		await callAws(`termination of ${providerInstanceId} in ${region}`, () =>
			this.#client(region).send(new TerminateInstancesCommand({ InstanceIds: [providerInstanceId] })),
		);
	}

	/** Its disk is kept. */
	async stopInstance(region: string, providerInstanceId: string): Promise<void> {
		await callAws(`stop of ${providerInstanceId} in ${region}`, () =>
			this.#client(region).send(new StopInstancesCommand({ InstanceIds: [providerInstanceId] })),
		);
	}

	async startInstance(region: string, providerInstanceId: string): Promise<void> {
		await callAws(`start of ${providerInstanceId} in ${region}`, () =>
			this.#client(region).send(new StartInstancesCommand({ InstanceIds: [providerInstanceId] })),
		);
	}

	/** The zones of a region in which the types are sold. */
	async offerings(region: string, instanceTypes: readonly string[]): Promise<Ec2Offering[]> {
		const what = `offerings in ${region}`;
		const found: Ec2Offering[] = [];
		for (const values of chunks(instanceTypes, FILTER_VALUES_MAX)) {
			const input = { LocationType: "availability-zone", Filters: [{ Name: "instance-type", Values: values }] } as const;
			const paginator = paginateDescribeInstanceTypeOfferings({ client: this.#client(region) }, { ...input, Filters: [...input.Filters] });
			const rows = await readPages(what, paginator, (page) => page.InstanceTypeOfferings);
			found.push(...parseAnswer(what, z.array(offeringSchema), rows));
		}
		return found;
	}

	/** The current spot prices: with a start time of now, EC2 returns each zone's latest price. */
	async spotPrices(region: string, instanceTypes: readonly string[], nowMs: number): Promise<Ec2SpotPrice[]> {
		const what = `spot prices in ${region}`;
		const paginator = paginateDescribeSpotPriceHistory(
			{ client: this.#client(region) },
			{
				InstanceTypes: instanceTypes as NonNullable<Parameters<typeof paginateDescribeSpotPriceHistory>[1]["InstanceTypes"]>,
				ProductDescriptions: ["Linux/UNIX"],
				StartTime: new Date(nowMs),
			},
		);
		const rows = await readPages(what, paginator, (page) => page.SpotPriceHistory);
		return parseAnswer(what, z.array(spotPriceSchema), rows);
	}

	close(): void {
		for (const client of this.#clients.values()) client.destroy();
		this.#clients.clear();
	}

	#client(region: string): EC2Client {
		const known = this.#clients.get(region);
		if (known) return known;
		const client = new EC2Client({ ...clientConfig(this.#settings, region), retryStrategy: retryWithServerClock() });
		client.middlewareStack.add(
			(next, { commandName = "" }) =>
				(args) =>
					commandName.startsWith("Describe") ? repeatAfterReset(() => next(args)) : next(args),
			{ step: "initialize", name: "spillwayRepeatAfterReset" },
		);
		this.#clients.set(region, client);
		return client;
	}
}

export function chunks<T>(items: readonly T[], size: number): T[][] {
	return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}
