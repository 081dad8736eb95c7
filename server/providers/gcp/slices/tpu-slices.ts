import { setTimeout as sleep } from "node:timers/promises";
import { TPU_SLICES, type TpuSlice } from "#server/domain/tpu-slice.ts";
import type { GangPlacement, InstanceObservation, LaunchRequest, OfferObservation } from "../../driver.ts";
import { DriverError } from "../../driver-errors.ts";
import type { ComputeCalls } from "../client.ts";
import { lastPart, regionOfZone } from "../names.ts";
import { type ChipPrice, offersOf, type ZoneRate } from "../offers.ts";
import type { ParsedGcpSettings } from "../settings.ts";
import { hostsOf, isOurs, isQueued, observationsOf, type QueuedResource, queuedResourceOf, sliceName } from "./queued-resource.ts";
import { readSliceHostId, type SliceHostPlace, sliceHostId } from "./slice-host-id.ts";
import { sliceRates } from "./slice-rates.ts";
import { TpuCalls } from "./tpu-calls.ts";
import { failureOf } from "./tpu-errors.ts";

/**
 * TPU slices of several hosts, in the zones of the setting `tpuZones`. Each host is one machine of the port; a queued resource of the
 * TPU API holds all hosts of an attempt, and creates and deletes them together.
 */
export class TpuSlices {
	readonly #settings: ParsedGcpSettings;
	readonly #calls: TpuCalls;
	readonly #listChips: () => readonly ChipPrice[];

	/** @param listChips prices of chips that Compute Engine does not sell by the machine */
	constructor(settings: ParsedGcpSettings, compute: ComputeCalls, listChips: () => readonly ChipPrice[]) {
		this.#settings = settings;
		this.#listChips = listChips;
		this.#calls = new TpuCalls(settings, compute);
	}

