import type { CloudStock } from "../emulated-cloud.ts";

const REGION = "us-east-1";
const ACCELERATOR = "H100-80GB";
const PRICE = { asOf: "2026-07-20", source: "invented for tests" };
/** Machines with the GPU counts that the queue's jobs request. Prices are invented; nothing depends on real ones. */
const TYPES = [
	{ instanceType: "p5.4xlarge", vcpus: 16, memoryGiB: 256, gpus: 1, microUsdPerHour: 4_000_000n },
	{ instanceType: "p5.48xlarge", vcpus: 192, memoryGiB: 2_048, gpus: 8, microUsdPerHour: 32_000_000n },
];

/** One region with on-demand H100s. Machines start and stop within moments, because the test is about the queue. */
export const QUEUE_STOCK: CloudStock = {
	regions: [REGION],
	delays: { bootDelayMs: 300, terminateDelayMs: 200, spotNoticeMs: 3_000 },
	catalog: TYPES.map(({ microUsdPerHour, ...type }) => ({
		...type,
		gpuModel: ACCELERATOR,
		regions: [{ region: REGION, onDemandMicroUsdPerHour: microUsdPerHour, zones: [{ zone: `${REGION}a`, spotMicroUsdPerHour: null }] }],
	})),
	rates: TYPES.map(({ microUsdPerHour, ...type }) => ({
		...type,
		...{ accelerator: ACCELERATOR, region: REGION, zone: null },
		...{ onDemand: { microUsdPerHour, ...PRICE }, spot: null },
	})),
};
