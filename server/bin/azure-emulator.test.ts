import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { GROUP, machineOf, newClient } from "#server/emulators/azure/testing/fixture.ts";
import { startOf } from "#server/emulators/shared/guest/processes.ts";
import { eventually } from "#server/emulators/shared/testing/eventually.ts";
import { ANY_PORT, EmulatorProcesses } from "./testing/emulator-processes.ts";

let processes: EmulatorProcesses;
beforeEach(() => {
	processes = new EmulatorProcesses();
});
afterEach(() => processes.end());

it("serves the shipped catalog, runs machines, and on SIGTERM leaves none", async () => {
	const { child, exit, endpoint: told } = processes.start("azure-emulator", [ANY_PORT]);
	const endpoint = await told();
	const { virtualMachines, usage } = newClient(endpoint);
	const usages = await Array.fromAsync(usage.list("westeurope"));
	expect(usages).toContainEqual(
		expect.objectContaining({ name: expect.objectContaining({ value: "cores" }), limit: 1_000, currentValue: 0 }),
	);
	const script = "#!/bin/sh\necho $$ > pid\nwhile :; do sleep 0.1; done\n";
	const shipped = machineOf({ hardwareProfile: { vmSize: "Standard_NC24ads_A100_v4" }, location: "westeurope", zones: ["3"] }, script);
	await virtualMachines.createOrUpdate(GROUP, "shipped", shipped).submitted();
	const { vmId = "" } = await virtualMachines.get(GROUP, "shipped");
	const pidFile = join(processes.home, "azure/instances", vmId, "pid");
	const pid = await eventually("the guest", () => (existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : null));
	child.kill("SIGTERM");
	expect(await exit).toBe(0);
	expect(startOf(pid)).toBeNull();
});

it("prints an error when it has no address to listen on", async () => {
	const { exit, errors } = processes.start("azure-emulator", []);
	expect(await exit).toBe(1);
	expect(await errors).toMatch(/listens on loopback only\. Give an address such as http:\/\/127\.0\.0\.1:3011/);
});
