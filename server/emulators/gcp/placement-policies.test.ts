import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CatalogEntry } from "../shared/catalog-entry.ts";
import { eventually } from "../shared/testing/eventually.ts";
import { openResourcePolicies } from "./book/resource-policies.ts";
import { FIXTURE_CATALOG, machineOf, startTestEmulator, type TestEmulator } from "./testing/fixture.ts";

const REGION = "us-central1";
const POLICIES = `regions/${REGION}/resourcePolicies`;
const sold = (instanceType: string): CatalogEntry => ({ ...FIXTURE_CATALOG[0], instanceType }) as CatalogEntry;

let emulator: TestEmulator;
beforeAll(async () => {
	emulator = await startTestEmulator({ catalog: [...FIXTURE_CATALOG, sold("a3-highgpu-8g"), sold("n1-standard-8")] });
});
afterAll(() => emulator.dispose());

const COMPACT = { groupPlacementPolicy: { collocation: "COLLOCATED" } };
const create = (name: string, more: Record<string, unknown> = COMPACT) => emulator.call("POST", POLICIES, { name, ...more });
const inPolicy = (policy: string, zone = `${REGION}-a`, type = "g2-standard-4", region = REGION) => ({
	machineType: `zones/${zone}/machineTypes/${type}`,
	resourcePolicies: [`projects/p/regions/${region}/resourcePolicies/${policy}`],
});
const insert = (name: string, changes: Record<string, unknown>, zone = `${REGION}-a`) =>
	emulator.call("POST", `zones/${zone}/instances`, machineOf(name, changes));

describe("compact placement policies", () => {
	it("are created once, shown, kept over a restart and deleted", async () => {
		expect((await create("one")).body).toMatchObject({ kind: "compute#operation", status: "DONE", operationType: "insert" });
		expect((await create("one")).body.error.errors[0].reason).toBe("alreadyExists");
		expect((await emulator.call("GET", `${POLICIES}/one`)).body).toMatchObject({ name: "one", status: "READY", ...COMPACT });
		expect((await emulator.call("GET", POLICIES)).body.items.map((p: { name: string }) => p.name)).toContain("one");
		expect(openResourcePolicies(emulator.stateDir).find(REGION, "one")).toBeDefined();
		expect((await emulator.call("DELETE", `${POLICIES}/one`)).status).toBe(200);
		expect((await emulator.call("DELETE", `${POLICIES}/one`)).status).toBe(404);
	});

	it("keep their machines in one zone, and are not deleted while they have any", async () => {
		await create("two");
		await emulator.launch(machineOf("first", inPolicy("two")));
		const elsewhere = await insert("second", inPolicy("two", `${REGION}-b`), `${REGION}-b`);
		expect(elsewhere.body.error.message).toMatch(/must be in one zone: us-central1-a/);
		expect((await emulator.call("DELETE", `${POLICIES}/two`)).body.error.errors[0].reason).toBe("resourceInUseByAnotherResource");
		await emulator.call("DELETE", `zones/${REGION}-a/instances/first`);
		await eventually("deleted", async () => ((await emulator.call("DELETE", `${POLICIES}/two`)).status === 200 ? true : null));
	});

	it.each([
		["a policy that does not exist", inPolicy("none"), /cannot be found/],
		["another region's policy", inPolicy("three", undefined, undefined, "europe-west4"), /cannot be found/],
		["a machine type without compact placement", inPolicy("three", undefined, "n1-standard-8"), /does not support compact placement/],
	])("are rejected for %s", async (_, changes, why) => {
		await create("three");
		const { status, body } = await insert("refused", changes);
		expect([status, body.error.message]).toEqual([400, expect.stringMatching(why)]);
	});

	it("are the only resource policies", async () => {
		expect((await create("snapshots", { snapshotSchedulePolicy: {} })).body.error.message).toMatch(/does not implement/);
	});
});

describe("network interfaces of A3", () => {
	const type = { machineType: `zones/${REGION}-a/machineTypes/a3-highgpu-8g` };
	const host = { network: "global/networks/default", nicType: "GVNIC" };
	const gpu = (n: number) => ({ subnetwork: `regions/${REGION}/subnetworks/gpu-${n}`, nicType: "GVNIC" });
	const nics = (...networkInterfaces: object[]) => ({ ...type, networkInterfaces });

	it.each([
		["another type than gVNIC", nics({ ...host, nicType: "VIRTIO_NET" }), /a3-highgpu-8g requires GVNIC/],
		["RDMA interfaces", nics(host, { ...gpu(1), nicType: "MRDMA" }), /a3-highgpu-8g requires GVNIC/],
		["more than it has", nics(host, gpu(1), gpu(2), gpu(3), gpu(4), gpu(5)), /supports at most 5 network interfaces/],
		["two in one network", nics(host, gpu(1), gpu(1)), /must be in another network/],
	])("are rejected: %s", async (_, changes, why) => {
		const { status, body } = await insert("refused-nics", changes);
		expect([status, body.error.message]).toEqual([400, expect.stringMatching(why)]);
	});

	it("are gVNIC: one for the host and four for the GPUs", async () => {
		expect((await insert("five-nics", nics(host, gpu(1), gpu(2), gpu(3), gpu(4)))).status).toBe(200);
	});
});
