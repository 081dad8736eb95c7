import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startOf } from "../shared/guest/processes.ts";
import { eventually } from "../shared/testing/eventually.ts";
import type { BookedGceInstance } from "./booked-instances.ts";
import { machineOf, startTestEmulator, type TestEmulator, ZONE } from "./testing/fixture.ts";

const LOOP = "while :; do sleep 0.05; done";

let emulator: TestEmulator;
beforeAll(async () => {
	emulator = await startTestEmulator({ guestStopGraceMs: 300, spotNoticeMs: 100 });
});
afterAll(() => emulator.dispose());
afterEach(() => emulator.faults.clear());

function bookOf(id: string): BookedGceInstance {
	const booked = emulator.instances().find(({ instanceId }) => instanceId === id);
	if (!booked) throw new Error(`${id} is not in the book`);
	return booked;
}

async function launch(name: string, script = "", changes: Record<string, unknown> = {}): Promise<string> {
	return (await emulator.launch(machineOf(name, changes, script))).targetId;
}

/** What the guest wrote into a file of its folder, once the line is complete. */
function written(id: string, file: string): Promise<string> {
	return eventually(`${file} of ${id}`, () => {
		const path = join(bookOf(id).folder, file);
		const text = existsSync(path) ? readFileSync(path, "utf8") : "";
		return text.endsWith("\n") ? text.trimEnd() : null;
	});
}

const get = (name: string) => emulator.call("GET", `zones/${ZONE}/instances/${name}`);
const remove = (name: string) => emulator.call("DELETE", `zones/${ZONE}/instances/${name}`);
const isOver = (id: string) => eventually(`${id} to be over`, () => bookOf(id).state === "terminated");
const operationsOn = async (name: string) =>
	(await emulator.call("GET", `zones/${ZONE}/operations?filter=targetLink%3Ainstances%2F${name}&orderBy=creationTimestamp%20desc`)).body
		.items;
const SPOT = { scheduling: { onHostMaintenance: "TERMINATE", provisioningModel: "SPOT", instanceTerminationAction: "DELETE" } };

describe("a machine", () => {
	it("executes its startup script, which reads its identity from the metadata server", async () => {
		const ask = (path: string) =>
			`curl -fsS -H 'Metadata-Flavor: Google' "http://$GCE_METADATA_HOST/computeMetadata/v1/instance/${path}"; echo`;
		const script = `#!/bin/sh\n{ ${ask("zone")}; ${ask("id")}; ${ask("preempted")}; ${ask("attributes/colour")}; } > facts\necho done > done\n${LOOP}\n`;
		const items = [
			{ key: "startup-script", value: script },
			{ key: "colour", value: "blue" },
		];
		const id = await launch("asks", "", { metadata: { items } });
		await written(id, "done");
		expect((await written(id, "facts")).split("\n")).toEqual([`projects/123456789012/zones/${ZONE}`, id, "FALSE", "blue"]);
		expect((await get("asks")).body).toMatchObject({ id, name: "asks", status: "RUNNING", kind: "compute#instance" });
	});

	it("goes from PROVISIONING over STAGING to RUNNING, and its operation completes only then", async () => {
		emulator.faults.add({ action: "Instances.Insert", behaviour: { kind: "slow_boot", durationMs: 300 } });
		const { body: placed } = await emulator.call("POST", `zones/${ZONE}/instances`, machineOf("slow"));
		expect(placed.status).toBe("RUNNING");
		const seen = new Set<string>();
		await eventually("the machine", async () => seen.add((await get("slow")).body.status).has("RUNNING"));
		expect([...seen].filter((status) => status !== "PROVISIONING")).toEqual(["STAGING", "RUNNING"]);
		const { body: over } = await emulator.call("POST", `zones/${ZONE}/operations/${placed.name}/wait`);
		expect(over).toMatchObject({ status: "DONE", operationType: "insert", progress: 100 });
	});

	it("is no longer listed after its deletion, and none of its processes survives", async () => {
		const id = await launch("deleted", `#!/bin/sh\n(setsid sh -c "${LOOP}") &\necho up > up\n${LOOP}\n`);
		await written(id, "up");
		const { guestPid } = bookOf(id);
		expect((await remove("deleted")).body).toMatchObject({ operationType: "delete", targetId: id });
		await isOver(id);
		expect((await get("deleted")).status).toBe(404);
		expect((await remove("deleted")).status).toBe(404);
		expect(startOf(guestPid ?? 0)).toBeNull();
		expect((await operationsOn("deleted")).map((op: { operationType: string; status: string }) => [op.operationType, op.status])).toEqual([
			["delete", "DONE"],
			["insert", "DONE"],
		]);
	});

	it("that powers itself off stays off until it is deleted by its number", async () => {
		const id = await launch("off", "#!/bin/sh\nshutdown -h now\n");
		await eventually("off", async () => (await get("off")).body.status === "TERMINATED");
		const { runningMs } = bookOf(id);
		const [newest] = await operationsOn("off");
		expect(newest.operationType).toBe("compute.instances.guestTerminate");
		expect((await remove(id)).status).toBe(200);
		await isOver(id);
		expect(bookOf(id).runningMs).toBe(runningMs);
	});
});

