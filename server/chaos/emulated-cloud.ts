import { mkdirSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { startEc2Emulator } from "#server/emulators/aws/emulator.ts";
import { startAzureEmulator } from "#server/emulators/azure/emulator.ts";
import { startGceEmulator } from "#server/emulators/gcp/emulator.ts";
import type { BookedInstance } from "#server/emulators/shared/booked-instance.ts";
import type { CatalogEntry } from "#server/emulators/shared/catalog-entry.ts";
import type { Emulator } from "#server/emulators/shared/emulator.ts";
import { defined } from "#server/kernel/assert.ts";
import { type CloudDriver, INSTANCE_TAG } from "#server/providers/driver.ts";
import type { ComputeClients } from "#server/providers/gcp/compute-clients.ts";
import { INSTANCE_LABEL } from "#server/providers/gcp/names.ts";
import type { DatedRate } from "#server/providers/snapshot-rate.ts";
import { CATALOGS, disksOf, RATES, REGIONS } from "./catalog.ts";
import { openCloudDriver, withDropped } from "./cloud-driver.ts";
import type { FastClock } from "./fast-clock.ts";
import { openGoogle } from "./google-clients.ts";
import type { Cloud, ProviderFault } from "./plan.ts";
import { faultSpecOf, regionDown } from "./provider-faults.ts";

/** By the run's clock. The machines' shells and Node.js processes take real time. */
const DELAYS = { bootDelayMs: 10_000, terminateDelayMs: 6_000, spotNoticeMs: 30_000 };
/** Real time, after which an emulated machine's processes are killed. */
const GUEST_STOP_GRACE_MS = 150;

/** State kept for the life of the program. Google's SDK takes a second to open, so ports stay the same across runs. */
export class CloudPorts {
	/** Folder of Google's key. */
	readonly keyFolder = path.join(os.tmpdir(), `spillway-chaos-${process.pid}`);
	readonly #ports = new Map<Cloud, number>();
	#google: Promise<ComputeClients> | null = null;

	port(cloud: Cloud): number {
		return this.#ports.get(cloud) ?? 0;
	}

	keep(cloud: Cloud, port: number): void {
		this.#ports.set(cloud, port);
	}

	google(endpoint: string): Promise<ComputeClients> {
		this.#google ??= openGoogle(endpoint, this.keyFolder);
		return this.#google;
	}

	async close(): Promise<void> {
		await (await this.#google)?.close();
	}
}

/** What a provider offers in a run, and the delays of its machines. */
export interface CloudStock {
	catalog: CatalogEntry[];
	rates: DatedRate[];
	regions: string[];
	delays: typeof DELAYS;
}

/** One provider of a run: its emulator, which can be killed and restarted with its records, and drivers that call it. */
export class EmulatedCloud {
	readonly cloud: Cloud;
	readonly #clock: FastClock;
	readonly #folder: string;
	readonly #ports: CloudPorts;
	readonly #stock: CloudStock;
	#emulator: Emulator | null = null;
	#lastBook: BookedInstance[] = [];
	#dropped: string | null = null;

	constructor(cloud: Cloud, options: { clock: FastClock; folder: string; ports: CloudPorts; stock?: CloudStock }) {
		this.cloud = cloud;
		this.#stock = options.stock ?? { catalog: CATALOGS[cloud], rates: RATES[cloud], regions: REGIONS[cloud], delays: DELAYS };
		this.#clock = options.clock;
		this.#folder = path.join(options.folder, cloud);
		this.#ports = options.ports;
		mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
	}

	async start(): Promise<void> {
		const clock = () => this.#clock.nowMs();
		const common = {
			...{
				port: this.#ports.port(this.cloud),
				stateDir: this.#folder,
				seed: 1,
				...this.#stock.delays,
				guestStopGraceMs: GUEST_STOP_GRACE_MS,
			},
			...{
				clock,
				clockRate: this.#clock.rate,
				guestEnvironment: this.#clock.environment,
				catalog: this.#stock.catalog,
				disks: disksOf(this.cloud),
			},
		};
		const start = { aws: startEc2Emulator, azure: startAzureEmulator, gcp: startGceEmulator }[this.cloud];
		this.#emulator = await start(common);
		this.#ports.keep(this.cloud, this.#emulator.port);
	}

	/** Its machines keep running. It restarts on the same port with its records. */
	async kill(): Promise<void> {
		const emulator = this.#emulator;
		if (emulator === null) return;
		this.#lastBook = emulator.instances();
		this.#emulator = null;
		await emulator.stop({ killInstances: false });
	}

	/** Ends everything left at the end of a run. */
	async dispose(): Promise<void> {
		await this.#emulator?.stop({ killInstances: true });
	}

	get regions(): string[] {
		return this.#stock.regions;
	}

	get url(): string {
		return `http://127.0.0.1:${this.#ports.port(this.cloud)}`;
	}

	book(): BookedInstance[] {
		return this.#emulator?.instances() ?? this.#lastBook;
	}

	interrupt(machine: BookedInstance): void {
		this.#emulator?.interrupt(machine.instanceId);
	}

	/** `no_capacity` ends by itself, because no one sends requests to a provider that reports no capacity. */
	addFault(fault: ProviderFault): void {
		const faults = this.#emulator?.faults;
		const id = faults?.add(faultSpecOf(this.cloud, fault));
		if (id !== undefined && fault.kind === "no_capacity") setTimeout(() => faults?.remove(id), fault.durationMs / this.#clock.rate).unref();
	}

	/** Reduces the region's prices to a tenth from now on. */
	drop(region: string): void {
		this.#dropped = region;
	}

	/** Makes all calls to the region fail from now on. */
	loseRegion(region: string): void {
		this.#emulator?.faults.add({ action: "*", match: { region }, times: "always", error: { code: regionDown(this.cloud) } });
	}

	clearFaults(): void {
		this.#emulator?.faults.clear();
	}

	driver(): Promise<CloudDriver> {
		return openCloudDriver(this.cloud, {
			...{ url: this.url, regions: this.#stock.regions, clock: this.#clock },
			rates: () => withDropped(this.#stock.rates, this.#dropped),
			google: (endpoint) => this.#ports.google(endpoint),
		});
	}
}

/** Our instance id of a machine in a provider's records, from its launch tag. */
export function ourInstanceOf(machine: BookedInstance): string {
	return defined(machine.tags[INSTANCE_TAG] ?? machine.tags[INSTANCE_LABEL], `the tag of machine ${machine.instanceId}`);
}
