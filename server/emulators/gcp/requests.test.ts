import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_ACCOUNT, DEFAULT_PROJECT } from "./options.ts";
import { machineOf, startTestEmulator, type TestEmulator, tokenOf, ZONE } from "./testing/fixture.ts";

let emulator: TestEmulator;
beforeAll(async () => {
	emulator = await startTestEmulator();
});
afterAll(() => emulator.dispose());

const insert = (resource: unknown, query = "") => emulator.call("POST", `zones/${ZONE}/instances${query}`, resource);
const scheduling = (more: Record<string, unknown>) => ({ scheduling: { onHostMaintenance: "TERMINATE", ...more } });
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

describe("an order", () => {
	it.each([
		["an unknown field", { imageId: "ami-1" }, /Unknown name "imageId" at 'resource'/],
		["an unknown nested field", scheduling({ spot: true }), /Unknown name "spot" at 'resource.scheduling'/],
		["text instead of a list", { disks: "one" }, /Invalid value at 'resource.disks' \(repeated AttachedDisk\)/],
		["a number instead of text", { labels: { a: 1 } }, /resource.labels\[a\]/],
		["an unknown enum value", scheduling({ provisioningModel: "CHEAP" }), /resource.scheduling.provisioningModel/],
		["a name with capitals", { name: "Machine" }, /Must be a match of regex/],
		["a label's key with a colon", { labels: { "spillway:job": "x" } }, /Label keys must match/],
		["a label's value with capitals", { labels: { job: "X" } }, /Label values must match/],
		["a machine type of another zone", { machineType: "zones/europe-west4-a/machineTypes/g2-standard-4" }, /does not exist in zone/],
		["no boot disk", { disks: [] }, /boot disk/],
		["no network", { networkInterfaces: [] }, /network interface/],
		["a GPU with live migration", { scheduling: {} }, /do not support live migration/],
		[
			"an end in the past",
			scheduling({ terminationTime: inMs(-1), instanceTerminationAction: "DELETE" }),
			/between 30 seconds and 120 days/,
		],
		[
			"an end too far in the future",
			scheduling({ terminationTime: inMs(121 * 86_400_000), instanceTerminationAction: "DELETE" }),
			/between 30 seconds and 120 days/,
		],
		["an end without an action", scheduling({ maxRunDuration: { seconds: "60" } }), /needs DELETE or STOP/],
		["an action without an end", scheduling({ instanceTerminationAction: "DELETE" }), /Only spot machines/],
		["a feature that is not emulated", { guestAccelerators: [] }, /does not implement the field guestAccelerators/],
	])("is rejected for %s", async (_what, changes, why) => {
		const { status, body } = await insert(machineOf("refused", changes));
		expect(status).toBeGreaterThanOrEqual(400);
		expect(body.error).toMatchObject({ code: status, message: expect.stringMatching(why), errors: [{ reason: "invalid" }] });
		expect(emulator.instances().filter(({ name }) => name === "refused")).toEqual([]);
	});

	it("is rejected if its request id is not a UUID or Google lacks a parameter", async () => {
		expect((await insert(machineOf("refused"), "?requestId=ins_1")).body.error.message).toMatch(/valid UUID/);
		expect((await insert(machineOf("refused"), "?clientToken=1")).body.error.message).toMatch(/Unknown name "clientToken"/);
	});

	it("returns the same operation, and one machine, for the same request id", async () => {
		const query = "?requestId=6f4b2a10-0000-8000-a000-000000000001";
		const [first, second] = [await insert(machineOf("once"), query), await insert(machineOf("once"), query)];
		expect(second.body).toMatchObject({ name: first.body.name, targetId: first.body.targetId });
		const other = await insert(machineOf("once"));
		expect(other).toMatchObject({ status: 409, body: { error: { errors: [{ reason: "alreadyExists" }] } } });
		expect(emulator.instances().filter(({ name }) => name === "once")).toHaveLength(1);
	});
});

