/**
 * The emulated Compute Engine endpoint as its own process, with the shipped price snapshot as its catalog: `node
 * server/bin/gcp-emulator.ts http://127.0.0.1:3012`.
 *
 * The argument is the loopback address to listen on; a site names it as its `endpoint`. `SPILLWAY_HOME`/gcp contains its
 * machines, its state and the accepted key file; GOOGLE_APPLICATION_CREDENTIALS names the key file for the scheduler. SIGTERM and
 * SIGINT end its machines with it; after `kill -9` they keep running, and the next start adopts them.
 */
import { join } from "node:path";
import { startGceEmulator } from "#server/emulators/gcp/emulator.ts";
import { writeKeyFile } from "#server/emulators/gcp/key-file.ts";
import { DEFAULT_PROJECT } from "#server/emulators/gcp/options.ts";
import { env } from "#server/env.ts";
import { listDiskRates } from "#server/rates/disks.ts";
import { listOffers } from "#server/rates/offers.ts";
import { emulatedCatalog } from "./emulated-catalog.ts";
import { EMULATED_QUOTAS } from "./emulated-quotas.ts";
import { EMULATED_TIMES, runEmulatorProgram } from "./emulator-program.ts";

const stateDir = join(env().SPILLWAY_HOME, "gcp");
// Written before the endpoint opens, so that a scheduler started at the same time finds its key.
const keyFile = writeKeyFile(stateDir);

await runEmulatorProgram({
	setting: "the address behind gcp-emulator.ts",
	endpoint: process.argv[2],
	example: "http://127.0.0.1:3012",
	start: (port, log) =>
		startGceEmulator({
			...EMULATED_TIMES,
			port,
			stateDir,
			// If the snapshot names no zone at all, use zone a for the region.
			catalog: emulatedCatalog(listOffers("gcp"), (region) => [`${region}-a`]),
			disks: listDiskRates("gcp"),
			gpuQuotas: EMULATED_QUOTAS.gcp,
			log,
		}),
	ready: (url) => `emulated Compute Engine endpoint ready at ${url}, project ${DEFAULT_PROJECT}, GOOGLE_APPLICATION_CREDENTIALS=${keyFile}`,
});
