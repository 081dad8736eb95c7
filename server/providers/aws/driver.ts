import type { Filter } from "@aws-sdk/client-ec2";
import type { MachineDisk } from "#server/domain/capacity.ts";
import { type Clock, systemClock } from "#server/kernel/clock.ts";
import { type DiskAsked, DiskPrices } from "../disk-prices.ts";
import {
	type CloudDriver,
	CONTROL_PLANE_TAG,
	type GangPlacement,
	type GangPlacements,
	INSTANCE_TAG,
	type InstanceObservation,
	type LaunchRequest,
	type MachinePower,
	type OfferObservation,
} from "../driver.ts";
import { DriverError } from "../driver-errors.ts";
import { type FailedRegion, forEachRegion, mergeRegions } from "../every-region.ts";
import { LivePrices } from "../live-prices/live-prices.ts";
import type { DatedRate, SnapshotRate } from "../snapshot-rate.ts";
import { chunks, Ec2Calls } from "./client.ts";
import { attemptOfGroup, placementGroupOf, placementGroupTags } from "./gang-placement.ts";
import { imageIn, observationOf, ROOT_DISK_TYPE, type RootDisk, runInstancesInput } from "./mapper.ts";
import { offersOf } from "./offers.ts";
import { AwsPriceList } from "./prices/price-list-client.ts";
import { AwsQuotas } from "./quota-client.ts";
import { COUNTED_FAMILIES, type QuotaFacts } from "./quotas.ts";
import { type AwsSettings, awsSettingsSchema, type ParsedAwsSettings, readsLivePrices } from "./settings.ts";

const PRICE_LIST = "AWS Price List";
/** EC2 accepts at most this many values in one filter. */
const IDS_PER_CALL = 200;

/**
 * One AWS account through EC2's API. On-demand prices from AWS's price list override those of `listPrices`, the shipped snapshot.
 */
export class AwsDriver implements CloudDriver {
	readonly provider = "aws";
	readonly capabilities = { spot: true };
	readonly siteId: string;
	readonly #settings: ParsedAwsSettings;
	readonly #listPrices: () => readonly SnapshotRate[] | Promise<readonly SnapshotRate[]>;
	readonly #clock: Clock;
	readonly #ec2: Ec2Calls;
	readonly #quotas: AwsQuotas;
	readonly #priceList: AwsPriceList;
	readonly #diskPrices: DiskPrices;
	/** By region. Images do not change. */
	readonly #rootDisks = new Map<string, RootDisk>();
	/** Whether a reservation is a Capacity Block, by id. This never changes. */
	readonly #blocks = new Map<string, boolean>();

	/** @throws ZodError for invalid settings */
	constructor(siteId: string, options: { settings: AwsSettings; listPrices: () => readonly DatedRate[]; clock?: Clock }) {
		this.siteId = siteId;
		this.#settings = awsSettingsSchema.parse(options.settings);
		this.#clock = options.clock ?? systemClock;
		this.#priceList = new AwsPriceList(this.#settings);
		this.#listPrices = this.#pricesOver(options.listPrices);
		this.#ec2 = new Ec2Calls(this.#settings);
		this.#quotas = new AwsQuotas(this.#settings, this.#clock);
		const read = (region: string, disk: DiskAsked) => this.#priceList.volumePrice(region, disk);
		this.#diskPrices = new DiskPrices({ source: PRICE_LIST, clock: this.#clock, read });
	}

