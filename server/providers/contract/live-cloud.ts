import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { vi } from "vitest";
import { defined } from "#server/kernel/assert.ts";
import { microToUsdText } from "#server/kernel/money.ts";
import type { CloudDriver } from "../driver.ts";
import type { CloudHarness } from "./cloud-harness.ts";

/** What the suite makes on an account that cannot be told to fail, and how long each machine lives, by a generous guess. */
const MACHINES = 19;
const MINUTES_EACH = 4;
const LOOK_MS = 5_000;
const LONG_MS = 20 * 60_000;

/** An account, or an endpoint, that is there already. */
export interface LiveCloud {
	/** Two at least. */
	regions: readonly string[];
	instanceType: string;
	/** The shipped prices. */
	rates: readonly { instanceType: string; region: string; onDemand: { microUsdPerHour: bigint | null } }[];
	open(controlPlane: string): CloudDriver;
	traits?: Pick<CloudHarness, "placesByRegion" | "agentTellsAddress">;
}

/** Says what a run costs before it begins, and gives its cases time. @throws AssertionError when no price is known */
export function announceLive(cloud: LiveCloud): void {
	process.stderr.write(`This run makes ${costOf(cloud)}, and deletes them whatever happens.\n`);
	vi.setConfig({ testTimeout: LONG_MS, hookTimeout: LONG_MS });
}

function costOf({ regions: [region = ""], instanceType, rates }: LiveCloud): string {
	const rate = rates.find((offer) => offer.region === region && offer.instanceType === instanceType);
	const perHour = defined(rate?.onDemand.microUsdPerHour ?? null, `a shipped price of ${instanceType} in ${region}`);
	const mostMicroUsd = (perHour * BigInt(MACHINES * MINUTES_EACH)) / 60n;
	return `at most ${MACHINES} machines of ${instanceType} for some ${MINUTES_EACH} minutes each: about $${microToUsdText(mostMicroUsd)}`;
}

/** Each call is a control plane of its own, and ends whatever it made. */
export async function liveCloud({ regions: [first, second], instanceType, open, traits }: LiveCloud): Promise<CloudHarness> {
	const controlPlane = `contract-${randomBytes(6).toString("hex")}`;
	const drivers: CloudDriver[] = [];
	const driverOf = (id: string) => {
		const driver = open(id);
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

/** Does not give up: what is left costs money. */
async function endAll(driver: CloudDriver): Promise<void> {
	for (;;) {
		const { instances, failedRegions } = await driver.list();
		const left = instances.filter(({ state }) => state !== "terminated");
		if (left.length === 0 && failedRegions.length === 0) return;
		// A deletion that is refused is asked for again at the next look.
		await Promise.allSettled(left.map(({ region, providerInstanceId }) => driver.terminate(region, providerInstanceId)));
		await sleep(LOOK_MS);
	}
}
