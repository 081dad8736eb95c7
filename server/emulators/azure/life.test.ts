import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startOf } from "../shared/guest/processes.ts";
import { eventually } from "../shared/testing/eventually.ts";
import type { BookedAzureInstance } from "./booked-instances.ts";
import { GROUP, machineOf, SPOT, startTestEmulator, type TestEmulator } from "./testing/fixture.ts";

let emulator: TestEmulator;
beforeEach(async () => {
	emulator = await startTestEmulator({ pageSize: 2 });
});
afterEach(() => emulator.dispose());

const ENDLESS = "#!/bin/sh\necho $$ > pid\nwhile :; do sleep 0.1; done\n";

function bookOf(name: string): BookedAzureInstance {
	const found = emulator.instances().find((machine) => machine.name === name);
	if (!found) throw new Error(`no ${name} in the book`);
	return found;
}

const fileOf = (name: string, file: string) =>
	eventually(`${file} of ${name}`, () => {
		const path = join(bookOf(name).folder, file);
		return existsSync(path) ? readFileSync(path, "utf8").trim() || null : null;
	});

async function namesOf(machines: AsyncIterable<{ name?: string }>): Promise<string[]> {
	const names: string[] = [];
	for await (const { name = "" } of machines) names.push(name);
	return names;
}

describe("a machine", () => {
	it("is created, runs its custom data, is deleted, and leaves only its record", async () => {
		const { virtualMachines } = emulator.client();
		const made = await virtualMachines.createOrUpdate(GROUP, "one", machineOf({ tags: { a: "b" }, zones: ["2"] }, ENDLESS));
		expect(made).toMatchObject({ name: "one", location: "eastus", provisioningState: "Succeeded", tags: { a: "b" }, zones: ["2"] });
		expect(made.osProfile?.customData).toBeUndefined();
		expect(made.timeCreated).toBeInstanceOf(Date);
		const pid = Number(await fileOf("one", "pid"));
		const shown = await virtualMachines.get(GROUP.toUpperCase(), "ONE", { expand: "instanceView" });
		expect(shown.instanceView?.statuses?.map(({ code }) => code)).toEqual(["ProvisioningState/succeeded", "PowerState/running"]);
		await virtualMachines.delete(GROUP, "one", { forceDeletion: true });
		expect(startOf(pid)).toBeNull();
		await expect(virtualMachines.get(GROUP, "one")).rejects.toMatchObject({ code: "ResourceNotFound", statusCode: 404 });
		expect(await namesOf(virtualMachines.listAll())).toEqual([]);
		expect(bookOf("one")).toMatchObject({ state: "terminated", stateReasonCode: "Deleted", zone: "2" });
	});

	it("is the same for the same name and request, and protected by If-None-Match", async () => {
		const { virtualMachines } = emulator.client();
		const first = await virtualMachines.createOrUpdate(GROUP, "one", machineOf());
		const again = await virtualMachines.createOrUpdate(GROUP, "one", machineOf());
		expect(again.vmId).toBe(first.vmId);
		const guarded = virtualMachines.createOrUpdate(GROUP, "One", machineOf(), { ifNoneMatch: "*" }).submitted();
		await expect(guarded).rejects.toMatchObject({ code: "PreconditionFailed", statusCode: 412 });
		const other = virtualMachines.createOrUpdate(GROUP, "one", machineOf({}, "#!/bin/sh\n")).submitted();
		await expect(other).rejects.toMatchObject({ code: "PropertyChangeNotAllowed", statusCode: 409 });
		expect(emulator.instances()).toHaveLength(1);
	});

	it("that shuts itself down is stopped, is still billed, and ends when it is deleted", async () => {
		const { virtualMachines } = emulator.client();
		await virtualMachines.createOrUpdate(GROUP, "one", machineOf({}, "#!/bin/sh\nexec shutdown -h now\n"));
		await eventually("stopped", () => bookOf("one").state === "stopped");
		const { instanceView } = await virtualMachines.get(GROUP, "one", { expand: "instanceView" });
		expect(instanceView?.statuses?.map(({ code }) => code)).toContain("PowerState/stopped");
		const billed = bookOf("one").billedSeconds;
		await eventually("another second is billed", () => bookOf("one").billedSeconds > billed);
		await virtualMachines.delete(GROUP, "one");
		expect(bookOf("one").state).toBe("terminated");
	});

	it("that shut itself down and then vanishes was billed until it vanished", async () => {
		const { virtualMachines } = emulator.client();
		const durationMs = 1_500;
		emulator.faults.add({ action: "virtualMachines.createOrUpdate", behaviour: { kind: "vanish", durationMs } });
		await virtualMachines.createOrUpdate(GROUP, "one", machineOf({}, "#!/bin/sh\nexec shutdown -h now\n")).submitted();
		await eventually("gone", () => bookOf("one").vanished);
		const { launchTime, runningAt, terminatedAt, billedMs } = bookOf("one");
		expect(terminatedAt).toBeGreaterThanOrEqual(launchTime + durationMs);
		expect(billedMs).toBe((terminatedAt ?? 0) - (runningAt ?? 0));
	});

	it("without capacity is accepted, fails with a reason, and occupies its name until it is deleted", async () => {
		const { virtualMachines } = emulator.client();
		emulator.faults.add({ action: "virtualMachines.createOrUpdate", error: { code: "ZonalAllocationFailed" } });
		await expect(virtualMachines.createOrUpdate(GROUP, "one", machineOf({ zones: ["1"] }))).rejects.toThrow(/ZonalAllocationFailed/);
		const { provisioningState, instanceView } = await virtualMachines.get(GROUP, "one", { expand: "instanceView" });
		expect(provisioningState).toBe("Failed");
		expect(instanceView?.statuses?.map(({ code }) => code)).toEqual(["ProvisioningState/failed/ZonalAllocationFailed"]);
		expect(bookOf("one")).toMatchObject({ runningAt: null, billedSeconds: 0, guestPid: null });
		await virtualMachines.delete(GROUP, "one");
		await virtualMachines.createOrUpdate(GROUP, "one", machineOf());
	});

	it("survives a restart of the endpoint and is adopted", async () => {
		const { virtualMachines } = emulator.client();
		await virtualMachines.createOrUpdate(GROUP, "one", machineOf({}, ENDLESS));
		const pid = Number(await fileOf("one", "pid"));
		const { port, stateDir } = emulator;
		await emulator.stop({ killInstances: false });
		emulator = await startTestEmulator({ port, stateDir });
		expect(startOf(pid)).not.toBeNull();
		expect(bookOf("one")).toMatchObject({ state: "running", guestPid: pid });
		// The SDK still holds a connection to the previous endpoint and sees it close first.
		const remove = () => emulator.client().virtualMachines.delete(GROUP, "one");
		await eventually("deleted", () =>
			remove().then(
				() => true,
				() => false,
			),
		);
		expect(startOf(pid)).toBeNull();
	});
});

