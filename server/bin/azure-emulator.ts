/**
 * The emulated Azure endpoint as its own process, with the shipped price snapshot as its catalog: `node
 * server/bin/azure-emulator.ts http://127.0.0.1:3011`.
 *
 * The argument is the loopback address to listen on; a site names it as its `endpoint`. `SPILLWAY_HOME`/azure contains its
 * machines and its records. SIGTERM and SIGINT end its machines with it; after `kill -9` they keep running, and the next start
 * adopts them.
 */
import { join } from "node:path";
import { startAzureEmulator } from "#server/emulators/azure/emulator.ts";
import { EMULATED_RESOURCE_GROUP, EMULATED_SUBSCRIPTION } from "#server/emulators/azure/options.ts";
import { env } from "#server/env.ts";
import { listDiskRates } from "#server/rates/disks.ts";
import { listOffers } from "#server/rates/offers.ts";
import { emulatedCatalog } from "./emulated-catalog.ts";
import { EMULATED_QUOTAS } from "./emulated-quotas.ts";
import { EMULATED_TIMES, runEmulatorProgram } from "./emulator-program.ts";

await runEmulatorProgram({
	setting: "the address behind azure-emulator.ts",
	endpoint: process.argv[2],
	example: "http://127.0.0.1:3011",
	start: (port, log) =>
		startAzureEmulator({
			...EMULATED_TIMES,
			port,
			stateDir: join(env().SPILLWAY_HOME, "azure"),
			// The snapshot contains no zones: every region gets Azure's usual three.
			catalog: emulatedCatalog(listOffers("azure"), (region) => ["1", "2", "3"].map((zone) => `${region}-${zone}`)),
			disks: listDiskRates("azure"),
			coreQuotas: EMULATED_QUOTAS.azure,
			log,
		}),
	ready: (url) =>
		`emulated Azure endpoint ready at ${url}, subscription ${EMULATED_SUBSCRIPTION}, resource group ${EMULATED_RESOURCE_GROUP}`,
});