describe("an automatic end", () => {
	it("deletes a machine at the end of its run time, even if the emulator was down", async () => {
		let offsetMs = 0;
		const clock = () => Date.now() + offsetMs;
		const first = await startTestEmulator({ clock });
		const scheduling = { onHostMaintenance: "TERMINATE", maxRunDuration: { seconds: "30" }, instanceTerminationAction: "DELETE" };
		await first.launch(machineOf("timed", { scheduling }, `#!/bin/sh\n${LOOP}\n`));
		const guestPid = first.instances()[0]?.guestPid ?? 0;
		await first.stop({ killInstances: false });
		expect(startOf(guestPid)).not.toBeNull();
		offsetMs = 30_000;
		const again = await startTestEmulator({ clock, stateDir: first.stateDir, port: first.port });
		const [timed] = await eventually("the end", () => (again.instances()[0]?.state === "terminated" ? again.instances() : null));
		expect(timed).toMatchObject({ name: "timed", stateReasonCode: "delete" });
		expect(startOf(guestPid)).toBeNull();
		await again.dispose();
	});

	it("announces a preemption in the metadata, then ends the machine and keeps the record", async () => {
		const script = `#!/bin/sh\nuntil curl -fsS -H 'Metadata-Flavor: Google' "http://$GCE_METADATA_HOST/computeMetadata/v1/instance/preempted" | grep -q TRUE; do sleep 0.02; done\necho seen > seen\n${LOOP}\n`;
		const id = await launch("preempted", script, SPOT);
		emulator.interrupt(id);
		expect((await get("preempted")).body.status).toBe("STOPPING");
		await isOver(id);
		const [newest] = await operationsOn("preempted");
		expect(newest).toMatchObject({ operationType: "compute.instances.preempted", status: "DONE", targetId: id });
		expect(bookOf(id).billedSeconds).toBe(0);
		expect(() => emulator.interrupt("1")).toThrow(/no instance/);
	});

	it("can be a scripted disappearance without any record", async () => {
		emulator.faults.add({ action: "Instances.Insert", behaviour: { kind: "vanish", durationMs: 0 } });
		const id = await launch("vanishes");
		await eventually("gone", async () => (await get("vanishes")).status === 404);
		expect(bookOf(id).vanished).toBe(true);
		expect((await operationsOn("vanishes")).map((op: { operationType: string }) => op.operationType)).toEqual(["insert"]);
	});
});

describe("the fault script", () => {
	it.each(["ZONE_RESOURCE_POOL_EXHAUSTED", "ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS", "QUOTA_EXCEEDED"])(
		"reports %s in the operation: the request itself is accepted",
		async (code) => {
			emulator.faults.add({ action: "Instances.Insert", error: { code } });
			const operation = await emulator.launch(machineOf("no-room"));
			expect(operation).toMatchObject({ status: "DONE", error: { errors: [{ code, message: expect.stringMatching(/./) }] } });
			expect((await get("no-room")).status).toBe(404);
		},
	);

	it.each([
		["rateLimitExceeded", 403],
		["authError", 401],
		["backendError", 503],
	])("reports %s in the response, with %i", async (code, status) => {
		emulator.faults.add({ action: "Zones.List", error: { code } });
		expect(await emulator.call("GET", "zones")).toMatchObject({ status, body: { error: { errors: [{ reason: code }] } } });
		expect((await emulator.call("GET", "zones")).status).toBe(200);
	});

	it("has no spot machines if the zone sells none", async () => {
		const zone = "us-central1-b";
		const order = { ...machineOf("spot-b", SPOT), machineType: `zones/${zone}/machineTypes/g2-standard-4` };
		const { body } = await emulator.call("POST", `zones/${zone}/instances`, order);
		const over = await eventually("the operation", async () => {
			const { body: now } = await emulator.call("GET", `zones/${zone}/operations/${body.name}`);
			return now.status === "DONE" ? now : null;
		});
		expect(over.error.errors[0].code).toBe("ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS");
	});
});

it("ends at the same moment in its records and its operation, however slow the host is in between", async () => {
	let reads = 0;
	const slow = await startTestEmulator({ clock: () => Date.now() + 1_000 * reads++ });
	try {
		const { targetId } = await slow.launch(machineOf("slow-host", {}, ""));
		const { body: placed } = await slow.call("DELETE", `zones/${ZONE}/instances/slow-host`);
		const booked = slow.instances().find(({ instanceId }) => instanceId === targetId);
		expect((booked?.runningAt ?? 0) + (booked?.runningMs ?? 0)).toBe(Date.parse(placed.insertTime));
	} finally {
		await slow.dispose();
	}
});
