import { type Clock, systemClock } from "#server/kernel/clock.ts";
import type { DiskPrices } from "../disk-prices.ts";
import {
	type CloudDriver,
	CONTROL_PLANE_TAG,
	type GangPlacements,
	type InstanceObservation,
	type LaunchRequest,
	type MachinePower,
	type OfferObservation,
} from "../driver.ts";
import { DriverError } from "../driver-errors.ts";
import { type FailedRegion, forEachRegion, mergeRegions } from "../every-region.ts";
import type { DatedRate } from "../snapshot-rate.ts";
import { checkSite } from "./check-site.ts";
import { AzureCalls, type AzureSku } from "./client.ts";
import { openDiskPrices } from "./disk-prices.ts";
import { availabilitySetOf, availabilitySetResource, placementsOf } from "./gang-placement.ts";
import { gangZone } from "./gang-zone.ts";
import { KnownMachines } from "./known-machines.ts";
import { launchMachine } from "./launch.ts";
import { type AzureVm, OS_DISK_TYPE, observationOf } from "./mapper.ts";
import { type MachineRef, machineNameOf, providerIdOf, readProviderId } from "./names.ts";
import { offersOf } from "./offers.ts";
import { startMachine } from "./power.ts";
import { type AzureSettings, azureSettingsSchema, type ParsedAzureSettings } from "./settings.ts";

/** The current prices: the shipped snapshot, with the live list on top. */
type ListPrices = () => readonly DatedRate[] | Promise<readonly DatedRate[]>;

/** Up to this many machines are read one by one. */
const BY_NAME_MAX = 10;
/** Concurrent calls when machines are read one by one. */
const PARALLEL_CALLS = 8;

/** One Azure subscription through its compute API. Prices come from `listPrices`. */
export class AzureDriver implements CloudDriver {
	readonly provider = "azure";
	readonly capabilities = { spot: true };
	readonly siteId: string;
	readonly #settings: ParsedAzureSettings;
	readonly #listPrices: ListPrices;
	readonly #clock: Clock;
	readonly #azure: AzureCalls;
	readonly #diskPrices: DiskPrices;
	readonly #known = new KnownMachines();
	/** The sizes that each region sold at the last reading, used to look up a size's zones. */
	readonly #sizes = new Map<string, readonly AzureSku[]>();

	/** @throws ZodError for invalid settings */
	constructor(siteId: string, options: { settings: AzureSettings; listPrices: ListPrices; clock?: Clock }) {
		this.siteId = siteId;
		this.#settings = azureSettingsSchema.parse(options.settings);
		this.#listPrices = options.listPrices;
		this.#clock = options.clock ?? systemClock;
		this.#azure = new AzureCalls(this.#settings);
		this.#diskPrices = openDiskPrices(this.#settings, this.#clock);
	}

