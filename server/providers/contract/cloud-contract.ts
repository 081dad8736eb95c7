import { afterEach, beforeEach, describe } from "vitest";
import { defined } from "#server/kernel/assert.ts";
import { errorCases } from "./cloud-error-cases.ts";
import { gangCases } from "./cloud-gang-cases.ts";
import type { CloudHarness, MakeCloudHarness } from "./cloud-harness.ts";
import { launchCases } from "./cloud-launch-cases.ts";
import { listCases } from "./cloud-list-cases.ts";
import { offerCases } from "./cloud-offer-cases.ts";
import { powerCases } from "./cloud-power-cases.ts";
import { terminateCases } from "./cloud-terminate-cases.ts";

/**
 * Checks a cloud driver against the rules of its port (../driver.ts). Each case gets a fresh account. `npm run test:contract --
 * --driver NAME` picks the suite by its title.
 */
export function describeCloudDriverContract(name: string, makeHarness: MakeCloudHarness): void {
	describe(`contract: ${name} (cloud driver)`, () => {
		let harness: CloudHarness | null = null;
		beforeEach(async () => {
			harness = await makeHarness();
		});
		afterEach(async () => {
			await harness?.cleanup();
			harness = null;
		});
		const account = () => defined(harness, "harness");
		describe("launch", () => launchCases(account));
		describe("gangs", () => gangCases(account));
		describe("errors", () => errorCases(account));
		describe("describe and list", () => listCases(account));
		describe("terminate", () => terminateCases(account));
		describe("stop and start", () => powerCases(account));
		describe("offers", () => offerCases(account));
	});
}
