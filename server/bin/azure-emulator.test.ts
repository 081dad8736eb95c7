import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { GROUP, machineOf, newClient } from "#server/emulators/azure/testing/fixture.ts";
import { startOf } from "#server/emulators/shared/guest/processes.ts";
import { eventually } from "#server/emulators/shared/testing/eventually.ts";

const PROGRAM = fileURLToPath(new URL("./azure-emulator.ts", import.meta.url));

let home: string;
const children: ChildProcess[] = [];
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "spillway-azure-bin-"));
});
afterEach(() => {
	for (const child of children.splice(0)) child.kill("SIGKILL");
	rmSync(home, { recursive: true, force: true });
});

function start(...address: string[]) {
	const child = spawn("env", [`SPILLWAY_HOME=${home}`, process.execPath, PROGRAM, ...address], { stdio: ["ignore", "pipe", "pipe"] });
	children.push(child);
	const exit = once(child, "exit").then(([code]: unknown[]) => code);
	return { child, exit, errors: text(child.stderr) };
}

async function freePort(): Promise<number> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	server.close();
	return typeof address === "object" && address ? address.port : 0;
}

it("serves the shipped catalogue, runs machines, and on SIGTERM leaves none", async () => {
	const endpoint = `http://127.0.0.1:${await freePort()}`;
	const { child, exit } = start(endpoint);
	await eventually("the endpoint", () =>
		fetch(`${endpoint}/_emulator/health`).then(
			({ ok }) => ok,
			() => false,
		),
	);
	const { virtualMachines, usage } = newClient(endpoint);
	const usages = await Array.fromAsync(usage.list("westeurope"));
	expect(usages).toContainEqual(
		expect.objectContaining({ name: expect.objectContaining({ value: "cores" }), limit: 1_000, currentValue: 0 }),
	);
	const script = "#!/bin/sh\necho $$ > pid\nwhile :; do sleep 0.1; done\n";
	const shipped = machineOf({ hardwareProfile: { vmSize: "Standard_NC24ads_A100_v4" }, location: "westeurope", zones: ["3"] }, script);
	await virtualMachines.createOrUpdate(GROUP, "shipped", shipped).submitted();
	const { vmId = "" } = await virtualMachines.get(GROUP, "shipped");
	const pidFile = join(home, "azure/instances", vmId, "pid");
	const pid = await eventually("the guest", () => (existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : null));
	child.kill("SIGTERM");
	expect(await exit).toBe(0);
	expect(startOf(pid)).toBeNull();
});

it("says in a sentence that it was not told where to listen", async () => {
	const { exit, errors } = start();
	expect(await exit).toBe(1);
	expect(await errors).toMatch(/listens on loopback only\. Give an address such as http:\/\/127\.0\.0\.1:3011/);
});