	#pricesOver(snapshot: () => readonly DatedRate[]): () => readonly DatedRate[] | Promise<readonly DatedRate[]> {
		if (!readsLivePrices(this.#settings)) return snapshot;
		const read = (types: readonly string[]) => this.#priceList.machinePrices(this.#settings.regions, types);
		const live = new LivePrices({ source: PRICE_LIST, snapshot, read, clock: this.#clock });
		return () => live.current();
	}

	async check(): Promise<void> {
		const [first = ""] = this.#settings.regions;
		await this.#ec2.describeRegions(first);
	}

	async offers(): Promise<{ offers: OfferObservation[]; failedRegions: FailedRegion[] }> {
		const rates = await this.#listPrices();
		const { found, failedRegions } = await forEachRegion(this.#settings.regions, (region) => this.#offersIn(region, rates));
		return { offers: found, failedRegions };
	}

	async #offersIn(region: string, rates: readonly SnapshotRate[]): Promise<OfferObservation[]> {
		const types = [...new Set(rates.map((rate) => rate.instanceType))];
		const nowMs = this.#clock.nowMs();
		const [offerings, spotPrices, disk, quotas] = await Promise.all([
			this.#ec2.offerings(region, types),
			this.#ec2.spotPrices(region, types, nowMs),
			this.#diskIn(region),
			this.#quotasIn(region, rates),
		]);
		const { listPriceMaxAgeDays } = this.#settings;
		return offersOf({ siteId: this.siteId, region, rates, offerings, spotPrices, nowMs, listPriceMaxAgeDays, disk, quotas });
	}

	/** The account's quotas in a region and their use. null if unknown; then a launch above a quota fails with that error. */
	async #quotasIn(region: string, rates: readonly SnapshotRate[]): Promise<QuotaFacts | null> {
		const quotas = await this.#quotas.in(region);
		if (quotas.length === 0) return null;
		try {
			const [machines, reserved] = await Promise.all([
				this.#ec2.countedMachines(region, COUNTED_FAMILIES),
				// Reservations may be unreadable too; then only machines are counted.
				this.#ec2.capacityReservations(region).catch(() => []),
			]);
			return {
				quotas,
				machines,
				reserved,
				accountId: this.#settings.accountId ?? null,
				vcpus: new Map(rates.map(({ instanceType, vcpus }) => [instanceType, vcpus])),
			};
		} catch {
			return null;
		}
	}

	/** The disk of a machine in a region, with its price. Without a price if the size is the image's and unknown. */
	async #diskIn(region: string): Promise<MachineDisk> {
		const asked = { type: ROOT_DISK_TYPE, gib: this.#settings.rootDiskGiB };
		try {
			const root = await this.#rootDiskIn(region);
			if (root !== null) return await this.#diskPrices.of(region, { ...asked, gib: root.gib });
			return { ...asked, microUsdPerMonth: null, observedAtMs: null, source: "no permission to describe images (ec2:DescribeImages)" };
		} catch (error) {
			const why = error instanceof Error ? error.message : String(error);
			return { ...asked, microUsdPerMonth: null, observedAtMs: null, source: `the disk size of the image is unknown: ${why}` };
		}
	}

	/**
	 * The root disk with the configured size, or the image's if that is larger. null if the account may not describe images; the
	 * image's own disk is then used.
	 */
	async #rootDiskIn(region: string): Promise<RootDisk | null> {
		const known = this.#rootDisks.get(region);
		if (known) return known;
		try {
			const { deviceName, gib } = await this.#ec2.rootDisk(region, this.#imageIn(region));
			const disk = { deviceName, gib: Math.max(gib, this.#settings.rootDiskGiB) };
			this.#rootDisks.set(region, disk);
			return disk;
		} catch (error) {
			if (error instanceof DriverError && error.kind === "unauthorized") return null;
			throw error;
		}
	}

	async launch(request: LaunchRequest): Promise<InstanceObservation> {
		const { region, instanceId } = request;
		try {
			await this.#preparePlacement(request);
			const [rootDisk, isBlock] = await Promise.all([this.#rootDiskIn(region), this.#isBlock(request)]);
			const input = runInstancesInput(request, this.#settings, this.#imageIn(region), { rootDisk, isBlock });
			const made = await this.#ec2.runInstances(region, input);
			return { ...observationOf(region, made), instanceId };
		} catch (error) {
			const over = error instanceof DriverError && error.providerCode === "IdempotentInstanceTerminated";
			const found = over ? await this.findByToken(region, instanceId) : null;
			if (found) return found;
			throw error;
		}
	}

	/** Each machine of the gang creates the group if it does not exist, so that a repeated launch finds it again. */
	async #preparePlacement(request: LaunchRequest): Promise<void> {
		const group = placementGroupOf(request);
		if (group === null) return;
		try {
			await this.#ec2.createPlacementGroup(request.region, group, placementGroupTags(request, this.#settings.controlPlane));
		} catch (error) {
			// A single missing right must not mark the whole site as unhealthy.
			if (!(error instanceof DriverError) || error.kind !== "unauthorized") throw error;
			throw new DriverError("invalid_request", `${error.message}; add ec2:CreatePlacementGroup, and ec2:CreateTags with it`, {
				cause: error,
			});
		}
	}

	/**
	 * Whether the reservation is a Capacity Block, which EC2 accepts only with that market type. If the account may not look, assume
	 * it is none, which leaves the call unchanged.
	 */
	async #isBlock({ region, capacityType, reservation }: LaunchRequest): Promise<boolean> {
		if (capacityType !== "reserved" || !reservation) return false;
		const known = this.#blocks.get(reservation);
		if (known !== undefined) return known;
		try {
			const [found] = await this.#ec2.capacityReservations(region, [reservation]);
			const isBlock = found?.ReservationType === "capacity-block";
			this.#blocks.set(reservation, isBlock);
			return isBlock;
		} catch (error) {
			if (error instanceof DriverError && error.kind === "unauthorized") return false;
			throw error;
		}
	}

	#imageIn(region: string): string {
		const found = imageIn(this.#settings, region);
		if (found === null) throw new DriverError("invalid_request", `no machine image is set for ${region}; add one to the site's settings`);
		return found;
	}

	async describe(region: string, providerInstanceIds: string[]): Promise<InstanceObservation[]> {
		// Uses a filter, because a query by id fails completely if one of them no longer exists.
		const pages = await Promise.all(
			chunks(providerInstanceIds, IDS_PER_CALL).map((ids) => this.#find(region, [{ Name: "instance-id", Values: ids }])),
		);
		return pages.flat();
	}

	async findByToken(region: string, instanceId: string): Promise<InstanceObservation | null> {
		const [found] = await this.#find(region, [{ Name: `tag:${INSTANCE_TAG}`, Values: [instanceId] }]);
		return found ?? null;
	}

	async list(
		alsoIn?: readonly string[],
	): Promise<{ instances: InstanceObservation[]; sweptRegions: string[]; failedRegions: FailedRegion[] }> {
		const { found, sweptRegions, failedRegions } = await forEachRegion(mergeRegions(this.#settings.regions, alsoIn), (region) =>
			this.#find(region, []),
		);
		return { instances: found, sweptRegions, failedRegions };
	}

	async terminate(region: string, providerInstanceId: string): Promise<void> {
		try {
			await this.#ec2.terminateInstance(region, providerInstanceId);
		} catch (error) {
			if (error instanceof DriverError && error.kind === "not_found") return;
			throw error;
		}
	}

	readonly power: MachinePower = {
		stop: (region, id) => this.#ec2.stopInstance(region, id),
		start: (region, id) => this.#ec2.startInstance(region, id),
	};

	readonly placements: GangPlacements = {
		list: async (alsoIn) => {
			const regions = mergeRegions(this.#settings.regions, alsoIn);
			return (await forEachRegion(regions, (region) => this.#placementsIn(region))).found;
		},
		delete: ({ region, name }) => this.#ec2.deletePlacementGroup(region, name),
	};

	async #placementsIn(region: string): Promise<GangPlacement[]> {
		const ours = { Name: `tag:${CONTROL_PLANE_TAG}`, Values: [this.#settings.controlPlane] };
		const names = await this.#ec2.placementGroups(region, [ours]);
		return names.flatMap((name) => {
			const attemptId = attemptOfGroup(name);
			return attemptId === null ? [] : [{ region, name, attemptId }];
		});
	}

	async close(): Promise<void> {
		this.#ec2.close();
		this.#quotas.close();
		this.#priceList.close();
	}

	/** Only machines with our control plane's tag, whatever other filters apply. */
	async #find(region: string, filters: Filter[]): Promise<InstanceObservation[]> {
		const ours = { Name: `tag:${CONTROL_PLANE_TAG}`, Values: [this.#settings.controlPlane] };
		const found = await this.#ec2.describeInstances(region, [ours, ...filters]);
		return found.map((instance) => observationOf(region, instance));
	}
}
