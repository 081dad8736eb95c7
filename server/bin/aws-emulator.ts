/**
 * The emulated EC2 endpoint as its own process, with the shipped price snapshot as its catalog.
 *
 * `SPILLWAY_AWS_ENDPOINT` is the loopback address to listen on; `SPILLWAY_HOME`/aws contains its machines and its records. It
 * accepts the access key `AKIAEMULATED` with any secret, because signatures are not checked. SIGTERM and SIGINT end its machines
 * with it; after `kill -9` they keep running, and the next start adopts them.
 */
import { join } from "node:path";
import { startEc2Emulator } from "#server/emulators/aws/emulator.ts";
import { DEFAULT_ACCESS_KEY_ID } from "#server/emulators/aws/options.ts";
import { env } from "#server/env.ts";
import { listDiskRates } from "#server/rates/disks.ts";
import { listOffers } from "#server/rates/offers.ts";
import { emulatedCatalog } from "./emulated-catalog.ts";
import { EMULATED_QUOTAS } from "./emulated-quotas.ts";
import { EMULATED_TIMES, runEmulatorProgram } from "./emulator-program.ts";

await runEmulatorProgram({
	setting: "SPILLWAY_AWS_ENDPOINT",
	endpoint: env().SPILLWAY_AWS_ENDPOINT,
	example: "http://127.0.0.1:3010",
	start: (port, log) =>
		startEc2Emulator({
			...EMULATED_TIMES,
			port,
			stateDir: join(env().SPILLWAY_HOME, "aws"),
			// If the snapshot names no zone at all, use zone a for the region.
			catalog: emulatedCatalog(listOffers("aws"), (region) => [`${region}a`]),
			disks: listDiskRates("aws"),
			vcpuQuotas: EMULATED_QUOTAS.aws,
			log,
		}),
	ready: (url) => `emulated EC2 endpoint ready at ${url}, access key ${DEFAULT_ACCESS_KEY_ID}, any secret`,
});
