/**
 * The emulated EC2 endpoint as a process of its own, with the shipped price snapshot as its catalogue.
 *
 * `SPILLWAY_AWS_ENDPOINT` is where it listens (loopback), `SPILLWAY_HOME`/aws where its machines and its book live.
 * It lets in the access key `AKIAEMULATED` with any secret, since signatures are not checked. SIGTERM and SIGINT end
 * its machines with it; after `kill -9` they go on, and the next start takes them over.
 */
import { join } from "node:path";
import { startEc2Emulator } from "#server/emulators/aws/emulator.ts";
import { DEFAULT_ACCESS_KEY_ID, type Ec2CatalogEntry, type Ec2CatalogRegion } from "#server/emulators/aws/options.ts";
import { env } from "#server/env.ts";
import { listOffers, type OfferRate } from "#server/rates/offers.ts";

const BOOT_DELAY_MS = 3_000;
const TERMINATE_DELAY_MS = 1_000;
const SPOT_NOTICE_MS = 20_000;
const SEED = 1;

try {
	await main();
} catch (error) {
	process.stderr.write(`${startFailure(error)}\n`);
	process.exitCode = 1;
}

async function main(): Promise<void> {
	const { SPILLWAY_AWS_ENDPOINT: endpoint, SPILLWAY_HOME: home } = env();
	const emulator = await startEc2Emulator({
		port: portOf(endpoint),
		stateDir: join(home, "aws"),
		catalog: catalogOf(listOffers("aws")),
		bootDelayMs: BOOT_DELAY_MS,
		terminateDelayMs: TERMINATE_DELAY_MS,
		spotNoticeMs: SPOT_NOTICE_MS,
		seed: SEED,
		log: (line) => process.stdout.write(`${new Date().toISOString()} ${line}\n`),
	});
	process.stdout.write(`emulated EC2 endpoint ready at ${emulator.url}, access key ${DEFAULT_ACCESS_KEY_ID}, any secret\n`);
	let isStopping = false;
	for (const signal of ["SIGTERM", "SIGINT"] as const) {
		process.on(signal, () => {
			if (isStopping) return;
			isStopping = true;
			void emulator.stop({ killInstances: true }).then(() => process.exit(0));
		});
	}
}

function portOf(endpoint: string | undefined): number {
	const url = new URL(endpoint ?? "http://unset");
	if (url.protocol !== "http:" || !["127.0.0.1", "localhost"].includes(url.hostname) || url.port === "") {
		throw new Error(
			`SPILLWAY_AWS_ENDPOINT is ${JSON.stringify(endpoint ?? "")}: the emulated cloud listens on loopback only. Give an address such as http://127.0.0.1:3010.`,
		);
	}
	return Number(url.port);
}

/** By type and region. A price that the snapshot has for a whole region holds in each of the region's zones. */
function catalogOf(rates: readonly OfferRate[]): Ec2CatalogEntry[] {
	const zonesOf = Map.groupBy(
		rates.filter(({ zone }) => zone !== null),
		({ region }) => region,
	);
	return [...Map.groupBy(rates, ({ instanceType }) => instanceType)].flatMap(([instanceType, ofType]) => {
		const [first] = ofType;
		if (!first) return [];
		const regions = [...Map.groupBy(ofType, ({ region }) => region)].flatMap(([region, rows]) => {
			// Where the snapshot names no zone at all, the first letter stands for the region.
			const named = new Set((zonesOf.get(region) ?? []).map(({ zone }) => zone ?? ""));
			return regionOf(region, rows, named.size > 0 ? [...named] : [`${region}a`]);
		});
		const { vcpus, memoryGiB, gpus, accelerator } = first;
		return { instanceType, vcpus, memoryGiB, gpus, gpuModel: accelerator, regions };
	});
}

function regionOf(region: string, rows: readonly OfferRate[], zonesOfRegion: readonly string[]): Ec2CatalogRegion[] {
	const [first] = rows;
	if (!first) return [];
	const zones = rows.flatMap((row) =>
		(row.zone === null ? zonesOfRegion : [row.zone]).map((zone) => ({ zone, spotMicroUsdPerHour: row.spot?.microUsdPerHour ?? null })),
	);
	return [{ region, onDemandMicroUsdPerHour: first.onDemand.microUsdPerHour, zones }];
}

function startFailure(error: unknown): string {
	if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
		return `The emulated cloud cannot listen on ${env().SPILLWAY_AWS_ENDPOINT}: the port is taken. Stop what uses it, or set SPILLWAY_AWS_ENDPOINT to a free one.`;
	}
	return `The emulated cloud did not start: ${error instanceof Error ? error.message : String(error)}`;
}
