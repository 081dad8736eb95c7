import { DEFAULT_ACCESS_KEY_ID } from "#server/emulators/aws/options.ts";
import { EMULATED_RESOURCE_GROUP, EMULATED_SUBSCRIPTION } from "#server/emulators/azure/options.ts";
import { DEFAULT_ACCOUNT, DEFAULT_PROJECT } from "#server/emulators/gcp/options.ts";
import type { Clock } from "#server/kernel/clock.ts";
import type { CloudDriver } from "#server/providers/driver.ts";
import type { ComputeClients } from "#server/providers/gcp/compute-clients.ts";
import type { DatedRate } from "#server/providers/snapshot-rate.ts";
import type { Cloud } from "./plan.ts";

/** Real time, after which the outcome of a call is unknown. */
const ANSWER_TIMEOUT_MS = 3_000;
export const CONTROL_PLANE = "spw-chaos";

export interface CloudAccess {
	/** The emulated provider's URL. */
	url: string;
	regions: string[];
	clock: Clock;
	rates(): DatedRate[];
	google(endpoint: string): Promise<ComputeClients>;
}

/** A cloud's production driver. SDKs are loaded only when needed, because loading takes a second. */
export async function openCloudDriver(cloud: Cloud, { url: endpoint, regions, clock, rates, google }: CloudAccess): Promise<CloudDriver> {
	const common = { controlPlane: CONTROL_PLANE, endpoint, regions, answerTimeoutMs: ANSWER_TIMEOUT_MS };
	switch (cloud) {
		case "aws": {
			const { AwsDriver } = await import("#server/providers/aws/driver.ts");
			const credentials = { accessKeyId: DEFAULT_ACCESS_KEY_ID, secretAccessKey: "any" };
			return new AwsDriver("aws", { settings: { ...common, credentials, imageId: "ami-0123456789abcdef0" }, listPrices: rates, clock });
		}
		case "azure": {
			const { AzureDriver } = await import("#server/providers/azure/driver.ts");
			const account = { subscriptionId: EMULATED_SUBSCRIPTION, resourceGroup: EMULATED_RESOURCE_GROUP };
			const network = `/subscriptions/${EMULATED_SUBSCRIPTION}/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/v/subnets/s`;
			const subnets = Object.fromEntries(regions.map((region) => [region, network]));
			const waits = { allocationWatchMs: 1_000, allocationPollMs: 20 };
			return new AzureDriver("azure", { settings: { ...common, ...account, ...waits, subnets }, listPrices: rates, clock });
		}
		case "gcp": {
			const { GcpDriver } = await import("#server/providers/gcp/driver.ts");
			const clients = await google(endpoint);
			const image = "projects/debian-cloud/global/images/family/debian-12";
			const waits = { capacityTimeoutMs: 3_000, operationPollMs: 20 };
			return new GcpDriver("gcp", {
				settings: { ...common, ...waits, project: DEFAULT_PROJECT, image, serviceAccount: DEFAULT_ACCOUNT },
				...{ listPrices: rates, clock, open: async () => ({ ...clients, close: async () => {} }) },
			});
		}
	}
}

/** Prices with one region reduced to a tenth; null: unchanged. */
export function withDropped(rates: readonly DatedRate[], region: string | null): DatedRate[] {
	return rates.map((rate) => {
		const { onDemand } = rate;
		const isCheap = rate.region === region && onDemand !== null;
		return isCheap ? { ...rate, onDemand: { ...onDemand, microUsdPerHour: onDemand.microUsdPerHour / 10n } } : rate;
	});
}