describe("lists", () => {
	it("are paged for the subscription, a region, a group, and states only", async () => {
		const { virtualMachines, resourceSkus } = emulator.client();
		const places = ["eastus", "eastus", "eastus", "northcentralus"];
		await Promise.all(places.map((location, i) => virtualMachines.createOrUpdate(GROUP, `vm-${i}`, machineOf({ location })).submitted()));
		const all = ["vm-0", "vm-1", "vm-2", "vm-3"];
		expect((await namesOf(virtualMachines.listAll())).toSorted()).toEqual(all);
		expect((await namesOf(virtualMachines.list(GROUP))).toSorted()).toEqual(all);
		expect((await namesOf(virtualMachines.listByLocation("eastus"))).toSorted()).toEqual(all.slice(0, 3));
		const states = [];
		for await (const { instanceView, tags } of virtualMachines.listAll({ statusOnly: "true" })) states.push({ instanceView, tags });
		expect(states).toHaveLength(4);
		for (const { instanceView, tags } of states) expect([instanceView?.statuses?.length, tags]).toEqual([expect.any(Number), undefined]);
		emulator.faults.add({
			action: "virtualMachines.createOrUpdate",
			match: { instanceType: "Standard_ND96isr_H100_v5" },
			error: { code: "SkuNotAvailable" },
		});
		const skus: unknown[] = [];
		for await (const { name, restrictions } of resourceSkus.list({ filter: "location eq 'eastus'" }))
			skus.push([name, restrictions?.[0]?.reasonCode]);
		expect(skus).toEqual([
			["Standard_NC4as_T4_v3", undefined],
			["Standard_ND96isr_H100_v5", "NotAvailableForSubscription"],
		]);
	});
});

