import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { vi } from "vitest";
import { defined } from "#server/kernel/assert.ts";
import { microToUsdText, usdToMicro } from "#server/kernel/money.ts";
import type { CloudDriver } from "../driver.ts";
import type { CloudHarness } from "./cloud-harness.ts";

/**
 * The number of machines that the suite launches on an account that cannot be made to fail, and a generous estimate of how long
 * each runs.
 */
const MACHINES = 19;
const MINUTES_EACH = 4;
const MOST_MICRO_USD = 1_000_000n;
const LOOK_MS = 5_000;
const LONG_MS = 20 * 60_000;

/** An existing account or endpoint. */
export interface LiveCloud {
	/** At least two. */
	regions: readonly string[];
	instanceType: string;
	/** The shipped prices. */
	rates: readonly { instanceType: string; region: string; onDemand: { microUsdPerHour: bigint | null } }[];
	open(controlPlane: string): CloudDriver;
	traits?: Pick<CloudHarness, "placesByRegion" | "agentReportsAddress">;
}

/**
 * Reports what a run costs before it starts, and sets the time limit of its cases.
 * @param allowedUsd value of SPILLWAY_CONTRACT_MOST_USD; without it a run may cost one dollar
 * @throws Error before any launch, if a price is unknown or the run may cost more than is allowed
 */
export function announceLive(cloud: LiveCloud, allowedUsd = process.env["SPILLWAY_CONTRACT_MOST_USD"]): void {
	process.stderr.write(`This run creates ${costOf(cloud, allowedMicroUsd(allowedUsd))}, and always deletes them.\n`);
	vi.setConfig({ testTimeout: LONG_MS, hookTimeout: LONG_MS });
}

function allowedMicroUsd(usd: string | undefined): bigint {
	if (usd === undefined) return MOST_MICRO_USD;
	if (/^\d+(\.\d{1,6})?$/.test(usd)) return usdToMicro(usd);
	throw new Error(`SPILLWAY_CONTRACT_MOST_USD must be the most a run may cost in dollars, such as 2.50, not ${JSON.stringify(usd)}`);
}

function costOf({ regions, instanceType, rates }: LiveCloud, allowed: bigint): string {
	const perHour = regions.slice(0, 2).map((region) => {
		const rate = rates.find((offer) => offer.region === region && offer.instanceType === instanceType);
		return defined(rate?.onDemand.microUsdPerHour ?? null, `a shipped price of ${instanceType} in ${region}`);
	});
	const highest = perHour.toSorted((a, b) => Number(a - b)).at(-1) ?? 0n;
	const mostMicroUsd = (highest * BigInt(MACHINES * MINUTES_EACH)) / 60n;
	const cost = `at most ${MACHINES} machines of ${instanceType} for some ${MINUTES_EACH} minutes each: about $${microToUsdText(mostMicroUsd)}`;
	if (mostMicroUsd <= allowed) return cost;
	throw new Error(
		`this run would create ${cost}; the limit is $${microToUsdText(allowed)}, so nothing was created. Use a cheaper type, or raise SPILLWAY_CONTRACT_MOST_USD`,
	);
}

/** Tokens of the machines that this process launched; repeating a launch creates none. */
const launched = new Set<string>();

/**
 * The announced cost covers a fixed number of machines: an extra one is rejected before it costs anything.
 * @throws Error
 */
export function counted(driver: CloudDriver, made: Set<string> = launched): CloudDriver {
	const launch = driver.launch.bind(driver);
	driver.launch = async (request) => {
		if (made.size >= MACHINES && !made.has(request.instanceId))
			throw new Error(`the suite creates more than the ${MACHINES} machines in its announced cost; raise MACHINES`);
		const machine = await launch(request);
		made.add(request.instanceId);
		return machine;
	};
	return driver;
}

/** Each call creates its own control plane, and terminates everything it launched. */
export async function liveCloud({ regions: [first, second], instanceType, open, traits }: LiveCloud): Promise<CloudHarness> {
	const controlPlane = `contract-${randomBytes(6).toString("hex")}`;
	const drivers: CloudDriver[] = [];
	const driverOf = (id: string) => {
		const driver = counted(open(id));
		drivers.push(driver);
		return driver;
	};
	const driver = driverOf(controlPlane);
	const other = driverOf(`${controlPlane}-other`);
	return {
		driver,
		again: () => driverOf(controlPlane),
		otherControlPlane: () => other,
		regions: [defined(first, "a region"), defined(second, "a second region")],
		instanceType,
		...traits,
		moreThanAPage: 2,
		passTime: () => sleep(LOOK_MS),
		async cleanup() {
			for (const one of [driver, other]) await endAll(one);
			for (const one of drivers) await one.close();
		},
		faults: null,
		wire: null,
	};
}

/** Retries forever, because anything left costs money. */
async function endAll(driver: CloudDriver): Promise<void> {
	for (;;) {
		const { instances, failedRegions } = await driver.list();
		const left = instances.filter(({ state }) => state !== "terminated");
		if (left.length === 0 && failedRegions.length === 0) return;
		// A rejected deletion is requested again at the next check.
		await Promise.allSettled(left.map(({ region, providerInstanceId }) => driver.terminate(region, providerInstanceId)));
		await sleep(LOOK_MS);
	}
}
