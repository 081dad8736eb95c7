import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { defined } from "#server/kernel/assert.ts";
import { microToUsdText } from "#server/kernel/money.ts";
import type { CloudHarness } from "../../contract/cloud-harness.ts";
import { GcpDriver } from "../driver.ts";
import type { ZoneRate } from "../offers.ts";
import { gcpSiteSettings } from "../settings.ts";

/** What the suite makes in a project that cannot be told to fail, and how long each machine lives at most. */
const MACHINES = 19;
const MINUTES_EACH = 4;
const LOOK_MS = 5_000;

export interface LiveProject {
	/** A site's settings, with two regions at least. */
	row: Record<string, unknown>;
	machineType: string;
	/** The shipped prices. */
	rates: readonly ZoneRate[];
}

/** What a run costs at most, by the shipped price of the type. @throws AssertionError when none is known */
export function costOf({ row, machineType, rates }: LiveProject): string {
	const [region = ""] = gcpSiteSettings("live", row, "contract").regions;
	const rate = rates.find((offer) => offer.region === region && offer.instanceType === machineType);
	const perHour = defined(rate?.onDemand.microUsdPerHour ?? null, `a shipped price of ${machineType} in ${region}`);
	const mostMicroUsd = (perHour * BigInt(MACHINES * MINUTES_EACH)) / 60n;
	return `at most ${MACHINES} machines of ${machineType} for ${MINUTES_EACH} minutes each: about $${microToUsdText(mostMicroUsd)}`;
}

/** A project or endpoint that is there already. Each call is a control plane of its own, and ends whatever it made. */
export async function liveProject({ row, machineType, rates }: LiveProject): Promise<CloudHarness> {
	const controlPlane = `contract-${randomBytes(6).toString("hex")}`;
	const drivers: GcpDriver[] = [];
	const driverOf = (id: string) => {
		const driver = new GcpDriver("gcp", { settings: gcpSiteSettings("live", row, id), listPrices: () => rates });
		drivers.push(driver);
		return driver;
	};
	const driver = driverOf(controlPlane);
	const other = driverOf(`${controlPlane}-other`);
	const [first, second] = gcpSiteSettings("live", row, controlPlane).regions;
	return {
		driver,
		again: () => driverOf(controlPlane),
		otherControlPlane: () => other,
		regions: [defined(first, "a region"), defined(second, "a second region")],
		instanceType: machineType,
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
async function endAll(driver: GcpDriver): Promise<void> {
	for (;;) {
		const { instances, failedRegions } = await driver.list();
		const left = instances.filter(({ state }) => state !== "terminated");
		if (left.length === 0 && failedRegions.length === 0) return;
		// A deletion that is refused is asked for again at the next look.
		await Promise.allSettled(left.map(({ region, providerInstanceId }) => driver.terminate(region, providerInstanceId)));
		await sleep(LOOK_MS);
	}
}
