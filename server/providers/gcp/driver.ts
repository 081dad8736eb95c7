import type { MachineDisk } from "#server/domain/capacity.ts";
import { tpuSliceOf } from "#server/domain/tpu-slice.ts";
import { type Clock, systemClock } from "#server/kernel/clock.ts";
import { hash32 } from "#server/kernel/random.ts";
import { DAY_MS, HOUR_MS } from "#server/kernel/units.ts";
import { DiskPrices } from "../disk-prices.ts";
import type { CloudDriver, GangPlacements, InstanceObservation, LaunchRequest, MachinePower, OfferObservation } from "../driver.ts";
import { DriverError } from "../driver-errors.ts";
import { type FailedRegion, forEachRegion, mergeRegions } from "../every-region.ts";
import { checkSite } from "./check-site.ts";
import { ComputeCalls } from "./client.ts";
import { type ComputeClients, openComputeClients } from "./compute-clients.ts";
import { placementPolicyOf, placementsIn } from "./gang-placement.ts";
import { requireGpuSubnetworks } from "./gpu-subnetworks.ts";
import { launchMachine } from "./launch.ts";
import { observationOf } from "./mapper.ts";
import { INSTANCE_LABEL, lastPart, machineName, namePrefix, ourLabel, readProviderId } from "./names.ts";
import { type ChipPrice, offersOf, type ZoneFacts, type ZoneRate } from "./offers.ts";
import { type Ending, endingsOf, goneObservation } from "./operations.ts";
import { powerOf } from "./power.ts";
import { preparePolicy } from "./prepare-policy.ts";
import type { LivePrices } from "./prices/live-prices.ts";
import { openPrices } from "./prices/open-prices.ts";
import { type GcpSettings, gcpSettingsSchema, type ParsedGcpSettings } from "./settings.ts";
import { readSliceHostId } from "./slices/slice-host-id.ts";
import { TpuSlices } from "./slices/tpu-slices.ts";
import { bootDiskOf } from "./tpus.ts";

/** How long ended machines are still listed, the same as at EC2. */
const ENDED_LISTED_MS = HOUR_MS;
/** How far back to look for the end of a requested machine. */
const ENDED_KNOWN_MS = DAY_MS;

export interface GcpDriverOptions {
	settings: GcpSettings;
	listPrices: () => readonly ZoneRate[];
	/** Prices of TPU chips that have no machine in `listPrices`; default none. */
	listChips?: () => readonly ChipPrice[];
	clock?: Clock;
	/** Opens the SDK. Several drivers of one account may share the result; their caller then closes it. */
	open?: () => Promise<ComputeClients>;
}

/**
 * One Google Cloud project through Compute Engine's API. Machines belong to zones, so every call is made zone by zone. Prices
 * come from the billing catalog, or from `listPrices`, the shipped snapshot.
 */
export class GcpDriver implements CloudDriver {
	readonly provider = "gcp";
	readonly capabilities = { spot: true };
	readonly siteId: string;
	readonly #settings: ParsedGcpSettings;
	readonly #listPrices: () => readonly ZoneRate[];
	readonly #clock: Clock;
	readonly #compute: ComputeCalls;
	readonly #slices: TpuSlices;
	readonly #live: LivePrices | null;
	readonly #diskPrices: DiskPrices;
	readonly power: MachinePower;
	/** Zones by region, as last seen by `check`. */
	#zones: Promise<Map<string, string[]>> | null = null;