	/** Offers of the slices that the region's zones have. */
	async offers(siteId: string, region: string, machineRates: readonly ZoneRate[], nowMs: number): Promise<OfferObservation[]> {
		const zones = this.#zonesIn(region);
		if (zones.length === 0) return [];
		const known = new Set(TPU_SLICES.map(({ acceleratorType }) => acceleratorType));
		const rates = sliceRates(machineRates, this.#listChips());
		const { listPriceMaxAgeDays, spotPriceMaxAgeDays } = this.#settings;
		const found = await Promise.all(
			zones.map(async (zone) => {
				const sold = (await this.#calls.acceleratorTypes(zone)).filter((type) => known.has(type));
				return offersOf({ siteId, region, zone, rates, sold, nowMs, listPriceMaxAgeDays, spotPriceMaxAgeDays });
			}),
		);
		return found.flat();
	}

	/**
	 * Launches all hosts of a slice with the call for worker 0, and finds the others with theirs. Returns once Google has selected the
	 * request and provisions its hosts.
	 */
	async launch(request: LaunchRequest, slice: TpuSlice): Promise<InstanceObservation> {
		const { zone, hosts = [] } = request;
		const name = sliceName(request, this.#settings.controlPlane);
		const worker = hosts.findIndex(({ instanceId }) => instanceId === request.instanceId);
		if (zone === null || hosts.length !== slice.hosts || worker < 0) {
			const message = `Google Cloud TPU: launch of ${name}: ${slice.acceleratorType} is a slice of ${slice.hosts} hosts in one zone; set nodes to ${slice.hosts}`;
			throw new DriverError("invalid_request", message, { providerCode: "WrongHosts" });
		}
		const place = { zone, name, acceleratorType: slice.acceleratorType, worker };
		if (worker === 0 && (await this.#calls.queuedResource(zone, name)) === null) {
			await this.#calls.createQueuedResource(zone, name, queuedResourceOf(request, { zone, slice, hosts }, this.#settings));
		}
		return this.#follow(place, request);
	}

	/** Polls until Google has selected or rejected the request. */
	async #follow(place: SliceHostPlace, { instanceId }: LaunchRequest): Promise<InstanceObservation> {
		const { zone, name, worker } = place;
		const { capacityTimeoutMs, operationPollMs } = this.#settings;
		const what = `launch of ${name} in ${zone}`;
		const giveUpAt = performance.now() + capacityTimeoutMs;
		for (;;) {
			const resource = await this.#calls.queuedResource(zone, name);
			if (resource !== null && hostsOf(resource)[worker] !== instanceId) {
				const message = `Google Cloud TPU: ${what}: a queued resource of another owner already has this name; delete or rename it`;
				throw new DriverError("invalid_request", message, { providerCode: "ALREADY_EXISTS" });
			}
			if (resource?.state.state === "FAILED") throw failureOf(resource, what);
			if (resource !== null && !isQueued(resource)) return this.#hostOf(resource, place);
			if (resource === null && worker > 0) {
				const message = `Google Cloud TPU: ${what}: the slice was deleted before worker ${worker} was launched`;
				throw new DriverError("insufficient_capacity", message, { providerCode: "SliceDeleted" });
			}
			if (performance.now() >= giveUpAt) {
				const message = `Google Cloud TPU: ${what}: still ${resource?.state.state ?? "not listed"} after ${capacityTimeoutMs} ms; retrying`;
				throw new DriverError("transient", message, { providerCode: "Queued" });
			}
			await sleep(operationPollMs);
		}
	}

	async #hostOf(resource: QueuedResource, { zone, worker }: SliceHostPlace): Promise<InstanceObservation> {
		const found = (await this.#observe(resource, zone))[worker];
		if (found) return found;
		throw new DriverError("transient", `Google Cloud TPU: ${resource.name} has no worker ${worker}`, { providerCode: "UnexpectedAnswer" });
	}

	/** The hosts with these ids in one region. Without its queued resource, a host is terminated. */
	async describe(region: string, providerInstanceIds: readonly string[]): Promise<InstanceObservation[]> {
		const asked = providerInstanceIds.flatMap((id) => readSliceHostId(id) ?? []).filter(({ zone }) => regionOfZone(zone) === region);
		const bySlice = [...Map.groupBy(asked, ({ zone, name }) => `${zone}/${name}`).values()];
		const found = await Promise.all(
			bySlice.map(async (places) => {
				const [{ zone, name } = { zone: "", name: "" }] = places;
				const resource = await this.#calls.queuedResource(zone, name);
				if (resource === null) return places.map(goneHost);
				const hosts = await this.#observe(resource, zone);
				return places.flatMap(({ worker }) => hosts[worker] ?? []);
			}),
		);
		return found.flat();
	}

	async findByToken(region: string, instanceId: string): Promise<InstanceObservation | null> {
		for (const zone of this.#zonesIn(region)) {
			const resource = (await this.#ours(zone)).find((one) => hostsOf(one).includes(instanceId));
			if (resource) return (await this.#observe(resource, zone)).find((host) => host.instanceId === instanceId) ?? null;
		}
		return null;
	}

	/** All hosts of this control plane in a region. Failed requests have none: see `failed`. */
	async list(region: string): Promise<InstanceObservation[]> {
		const found = await Promise.all(
			this.#zonesIn(region).map(async (zone) => {
				const live = (await this.#ours(zone)).filter(({ state }) => state.state !== "FAILED");
				return (await Promise.all(live.map((resource) => this.#observe(resource, zone)))).flat();
			}),
		);
		return found.flat();
	}

	/** Failed requests, which Google keeps until they are deleted. */
	async failed(region: string): Promise<GangPlacement[]> {
		const found = await Promise.all(
			this.#zonesIn(region).map(async (zone) =>
				(await this.#ours(zone))
					.filter(({ state }) => state.state === "FAILED")
					.map(({ name }) => {
						const slice = lastPart(name);
						return { region, name: `${zone}/${slice}`, attemptId: slice.replace(/^spw-[0-9a-f]+-/, "").replaceAll("-", "_") };
					}),
			),
		);
		return found.flat();
	}

	/** Deletes the whole slice of a host. Does nothing if it no longer exists or is being deleted. */
	async terminate({ zone, name }: Pick<SliceHostPlace, "zone" | "name">): Promise<void> {
		const resource = await this.#calls.queuedResource(zone, name);
		if (resource === null || resource.state.state === "DELETING") return;
		try {
			await this.#calls.deleteQueuedResource(zone, name);
		} catch (error) {
			if (!(error instanceof DriverError) || error.kind !== "not_found") throw error;
		}
	}

	#zonesIn(region: string): string[] {
		return this.#settings.tpuZones.filter((zone) => regionOfZone(zone) === region);
	}

	async #ours(zone: string): Promise<QueuedResource[]> {
		return (await this.#calls.queuedResources(zone)).filter((resource) => isOurs(resource, this.#settings.controlPlane));
	}

	async #observe(resource: QueuedResource, zone: string): Promise<InstanceObservation[]> {
		const hasNode = resource.state.state === "ACTIVE" || resource.state.state === "PROVISIONING";
		const node = hasNode ? await this.#calls.node(zone, lastPart(resource.name)) : null;
		return observationsOf(resource, node, zone);
	}
}

/** A queued resource is read by its name, not from a list that lags, so its absence is final. */
function goneHost(place: SliceHostPlace): InstanceObservation {
	return {
		...{ providerInstanceId: sliceHostId(place), instanceId: null, region: regionOfZone(place.zone), zone: place.zone },
		...{ instanceType: place.acceleratorType, capacityType: "on_demand", state: "terminated", launchedAtMs: 0 },
		...{ billing: { phase: "over", fromMs: null, untilMs: null }, stateReasonCode: "DELETED", privateAddress: null },
	};
}
