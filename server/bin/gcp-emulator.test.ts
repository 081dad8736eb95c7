import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DEFAULT_ACCOUNT, DEFAULT_PROJECT } from "#server/emulators/gcp/options.ts";
import { machineOf, tokenOf, ZONE } from "#server/emulators/gcp/testing/fixture.ts";
import { startOf } from "#server/emulators/shared/guest/processes.ts";
import { eventually } from "#server/emulators/shared/testing/eventually.ts";

const PROGRAM = fileURLToPath(new URL("./gcp-emulator.ts", import.meta.url));

let home: string;
const children: ChildProcess[] = [];
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "spillway-gcp-bin-"));
});
afterEach(() => {
	for (const child of children.splice(0)) child.kill("SIGKILL");
	rmSync(home, { recursive: true, force: true });
});

function start(...address: string[]) {
	const child = spawn("env", [`SPILLWAY_HOME=${home}`, process.execPath, PROGRAM, ...address], { stdio: ["ignore", "pipe", "pipe"] });
	children.push(child);
	const exit = once(child, "exit").then(([code]: unknown[]) => code);
	return { child, exit, output: text(child.stdout), errors: text(child.stderr) };
}

async function freePort(): Promise<number> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	server.close();
	return typeof address === "object" && address ? address.port : 0;
}

it("serves the shipped catalogue, writes the key file, runs machines, and on SIGTERM leaves none", async () => {
	const endpoint = `http://127.0.0.1:${await freePort()}`;
	const { child, exit, output } = start(endpoint);
	await eventually("the endpoint", () =>
		fetch(`${endpoint}/_emulator/health`).then(
			({ ok }) => ok,
			() => false,
		),
	);
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
	const folder = join(home, "gcp/instances", String(Reflect.get(Object(operation), "targetId")));
	const pid = await eventually("the guest", () =>
		existsSync(join(folder, "pid")) ? Number(readFileSync(join(folder, "pid"), "utf8")) : null,
	);
	child.kill("SIGTERM");
	expect(await exit).toBe(0);
	expect(startOf(pid)).toBeNull();
	const [, keyFile = ""] = /GOOGLE_APPLICATION_CREDENTIALS=(\S+)/.exec(await output) ?? [];
	expect(JSON.parse(readFileSync(keyFile, "utf8"))).toMatchObject({ type: "service_account", client_email: DEFAULT_ACCOUNT });
});

it("says in a sentence that it listens on loopback only", async () => {
	const { exit, errors } = start();
	expect(await exit).toBe(1);
	expect(await errors).toMatch(/listens on loopback only\. Give an address such as http:\/\/127\.0\.0\.1:3012\.\n$/);
});