	check(): Promise<void> {
		return checkSite(this.#azure, this.#settings);
	}

	async offers(): Promise<{ offers: OfferObservation[]; failedRegions: FailedRegion[] }> {
		const rates = await this.#listPrices();
		const { regions, listPriceMaxAgeDays, spotPriceMaxAgeDays } = this.#settings;
		const { found, failedRegions } = await forEachRegion(regions, async (region) => {
			const asked = { type: OS_DISK_TYPE, gib: this.#settings.osDiskGiB };
			// Unreadable quotas are unknown; a launch above one fails with that error.
			const quotas = this.#azure.coreQuotas(region).catch(() => null);
			const [sizes, disk] = await Promise.all([this.#askSizes(region), this.#diskPrices.of(region, asked)]);
			const nowMs = this.#clock.nowMs();
			return offersOf({
				siteId: this.siteId,
				region,
				rates,
				sizes,
				nowMs,
				listPriceMaxAgeDays,
				spotPriceMaxAgeDays,
				quotas: await quotas,
				disk,
			});
		});
		return { offers: found, failedRegions };
	}

	async launch(request: LaunchRequest): Promise<InstanceObservation> {
		const id = this.#idOf(request.instanceId);
		const over = this.#known.gone(id, this.#clock.nowMs());
		if (over) return over;
		await this.#prepareSet(request);
		const made = await launchMachine(this.#azure, request, this.#settings, await this.#zoneFor(request));
		if (made) return this.#see(made);
		const seen = this.#known.last(id);
		if (seen) return seen;
		throw new DriverError("transient", `Azure: the instance ${id} was created but is not listed yet`, { providerCode: "ResourceNotFound" });
	}

	/** Azure does not report where it puts a machine without a zone, so a gang's machines might be in different zones. */
	async #zoneFor(request: LaunchRequest): Promise<string | null> {
		// An availability set takes no zone.
		if (availabilitySetOf(request) !== null) return null;
		// A reservation already determines the location.
		if (request.zone !== null || (request.nodes ?? 1) === 1 || request.capacityType === "reserved") return request.zone;
		return gangZone(this.#sizes.get(request.region) ?? (await this.#askSizes(request.region)), request);
	}

	async #askSizes(region: string): Promise<readonly AzureSku[]> {
		const sizes = await this.#azure.sizes(region);
		this.#sizes.set(region, sizes);
		return sizes;
	}

	/** Reads a few machines by name, several concurrently, and many from the lists at a constant cost. */
	async describe(region: string, providerInstanceIds: string[]): Promise<InstanceObservation[]> {
		const listed = providerInstanceIds.length > BY_NAME_MAX ? await this.#listRegion(region, this.#states()) : [];
		const asked = new Set(providerInstanceIds);
		const found = listed.filter(({ providerInstanceId }) => asked.has(providerInstanceId));
		for (const { providerInstanceId } of found) asked.delete(providerInstanceId);
		const queue = [...asked];
		const worker = async (): Promise<void> => {
			for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
				const seen = await this.#look(id);
				if (seen?.region === region) found.push(seen);
			}
		};
		await Promise.all(Array.from({ length: Math.min(PARALLEL_CALLS, queue.length) }, worker));
		return found;
	}

	async findByToken(region: string, instanceId: string): Promise<InstanceObservation | null> {
		const [found] = await this.describe(region, [this.#idOf(instanceId)]);
		return found ?? null;
	}

	async list(
		alsoIn?: readonly string[],
	): Promise<{ instances: InstanceObservation[]; sweptRegions: string[]; failedRegions: FailedRegion[] }> {
		// Read once for all regions, next to their lists. A region counts as failed too if its states are unknown.
		const states = this.#states();
		const { found, sweptRegions, failedRegions } = await forEachRegion(mergeRegions(this.#settings.regions, alsoIn), (region) =>
			this.#listRegion(region, states),
		);
		return { instances: found, sweptRegions, failedRegions };
	}

	async #listRegion(region: string, states: Promise<Map<string, AzureVm["instanceView"]>>): Promise<InstanceObservation[]> {
		const listed = (await this.#azure.listRegion(region)).filter((vm) => this.#isOurs(vm));
		const known = await states;
		const seen = listed.map((vm) => this.#see(withState(vm, known.get(vm.id.toLowerCase()))));
		const shown = new Set(seen.map(({ providerInstanceId }) => providerInstanceId));
		// A list may lag. The end of a machine that was being deleted is confirmed by a request for its name.
		await Promise.all(this.#known.deletingIn(region).map((id) => (shown.has(id) ? null : this.#look(id))));
		const gone = this.#known.goneIn(region, this.#clock.nowMs());
		return [...seen, ...gone.filter(({ providerInstanceId }) => !shown.has(providerInstanceId))];
	}

	/** The power states of the subscription's machines, by resource id. */
	#states(): Promise<Map<string, AzureVm["instanceView"]>> {
		const states = this.#azure.listStatuses().then((all) => new Map(all.map((one) => [one.id.toLowerCase(), one.instanceView])));
		// Callers that await it see a failure. If none does, it must not count as an unhandled rejection.
		states.catch(() => {});
		return states;
	}

	/** Reads the machine first, so that machines without our tag are never deleted, and deleted ones are no longer shown. */
	async terminate(_region: string, providerInstanceId: string): Promise<void> {
		const ref = readProviderId(providerInstanceId);
		// Time before the read: it may be evicted before the deletion call.
		const askedMs = this.#clock.nowMs();
		const seen = await this.#look(providerInstanceId);
		if (!ref || !seen || seen.state === "terminated") return;
		await this.#azure.delete(ref);
		this.#known.deleting(providerInstanceId, { askedMs, answeredMs: this.#clock.nowMs() });
	}

	readonly power: MachinePower = {
		stop: async (_region, id) => this.#azure.deallocate(await this.#powered(id)),
		start: async (_region, id) => startMachine(this.#azure, await this.#powered(id), this.#settings),
	};

	async #powered(providerInstanceId: string): Promise<MachineRef> {
		const ref = readProviderId(providerInstanceId);
		const seen = await this.#look(providerInstanceId);
		if (!ref || !seen || seen.state === "terminated") {
			throw new DriverError("not_found", `Azure: there is no machine ${providerInstanceId} to stop or start`);
		}
		if (seen.capacityType === "on_demand") return ref;
		throw new DriverError("invalid_request", `Azure: ${ref.name} is ${seen.capacityType}; only on-demand machines are kept stopped`);
	}

	readonly placements: GangPlacements = {
		list: async () => placementsOf(await this.#azure.listSets(), this.#settings.controlPlane),
		delete: ({ name }) => this.#azure.deleteSet(name),
	};

	async #prepareSet(request: LaunchRequest): Promise<void> {
		const name = availabilitySetOf(request);
		if (name === null) return;
		try {
			await this.#azure.createSet(name, availabilitySetResource(request, this.#settings.controlPlane));
		} catch (error) {
			// A single missing right must not mark the whole site as unhealthy.
			if (!(error instanceof DriverError) || error.kind !== "unauthorized") throw error;
			const message = `${error.message}; add Microsoft.Compute/availabilitySets/read, write and delete to the role`;
			throw new DriverError("invalid_request", message, { cause: error });
		}
	}

	async close(): Promise<void> {
		// The SDK holds no resources that must be released.
	}

	/** The machine with this id as Azure shows it now, or as last seen before its end; null if it is unknown or not ours. */
	async #look(providerInstanceId: string): Promise<InstanceObservation | null> {
		const ref = readProviderId(providerInstanceId);
		if (!ref) return null;
		const found = await this.#azure.get(ref);
		if (found) return this.#isOurs(found) ? this.#see(found) : null;
		const nowMs = this.#clock.nowMs();
		return this.#known.missing(providerInstanceId, nowMs) ? this.#known.gone(providerInstanceId, nowMs) : null;
	}

	#see(vm: AzureVm): InstanceObservation {
		const observation = observationOf(vm);
		this.#known.see(observation);
		return this.#known.withEnd(observation);
	}

	#isOurs(vm: AzureVm): boolean {
		return vm.tags[CONTROL_PLANE_TAG] === this.#settings.controlPlane;
	}

	#idOf(instanceId: string): string {
		return providerIdOf({ resourceGroup: this.#settings.resourceGroup, name: machineNameOf(instanceId) });
	}
}

function withState(vm: AzureVm, instanceView: AzureVm["instanceView"]): AzureVm {
	return instanceView === undefined ? vm : { ...vm, instanceView };
}
