import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DEFAULT_ACCOUNT, DEFAULT_PROJECT } from "#server/emulators/gcp/options.ts";
import { machineOf, tokenOf, ZONE } from "#server/emulators/gcp/testing/fixture.ts";
import { startOf } from "#server/emulators/shared/guest/processes.ts";
import { eventually } from "#server/emulators/shared/testing/eventually.ts";
import { ANY_PORT, EmulatorProcesses } from "./testing/emulator-processes.ts";

let processes: EmulatorProcesses;
beforeEach(() => {
	processes = new EmulatorProcesses();
});
afterEach(() => processes.end());

it("serves the shipped catalog, writes the key file, runs machines, and on SIGTERM leaves none", async () => {
	const { child, exit, output, endpoint: told } = processes.start("gcp-emulator", [ANY_PORT]);
	const endpoint = await told();
	const headers = { authorization: `Bearer ${tokenOf(DEFAULT_ACCOUNT)}` };
	const script = "#!/bin/sh\necho $$ > pid\nwhile :; do sleep 0.1; done\n";
	const answer = await fetch(`${endpoint}/compute/v1/projects/${DEFAULT_PROJECT}/zones/${ZONE}/instances`, {
		...{ method: "POST", headers, body: JSON.stringify(machineOf("shipped", {}, script)) },
	});
	const region = `${endpoint}/compute/v1/projects/${DEFAULT_PROJECT}/regions/${ZONE.replace(/-[a-z]$/, "")}`;
	expect(await (await fetch(region, { headers })).json()).toMatchObject({
		quotas: expect.arrayContaining([expect.objectContaining({ metric: "NVIDIA_L4_GPUS", limit: 64 })]),
	});
	const operation: unknown = await answer.json();
	expect(operation).toMatchObject({ operationType: "insert", targetId: expect.stringMatching(/^\d+$/) });
	const folder = join(processes.home, "gcp/instances", String(Reflect.get(Object(operation), "targetId")));
	const pid = await eventually("the guest", () =>
		existsSync(join(folder, "pid")) ? Number(readFileSync(join(folder, "pid"), "utf8")) : null,
	);
	child.kill("SIGTERM");
	expect(await exit).toBe(0);
	expect(startOf(pid)).toBeNull();
	const [, keyFile = ""] = /GOOGLE_APPLICATION_CREDENTIALS=(\S+)/.exec(await output) ?? [];
	expect(JSON.parse(readFileSync(keyFile, "utf8"))).toMatchObject({ type: "service_account", client_email: DEFAULT_ACCOUNT });
});

it("reports that it listens on loopback only", async () => {
	const { exit, errors } = processes.start("gcp-emulator", []);
	expect(await exit).toBe(1);
	expect(await errors).toMatch(/listens on loopback only\. Give an address such as http:\/\/127\.0\.0\.1:3012\.\n$/);
});