	/** @throws ZodError for invalid settings */
	constructor(siteId: string, options: GcpDriverOptions) {
		this.siteId = siteId;
		const settings = gcpSettingsSchema.parse(options.settings);
		this.#settings = settings;
		this.#listPrices = options.listPrices;
		this.#clock = options.clock ?? systemClock;
		this.#live = openPrices(settings);
		this.#diskPrices = new DiskPrices({
			...{ source: "Cloud Billing Catalog", clock: this.#clock },
			read: async (region, disk) => {
				if (this.#live === null) throw new Error("live prices are turned off in the site's settings");
				return this.#live.diskPrice(region, disk);
			},
		});
		this.#compute = new ComputeCalls(settings, options.open ?? (() => openComputeClients(settings)));
		this.power = powerOf(this.#compute, settings);
		this.#slices = new TpuSlices(settings, this.#compute, options.listChips ?? (() => []));
	}

	async check(): Promise<void> {
		this.#zones = null;
		await checkSite(this.#compute, this.#settings, new Set((await this.#zonesByRegion()).keys()));
	}

	async offers(): Promise<{ offers: OfferObservation[]; failedRegions: FailedRegion[] }> {
		const snapshot = this.#listPrices();
		const rates = (await this.#live?.rates(snapshot, this.#clock.nowMs())) ?? snapshot;
		const names = [...new Set(rates.map((rate) => rate.instanceType))].sort();
		const { found, failedRegions } = await forEachRegion(this.#settings.regions, async (region) => {
			const zones = await this.#zonesIn(region);
			// Unreadable quotas are unknown; a launch above one fails with that error.
			const quotas = await this.#compute.gpuQuotas(region).catch(() => null);
			const offers = await Promise.all(zones.map((zone) => this.#offersIn(region, zone, { rates, names, quotas })));
			return [...offers.flat(), ...(await this.#slices.offers(this.siteId, region, rates, this.#clock.nowMs()))];
		});
		return { offers: found, failedRegions };
	}

	async #offersIn(
		region: string,
		zone: string,
		{ rates, names, quotas }: { rates: readonly ZoneRate[]; names: readonly string[]; quotas: NonNullable<ZoneFacts["quotas"]> | null },
	): Promise<OfferObservation[]> {
		const sold = (await this.#compute.machineTypes(zone, names)).map(({ name }) => name);
		const disks = new Map<string, MachineDisk>();
		for (const name of sold) {
			const { type, gib } = bootDiskOf(name, this.#settings);
			disks.set(name, await this.#diskPrices.of(region, { type, gib }));
		}
		const { listPriceMaxAgeDays, spotPriceMaxAgeDays } = this.#settings;
		const nowMs = this.#clock.nowMs();
		return offersOf({ siteId: this.siteId, region, zone, rates, sold, nowMs, listPriceMaxAgeDays, spotPriceMaxAgeDays, quotas, disks });
	}

	async launch(request: LaunchRequest): Promise<InstanceObservation> {
		const slice = tpuSliceOf({ provider: this.provider, instanceType: request.instanceType });
		if (slice !== null) return this.#slices.launch(request, slice);
		requireGpuSubnetworks(request, this.#settings);
		const policy = placementPolicyOf(request, this.#settings.controlPlane);
		if (policy !== null) await preparePolicy(this.#compute, { region: request.region, name: policy }, this.#settings);
		return launchMachine(this.#compute, this.#settings, request, { zone: this.#zoneFor(request), nowMs: this.#clock.nowMs() });
	}

	/** Offers name a zone. Without one, a zone that sells the type is chosen, the same for the same instance. */
	#zoneFor({ region, zone, instanceType, instanceId }: LaunchRequest): string {
		if (zone !== null) return zone;
		const rates = this.#listPrices().filter((rate) => rate.region === region && rate.instanceType === instanceType);
		const zones = [...new Set(rates.flatMap((rate) => (rate.zone === null ? [] : [rate.zone])))].sort();
		const chosen = zones[hash32(instanceId) % Math.max(1, zones.length)];
		if (chosen !== undefined) return chosen;
		const message = `Google Cloud: launch of ${instanceType} in ${region}: no zone with this machine type is known; place the job on an offer with a zone`;
		throw new DriverError("invalid_request", message, { providerCode: "NoZone" });
	}

	async describe(region: string, providerInstanceIds: string[]): Promise<InstanceObservation[]> {
		const asked = providerInstanceIds.flatMap((id) => readProviderId(id) ?? []).filter(({ zone }) => zone.startsWith(`${region}-`));
		const zones = [...Map.groupBy(asked, ({ zone }) => zone)];
		const found = await Promise.all(zones.map(([zone, ids]) => this.#describeIn(zone, new Set(ids.map(({ id }) => id)))));
		return [...found.flat(), ...(await this.#slices.describe(region, providerInstanceIds))];
	}

	async #describeIn(zone: string, ids: ReadonlySet<string>): Promise<InstanceObservation[]> {
		const shown = (await this.#compute.instances(zone, ourLabel(this.#settings))).filter(({ id }) => ids.has(id));
		const seen = shown.map((instance) => observationOf(instance));
		const well = seen.filter(({ state }) => state === "pending" || state === "running").length === ids.size;
		if (well) return seen;
		const endings = await this.#endingsIn(zone, ENDED_KNOWN_MS);
		const gone = [...ids].flatMap((id) => {
			const ending = endings.get(id);
			return ending?.over && !shown.some((instance) => instance.id === id) ? [goneObservation(this.#settings.controlPlane, ending)] : [];
		});
		return [...shown.map((instance) => observationOf(instance, endings.get(instance.id) ?? null)), ...gone];
	}

	async findByToken(region: string, instanceId: string): Promise<InstanceObservation | null> {
		const filter = `${ourLabel(this.#settings)} AND labels.${INSTANCE_LABEL}="${instanceId}"`;
		const zones = await this.#zonesIn(region);
		const found = await Promise.all(zones.map((zone) => this.#compute.instances(zone, filter)));
		const [instance] = found.flat();
		if (instance !== undefined) return observationOf(instance);
		const name = machineName(this.#settings.controlPlane, instanceId);
		const endings = await Promise.all(zones.map((zone) => this.#endingsIn(zone, ENDED_KNOWN_MS, name)));
		const gone = endings.flatMap((of) => [...of.values()].filter(wasThere)).map((e) => goneObservation(this.#settings.controlPlane, e));
		// Another name may start with this one.
		return gone.find((machine) => machine.instanceId === instanceId) ?? this.#slices.findByToken(region, instanceId);
	}

	async list(
		alsoIn?: readonly string[],
	): Promise<{ instances: InstanceObservation[]; sweptRegions: string[]; failedRegions: FailedRegion[] }> {
		const { found, sweptRegions, failedRegions } = await forEachRegion(mergeRegions(this.#settings.regions, alsoIn), async (region) => {
			const machines = await Promise.all((await this.#zonesIn(region)).map((zone) => this.#listIn(zone)));
			return [...machines.flat(), ...(await this.#slices.list(region))];
		});
		return { instances: found, sweptRegions, failedRegions };
	}

	/** The zone's machines, and those that it showed until recently. */
	async #listIn(zone: string): Promise<InstanceObservation[]> {
		const shown = await this.#compute.instances(zone, ourLabel(this.#settings));
		const endings = await this.#endingsIn(zone, ENDED_LISTED_MS);
		const gone = [...endings].filter(([id, ending]) => wasThere(ending) && !shown.some((instance) => instance.id === id));
		return [
			...shown.map((instance) => observationOf(instance, endings.get(instance.id) ?? null)),
			...gone.map(([, ending]) => goneObservation(this.#settings.controlPlane, ending)),
		];
	}

	/** Machines with names that start with the prefix; by default all of this control plane. */
	async #endingsIn(zone: string, backMs: number, prefix = namePrefix(this.#settings.controlPlane)): Promise<Map<string, Ending>> {
		const operations = await this.#compute.operations(zone, { targetText: prefix, sinceMs: this.#clock.nowMs() - backMs });
		// The text may occur anywhere in the URL.
		return endingsOf(operations.filter(({ targetLink }) => lastPart(targetLink).startsWith(prefix)));
	}

	async terminate(_region: string, providerInstanceId: string): Promise<void> {
		const host = readSliceHostId(providerInstanceId);
		if (host !== null) return this.#slices.terminate(host);
		const machine = readProviderId(providerInstanceId);
		// Google never issues such an id, so there is no such machine.
		if (machine === null) return;
		try {
			await this.#compute.deleteInstance(machine.zone, machine.id);
		} catch (error) {
			if (error instanceof DriverError && error.kind === "not_found") return;
			throw error;
		}
	}

	readonly placements: GangPlacements = {
		list: async (alsoIn) => {
			const { regions, controlPlane } = this.#settings;
			const ask = async (region: string) => [
				...placementsIn(region, await this.#compute.placementPolicies(region), controlPlane),
				...(await this.#slices.failed(region)),
			];
			return (await forEachRegion(mergeRegions(regions, alsoIn), ask)).found;
		},
		delete: ({ region, name }) => {
			const [slice, zone] = name.split("/").reverse();
			if (slice !== undefined && zone !== undefined) return this.#slices.terminate({ zone, name: slice });
			return this.#compute.deletePlacementPolicy(region, name);
		},
	};

	async close(): Promise<void> {
		await this.#compute.close();
	}

	async #zonesIn(region: string): Promise<string[]> {
		const zones = (await this.#zonesByRegion()).get(region);
		if (zones) return zones;
		throw new DriverError("invalid_request", `Google Cloud has no region ${region} for the project ${this.#settings.project}`);
	}

	#zonesByRegion(): Promise<Map<string, string[]>> {
		this.#zones ??= this.#compute
			.zones()
			.then(
				(zones) => new Map([...Map.groupBy(zones, (zone) => lastPart(zone.region))].map(([region, of]) => [region, of.map((z) => z.name)])),
			);
		// A failure is not cached: the next call asks again.
		this.#zones.catch(() => {
			this.#zones = null;
		});
		return this.#zones;
	}
}

/** A machine that ran and ended, as opposed to one that Google failed to create. */
function wasThere({ over, operation }: Ending): boolean {
	return over && operation.operationType !== "insert";
}
