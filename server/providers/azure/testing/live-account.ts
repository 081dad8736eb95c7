import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { defined } from "#server/kernel/assert.ts";
import { microToUsdText } from "#server/kernel/money.ts";
import type { CloudHarness } from "../../contract/cloud-harness.ts";
import type { DatedRate } from "../../snapshot-rate.ts";
import { AzureDriver } from "../driver.ts";
import { azureSiteSettings } from "../settings.ts";

/** What the suite makes on an account that cannot be told to fail, and how long each machine lives, by a generous guess. */
const MACHINES = 19;
const MINUTES_EACH = 4;
const LOOK_MS = 5_000;

export interface LiveAccount {
	/** A site's settings, with two regions at least. */
	row: Record<string, unknown>;
	size: string;
	listPrices: () => readonly DatedRate[];
}

/** What a run costs, by the shipped price of the size. @throws AssertionError when none is known */
export function costOf({ row, size, listPrices }: LiveAccount): string {
	const [region = ""] = azureSiteSettings("live", row, "contract").regions;
	const rate = listPrices().find((offer) => offer.region === region && offer.instanceType === size);
	const perHour = defined(rate, `a shipped price of ${size} in ${region}`).onDemand.microUsdPerHour;
	const mostMicroUsd = (perHour * BigInt(MACHINES * MINUTES_EACH)) / 60n;
	return `${MACHINES} machines of ${size} at most, for some ${MINUTES_EACH} minutes each: about $${microToUsdText(mostMicroUsd)}`;
}

/** An account or endpoint that is there already. Each call is a control plane of its own, and ends whatever it made. */
export async function liveAccount({ row, size, listPrices }: LiveAccount): Promise<CloudHarness> {
	const controlPlane = `contract-${randomBytes(6).toString("hex")}`;
	const driverOf = (id: string) => new AzureDriver("azure", { settings: azureSiteSettings("live", row, id), listPrices });
	const driver = driverOf(controlPlane);
	const other = driverOf(`${controlPlane}-other`);
	const [first, second] = azureSiteSettings("live", row, controlPlane).regions;
	return {
		driver,
		again: () => driverOf(controlPlane),
		otherControlPlane: () => other,
		regions: [defined(first, "a region"), defined(second, "a second region")],
		instanceType: size,
		placesByRegion: true,
		agentTellsAddress: true,
		moreThanAPage: 2,
		passTime: () => sleep(LOOK_MS),
		async cleanup() {
			for (const one of [driver, other]) await endAll(one);
		},
		faults: null,
		wire: null,
	};
}

/** Does not give up: what is left costs money. */
async function endAll(driver: AzureDriver): Promise<void> {
	for (;;) {
		const { instances, failedRegions } = await driver.list();
		const left = instances.filter(({ state }) => state !== "terminated");
		if (left.length === 0 && failedRegions.length === 0) return driver.close();
		// A deletion that is refused is asked for again at the next look.
		await Promise.allSettled(left.map(({ region, providerInstanceId }) => driver.terminate(region, providerInstanceId)));
		await sleep(LOOK_MS);
	}
}
