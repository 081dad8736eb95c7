import type { AvailabilitySet, VirtualMachine } from "@azure/arm-compute";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../shared/testing/eventually.ts";
import { openAvailabilitySets } from "./availability-set-records.ts";
import { EMULATED_SUBSCRIPTION } from "./options.ts";
import { GROUP, machineOf, SPOT, startTestEmulator, type TestEmulator } from "./testing/fixture.ts";

let emulator: TestEmulator;
beforeAll(async () => {
	emulator = await startTestEmulator();
});
afterAll(() => emulator.dispose());

const sets = () => emulator.client().availabilitySets;
const ALIGNED: AvailabilitySet = { location: "eastus", sku: { name: "Aligned" }, platformFaultDomainCount: 1, tags: { owner: "test" } };
const idOf = (name: string) =>
	`/subscriptions/${EMULATED_SUBSCRIPTION}/resourceGroups/${GROUP}/providers/Microsoft.Compute/availabilitySets/${name}`;
const create = (name: string, changes: Partial<VirtualMachine>) =>
	emulator.client().virtualMachines.createOrUpdate(GROUP, name, machineOf(changes)).submitted();
const names = async () => {
	const found: (string | undefined)[] = [];
	for await (const { name } of sets().list(GROUP)) found.push(name);
	return found;
};

describe("availability sets", () => {
	it("are created, kept over a restart, and deleted only without machines", async () => {
		await sets().createOrUpdate(GROUP, "one", ALIGNED);
		expect(await sets().createOrUpdate(GROUP, "one", ALIGNED)).toMatchObject({ name: "one", location: "eastus", tags: { owner: "test" } });
		expect(openAvailabilitySets(emulator.stateDir).find("eastus", "one")).toBeDefined();
		await create("member", { availabilitySet: { id: idOf("one") } });
		expect(emulator.instances().map(({ name, availabilitySet }) => [name, availabilitySet])).toEqual([["member", "one"]]);
		await expect(sets().delete(GROUP, "one")).rejects.toMatchObject({ code: "OperationNotAllowed" });
		await emulator.client().virtualMachines.delete(GROUP, "member").submitted();
		await eventually("deleted", async () =>
			sets()
				.delete(GROUP, "one")
				.then(
					() => true,
					() => null,
				),
		);
		expect(await names()).not.toContain("one");
		await sets().delete(GROUP, "one");
	});

	it.each<[string, Partial<VirtualMachine>, string]>([
		["spot", SPOT, "AzureSpotVMNotSupportedInAvailabilitySet"],
		["a zone", { zones: ["1"] }, "InvalidParameter"],
		["a set that does not exist", { availabilitySet: { id: idOf("none") } }, "ResourceNotFound"],
	])("take no machine with %s", async (_what, changes, code) => {
		await sets().createOrUpdate(GROUP, "two", ALIGNED);
		await expect(create("refused", { availabilitySet: { id: idOf("two") }, ...changes })).rejects.toMatchObject({ code });
	});

	it("must be aligned", async () => {
		await expect(sets().createOrUpdate(GROUP, "classic", { location: "eastus" })).rejects.toMatchObject({ code: "NotSupported" });
	});
});
