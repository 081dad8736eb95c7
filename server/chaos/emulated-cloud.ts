import { mkdirSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { startEc2Emulator } from "#server/emulators/aws/emulator.ts";
import { DEFAULT_ACCESS_KEY_ID } from "#server/emulators/aws/options.ts";
import { startAzureEmulator } from "#server/emulators/azure/emulator.ts";
import { EMULATED_RESOURCE_GROUP, EMULATED_SUBSCRIPTION } from "#server/emulators/azure/options.ts";
import { startGceEmulator } from "#server/emulators/gcp/emulator.ts";
import { writeKeyFile } from "#server/emulators/gcp/key-file.ts";
import { DEFAULT_PROJECT } from "#server/emulators/gcp/options.ts";
import type { BookedInstance } from "#server/emulators/shared/booked-instance.ts";
import type { CatalogEntry } from "#server/emulators/shared/catalog-entry.ts";
import type { Emulator } from "#server/emulators/shared/emulator.ts";
import { defined } from "#server/kernel/assert.ts";
import { AwsDriver } from "#server/providers/aws/driver.ts";
import { AzureDriver } from "#server/providers/azure/driver.ts";
import { type CloudDriver, INSTANCE_TAG } from "#server/providers/driver.ts";
import { type ComputeClients, openComputeClients } from "#server/providers/gcp/compute-clients.ts";
import { GcpDriver } from "#server/providers/gcp/driver.ts";
import { INSTANCE_LABEL } from "#server/providers/gcp/names.ts";
import type { DatedRate } from "#server/providers/snapshot-rate.ts";
import { CATALOGS, disksOf, RATES, REGIONS } from "./catalog.ts";
import type { FastClock } from "./fast-clock.ts";
import type { Cloud, ProviderFault } from "./plan.ts";
import { faultSpecOf, regionDown } from "./provider-faults.ts";

/** By the run's clock; the machines' shells and Nodes themselves take real time. */
const DELAYS = { bootDelayMs: 10_000, terminateDelayMs: 6_000, spotNoticeMs: 30_000 };
/** Real. After it an emulated machine's processes are cut off. */
const GUEST_STOP_GRACE_MS = 150;
/** Real: after it the outcome of a call is unknown. */
const ANSWER_TIMEOUT_MS = 3_000;
const CONTROL_PLANE = "spw-chaos";

/** What lives as long as the program: Google's SDK takes a second to open, so the ports stay the same from run to run. */
export class CloudPorts {
	readonly #ports = new Map<Cloud, number>();
	#google: Promise<ComputeClients> | null = null;

	port(cloud: Cloud): number {
		return this.#ports.get(cloud) ?? 0;
	}

	keep(cloud: Cloud, port: number): void {
		this.#ports.set(cloud, port);
	}

	google(endpoint: string): Promise<ComputeClients> {
		// Where Google's own chain of credentials looks.
		process.env["GOOGLE_APPLICATION_CREDENTIALS"] = writeKeyFile(path.join(os.tmpdir(), `spillway-chaos-${process.pid}`));
		this.#google ??= openComputeClients({ endpoint });
		return this.#google;
	}

	async close(): Promise<void> {
		await (await this.#google)?.close();
	}
}

/** What a provider sells in a run, and how long its machines take. */
export interface CloudStock {
	catalog: CatalogEntry[];
	rates: DatedRate[];
	regions: string[];
	delays: typeof DELAYS;
}

/** One provider of a run: its emulator, which can be killed and comes back with its book, and drivers that speak to it. */
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

	/** Its machines go on; it comes back on the same port with its book. */
	async kill(): Promise<void> {
		const emulator = this.#emulator;
		if (emulator === null) return;
		this.#lastBook = emulator.instances();
		this.#emulator = null;
		await emulator.stop({ killInstances: false });
	}

	/** Ends what is left at the end of a run. */
	async dispose(): Promise<void> {
		await this.#emulator?.stop({ killInstances: true });
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

	/** Room comes back by itself, since nobody asks a provider that says beforehand that it has none. */
	addFault(fault: ProviderFault): void {
		const faults = this.#emulator?.faults;
		const id = faults?.add(faultSpecOf(this.cloud, fault));
		if (id !== undefined && fault.kind === "no_capacity") setTimeout(() => faults?.remove(id), fault.durationMs / this.#clock.rate).unref();
	}

	/** The region costs a tenth from now on. */
	drop(region: string): void {
		this.#dropped = region;
	}

	#rates(): DatedRate[] {
		const { rates } = this.#stock;
		if (this.#dropped === null) return rates;
		return rates.map((rate) => {
			const { onDemand } = rate;
			const isCheap = rate.region === this.#dropped && onDemand !== null;
			return isCheap ? { ...rate, onDemand: { ...onDemand, microUsdPerHour: onDemand.microUsdPerHour / 10n } } : rate;
		});
	}

	/** No call to the region is answered from now on. */
	loseRegion(region: string): void {
		this.#emulator?.faults.add({ action: "*", match: { region }, times: "always", error: { code: regionDown(this.cloud) } });
	}

	clearFaults(): void {
		this.#emulator?.faults.clear();
	}

	async driver(): Promise<CloudDriver> {
		const { cloud, url: endpoint } = this;
		const { regions } = this.#stock;
		const clock = this.#clock;
		const listPrices = () => this.#rates();
		const common = { controlPlane: CONTROL_PLANE, endpoint, regions, answerTimeoutMs: ANSWER_TIMEOUT_MS };
		switch (cloud) {
			case "aws": {
				const credentials = { accessKeyId: DEFAULT_ACCESS_KEY_ID, secretAccessKey: "any" };
				return new AwsDriver("aws", { settings: { ...common, credentials, imageId: "ami-0123456789abcdef0" }, listPrices, clock });
			}
			case "azure": {
				const account = { subscriptionId: EMULATED_SUBSCRIPTION, resourceGroup: EMULATED_RESOURCE_GROUP };
				const network = `/subscriptions/${EMULATED_SUBSCRIPTION}/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/v/subnets/s`;
				const subnets = Object.fromEntries(regions.map((region) => [region, network]));
				const waits = { allocationWatchMs: 1_000, allocationPollMs: 20 };
				return new AzureDriver("azure", { settings: { ...common, ...account, ...waits, subnets }, listPrices, clock });
			}
			case "gcp": {
				const clients = await this.#ports.google(endpoint);
				const image = "projects/debian-cloud/global/images/family/debian-12";
				const waits = { capacityTimeoutMs: 3_000, operationPollMs: 20 };
				return new GcpDriver("gcp", {
					settings: { ...common, ...waits, project: DEFAULT_PROJECT, image },
					...{ listPrices, clock, open: async () => ({ ...clients, close: async () => {} }) },
				});
			}
		}
	}
}

/** Our instance of a machine in a provider's book, by the tag that it was launched with. */
export function ourInstanceOf(machine: BookedInstance): string {
	return defined(machine.tags[INSTANCE_TAG] ?? machine.tags[INSTANCE_LABEL], `the tag of machine ${machine.instanceId}`);
}
