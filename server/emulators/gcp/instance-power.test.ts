import { afterAll, beforeAll, expect, it } from "vitest";
import { HOUR_MS } from "#server/kernel/units.ts";
import { eventually } from "../shared/testing/eventually.ts";
import { FIXTURE_CATALOG, machineOf, startTestEmulator, type TestEmulator, ZONE } from "./testing/fixture.ts";

const WITH_LOCAL_SSD = "a2-ultragpu-1g";

let emulator: TestEmulator;
let aheadMs = 0;
beforeAll(async () => {
	const catalog = FIXTURE_CATALOG.flatMap((entry) => [entry, { ...entry, instanceType: WITH_LOCAL_SSD }]);
	emulator = await startTestEmulator({ catalog, guestStopGraceMs: 300, clock: () => Date.now() + aheadMs });
});
afterAll(() => emulator.dispose());

const post = (name: string, what: string) => emulator.call("POST", `zones/${ZONE}/instances/${name}/${what}`);
const get = async (name: string) => (await emulator.call("GET", `zones/${ZONE}/instances/${name}`)).body;
const isNow = (name: string, status: string) => eventually(`${name} to be ${status}`, async () => (await get(name)).status === status);

it("stops and starts a machine, which keeps its creation time and reports both times", async () => {
	await emulator.launch(machineOf("one"));
	const { creationTimestamp, lastStartTimestamp } = await get("one");
	expect((await post("one", "stop")).body).toMatchObject({ operationType: "stop", kind: "compute#operation" });
	await isNow("one", "TERMINATED");
	const stopped = await get("one");
	expect(stopped).toMatchObject({ creationTimestamp, lastStartTimestamp, lastStopTimestamp: expect.any(String) });
	expect((await post("one", "start")).body).toMatchObject({ operationType: "start" });
	await isNow("one", "RUNNING");
	const started = await get("one");
	expect(started).toMatchObject({ creationTimestamp, lastStopTimestamp: expect.any(String) });
	expect(Date.parse(started.lastStartTimestamp)).toBeGreaterThanOrEqual(Date.parse(stopped.lastStopTimestamp));
	expect((await post("one", "start")).status).toBe(200);
});

it("requires a decision about Local SSD disks", async () => {
	await emulator.launch(machineOf("fast", { machineType: `zones/${ZONE}/machineTypes/${WITH_LOCAL_SSD}` }));
	const refused = await post("fast", "stop");
	expect([refused.status, refused.body.error.errors[0].reason]).toEqual([400, "badRequest"]);
	expect((await post("fast", "stop?discardLocalSsd=false")).status).toBe(501);
	expect((await post("fast", "stop?discardLocalSsd=true")).status).toBe(200);
	await isNow("fast", "TERMINATED");
});

it("does not start a machine after its termination time", async () => {
	const terminationTime = new Date(Date.now() + HOUR_MS).toISOString();
	const scheduling = { onHostMaintenance: "TERMINATE", terminationTime, instanceTerminationAction: "DELETE" };
	await emulator.launch(machineOf("late", { scheduling }));
	await post("late", "stop");
	await isNow("late", "TERMINATED");
	aheadMs = 2 * HOUR_MS;
	const refused = await post("late", "start");
	expect([refused.status, refused.body.error.errors[0].reason]).toEqual([400, "invalid"]);
	aheadMs = 0;
	expect((await post("late", "start")).status).toBe(200);
});