describe("a spot machine", () => {
	it("finds its eviction in its metadata, and is deleted by Azure", async () => {
		const script = '#!/bin/sh\necho "$AZURE_POD_IDENTITY_AUTHORITY_HOST" > endpoint\nwhile :; do sleep 0.1; done\n';
		await emulator.dispose();
		emulator = await startTestEmulator({ spotNoticeMs: 1_500 });
		const { virtualMachines } = emulator.client();
		await virtualMachines.createOrUpdate(GROUP, "one", machineOf(SPOT, script));
		const base = await fileOf("one", "endpoint");
		const ask = (path: string, headers: Record<string, string> = { metadata: "true" }) => fetch(`${base}/metadata/${path}`, { headers });
		expect(await (await ask("scheduledevents?api-version=2020-07-01")).json()).toMatchObject({ Events: [] });
		expect(await (await ask("instance?api-version=2021-02-01")).json()).toMatchObject({
			compute: { name: "one", resourceGroupName: GROUP, location: "eastus", priority: "Spot", evictionPolicy: "Delete" },
		});
		expect((await ask("instance?api-version=2021-02-01", {})).status).toBe(400);
		expect((await ask("instance?api-version=2021-02-01", { metadata: "true", "x-forwarded-for": "1.2.3.4" })).status).toBe(400);
		expect((await ask("instance?api-version=1999-01-01")).status).toBe(400);
		await virtualMachines.simulateEviction(GROUP, "one");
		expect(await (await ask("scheduledevents?api-version=2020-07-01")).json()).toMatchObject({
			Events: [{ EventType: "Preempt", Resources: ["one"], NotBefore: expect.stringMatching(/ GMT$/) }],
		});
		await eventually("evicted", () => bookOf("one").stateReasonCode === "SpotEvicted" && bookOf("one").state === "terminated");
		expect(await namesOf(virtualMachines.listAll())).toEqual([]);
	});
});

describe("the fault script", () => {
	it.each([
		["TooManyRequests", 429, "1"],
		["QuotaExceeded", 409, null],
		["InternalExecutionError", 500, null],
		["ExpiredAuthenticationToken", 401, null],
	])("%s is returned with HTTP %i, once, and nothing is created", async (code, status, retryAfter) => {
		emulator.faults.add({ action: "virtualMachines.createOrUpdate", error: { code } });
		const { virtualMachines } = emulator.client();
		const refused: unknown = await virtualMachines
			.createOrUpdate(GROUP, "one", machineOf())
			.submitted()
			.catch((error: unknown) => error);
		expect(refused).toMatchObject({ code, statusCode: status });
		const headers = refused instanceof Error && "response" in refused ? (refused.response as { headers: Headers }).headers : null;
		expect(headers?.get("retry-after") ?? null).toBe(retryAfter);
		expect(emulator.instances()).toEqual([]);
		await virtualMachines.createOrUpdate(GROUP, "one", machineOf());
	});

	it("loses responses, makes machines vanish, and rejects deletions", async () => {
		const { virtualMachines } = emulator.client();
		emulator.faults.add({ action: "virtualMachines.createOrUpdate", behaviour: { kind: "lose_answer" } });
		await expect(virtualMachines.createOrUpdate(GROUP, "one", machineOf()).submitted()).rejects.toThrow();
		expect(bookOf("one").vanished).toBe(false);
		emulator.faults.add({ action: "virtualMachines.createOrUpdate", behaviour: { kind: "vanish", durationMs: 0 } });
		await virtualMachines.createOrUpdate(GROUP, "two", machineOf()).submitted();
		await eventually("gone", () => bookOf("two").vanished);
		await expect(virtualMachines.get(GROUP, "two")).rejects.toMatchObject({ code: "ResourceNotFound" });
		emulator.faults.add({ action: "virtualMachines.delete", error: { code: "InternalExecutionError" } });
		await expect(virtualMachines.delete(GROUP, "one").submitted()).rejects.toMatchObject({ statusCode: 500 });
		expect(bookOf("one").state).not.toBe("terminated");
	});
});