describe("access", () => {
	it.each([
		["an unknown account", tokenOf("somebody@else.example")],
		["an expired token", tokenOf(DEFAULT_ACCOUNT, Date.now() - 1_000)],
		["text that is not a token", "secret"],
	])("is rejected: %s", async (_what, token) => {
		const { status, body } = await emulator.call("GET", "zones", undefined, token);
		expect({ status, reason: body.error.errors[0].reason }).toEqual({ status: 401, reason: "authError" });
	});

	it("is rejected by a clock that the script shifts, for the scripted number of calls, and the response contains that clock", async () => {
		expect(() => emulator.faults.add({ action: "Instances.List", behaviour: { kind: "wrong_clock", offsetMs: 1 } })).toThrow("one clock");
		for (const offsetMs of [7_200_000, -7_200_000]) {
			emulator.faults.add({ action: "*", behaviour: { kind: "wrong_clock", offsetMs } });
			const headers = { authorization: `Bearer ${tokenOf(DEFAULT_ACCOUNT)}` };
			const refused = await fetch(`${emulator.url}/compute/v1/projects/${DEFAULT_PROJECT}/zones`, { headers });
			expect(refused.status).toBe(401);
			expect(Math.abs(Date.parse(refused.headers.get("date") ?? "") - Date.now() - offsetMs)).toBeLessThan(60_000);
			expect((await emulator.call("GET", "zones")).status).toBe(200);
		}
	});

	it("is granted to a token that is valid by this computer's clock, however far ahead the emulator's own is", async () => {
		const ahead = await startTestEmulator({ clock: () => Date.now() + 7_200_000, clockRate: 10 });
		try {
			expect((await ahead.call("GET", "zones")).status).toBe(200);
		} finally {
			await ahead.dispose();
		}
	});

	it("does not extend to another project, an unknown path or an unknown zone", async () => {
		expect((await emulator.call("GET", "../somebody-else/zones")).status).toBe(404);
		expect((await emulator.call("GET", "global/routes")).status).toBe(404);
		expect((await emulator.call("GET", "zones/mars-north1-a/instances")).status).toBe(404);
	});
});

describe("lists", () => {
	const list = async (query: string) => (await emulator.call("GET", `zones/${ZONE}/instances?${query}`)).body;
	const namesOf = (body: { items: { name: string }[] }) => body.items.map(({ name }) => name);
	beforeAll(async () => {
		await emulator.launch(machineOf("list-a", { labels: { team: "risk", run: "1" } }));
		await emulator.launch(machineOf("list-b", { labels: { team: "risk", run: "2" } }));
		await emulator.launch(machineOf("list-c", { labels: { team: "ads" } }));
	});

	it.each([
		['labels.team="risk"', ["list-a", "list-b"]],
		['labels.team="risk" AND labels.run=2', ["list-b"]],
		['(name="list-a") OR (name="list-c")', ["list-a", "list-c"]],
		['labels.team="risk" AND (name="list-b") OR (name="list-c")', ["list-b"]],
		["labels.run:* AND name!=list-b", ["list-a"]],
		["name:list- AND labels.team:ads", ["list-c"]],
	])("filter by %s", async (filter, names) => {
		expect(namesOf(await list(`filter=${encodeURIComponent(filter)}`))).toEqual(names);
	});

	it.each(["labels.team=", "team=risk", "name like list", "(name=a"])("reject the filter %s", async (filter) => {
		expect((await list(`filter=${encodeURIComponent(filter)}`)).error.message).toMatch(/Invalid list filter expression/);
	});

	it("are paged without repeating or skipping items", async () => {
		const filter = `filter=${encodeURIComponent("name:list-")}&maxResults=2`;
		const first = await list(filter);
		const second = await list(`${filter}&pageToken=${first.nextPageToken}`);
		expect([...namesOf(first), ...namesOf(second)]).toEqual(["list-a", "list-b", "list-c"]);
		expect(second.nextPageToken).toBeUndefined();
		expect((await list("maxResults=501")).error.message).toMatch(/between 0 and 500/);
	});

	it("of all zones include each zone, those without machines with a warning", async () => {
		const { body } = await emulator.call("GET", "aggregated/instances?filter=name%3Alist-");
		expect(body.items[`zones/${ZONE}`].instances).toHaveLength(3);
		expect(body.items["zones/europe-west4-a"].warning.code).toBe("NO_RESULTS_ON_PAGE");
	});
});
