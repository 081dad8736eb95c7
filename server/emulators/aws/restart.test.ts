import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DescribeInstancesCommand, RunInstancesCommand, TerminateInstancesCommand } from "@aws-sdk/client-ec2";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startOf } from "../shared/guest/processes.ts";
import { eventually } from "../shared/testing/eventually.ts";
import { launchOf, newClient, SPOT, startTestEmulator, type TestEmulator } from "./testing/fixture.ts";

const PROGRAM = fileURLToPath(new URL("./testing/emulator-process.ts", import.meta.url));
const LOOP = "while :; do sleep 0.05; done";

let stateDir: string;
let child: ChildProcess | null = null;
let restarted: TestEmulator | null = null;
beforeEach(() => {
	stateDir = mkdtempSync(join(tmpdir(), "spillway-ec2-restart-"));
});
afterEach(async () => {
	child?.kill("SIGKILL");
	await restarted?.dispose();
	restarted = null;
	rmSync(stateDir, { recursive: true, force: true });
});

async function startProcess(bootDelayMs = 0): Promise<number> {
	child = spawn(process.execPath, [PROGRAM, stateDir, "0", String(bootDelayMs)], { stdio: ["ignore", "pipe", "inherit"] });
	if (!child.stdout) throw new Error("the process has no output");
	const [line] = await once(child.stdout, "data");
	return Number(String(line));
}

async function killProcess(): Promise<void> {
	if (!child) throw new Error("there is no process");
	const gone = once(child, "exit");
	child.kill("SIGKILL");
	await gone;
}

async function restartHere(port: number): Promise<TestEmulator> {
	restarted = await startTestEmulator({ stateDir, port, spotNoticeMs: 60_000, guestStopGraceMs: 300 });
	return restarted;
}

async function launch(port: number, script: string, overrides = {}) {
	const client = newClient(`http://127.0.0.1:${port}`, "us-east-1");
	const { Instances: [instance] = [] } = await client.send(new RunInstancesCommand(launchOf(overrides, script)));
	client.destroy();
	return { id: instance?.InstanceId ?? "", launchTime: instance?.LaunchTime?.getTime() };
}

const fileOf = (id: string, name: string) => join(stateDir, "instances", id, name);
const written = (id: string, name: string) =>
	eventually(`${name} of ${id}`, () => (existsSync(fileOf(id, name)) ? readFileSync(fileOf(id, name), "utf8").trim() || null : null));

describe("after kill -9 of the emulator", () => {
	it("its machines keep running, are adopted with their times, and end with all their processes", async () => {
		const port = await startProcess();
		const { id, launchTime } = await launch(port, `#!/bin/sh\necho up >> up\nsetsid sh -c 'echo $$ > escaped; ${LOOP}' &\n${LOOP}\n`, {
			ClientToken: "kept",
		});
		const escaped = Number(await written(id, "escaped"));
		await killProcess();
		expect(startOf(escaped)).not.toBeNull();

		const emulator = await restartHere(port);
		const [booked] = emulator.instances();
		expect(booked).toMatchObject({ instanceId: id, state: "running", launchTime });
		expect(booked?.runningAt).toBeGreaterThanOrEqual(launchTime ?? 0);
		expect(startOf(booked?.guestPid ?? 0)).not.toBeNull();
		const again = await launch(port, `#!/bin/sh\necho up >> up\nsetsid sh -c 'echo $$ > escaped; ${LOOP}' &\n${LOOP}\n`, {
			ClientToken: "kept",
		});
		expect(again.id).toBe(id);

		await emulator.client().send(new TerminateInstancesCommand({ InstanceIds: [id] }));
		const ended = await eventually("terminated", () => emulator.instances().find(({ state }) => state === "terminated"));
		expect([booked?.guestPid ?? 0, escaped].filter((pid) => startOf(pid) !== null)).toEqual([]);
		expect(readFileSync(fileOf(id, "up"), "utf8")).toBe("up\n");
		expect(ended).toMatchObject({ launchTime, runningAt: booked?.runningAt });
		expect(ended.terminatedAt).toBeGreaterThanOrEqual(ended.launchTime);
	});

	it("a machine that was pending boots, once", async () => {
		const port = await startProcess(60_000);
		const { id } = await launch(port, "#!/bin/sh\necho up >> up\n");
		await killProcess();
		// The minute of its boot passes while the emulator is down.
		const emulator = await startTestEmulator({ stateDir, port, clock: () => Date.now() + 60_000 });
		restarted = emulator;
		expect(await written(id, "up")).toBe("up");
		expect(emulator.instances()[0]).toMatchObject({ instanceId: id, state: "running" });
	});

	it("a guest can power off while the emulator is down, and its token remains valid after it", async () => {
		const port = await startProcess();
		const script = [
			"#!/usr/bin/env node",
			'const { writeFileSync, existsSync } = require("node:fs"), { execFileSync } = require("node:child_process");',
			"const base = process.env.AWS_EC2_METADATA_SERVICE_ENDPOINT, wait = () => new Promise((go) => setTimeout(go, 20));",
			"(async () => {",
			'  const token = await (await fetch(base + "/latest/api/token", { method: "PUT", headers: { "x-aws-ec2-metadata-token-ttl-seconds": "600" } })).text();',
			'  writeFileSync("has-token", "yes");',
			'  while (!existsSync("go")) await wait();',
			"  for (;;) try {",
			'    const answer = await fetch(base + "/latest/meta-data/instance-id", { headers: { "x-aws-ec2-metadata-token": token } });',
			'    writeFileSync("id", await answer.text()); break;',
			"  } catch { await wait(); }",
			'  execFileSync("poweroff");',
			"})();",
		].join("\n");
		const { id } = await launch(port, script, { InstanceInitiatedShutdownBehavior: "terminate" });
		await written(id, "has-token");
		await killProcess();
		writeFileSync(fileOf(id, "go"), "");
		const emulator = await restartHere(port);
		await eventually("terminated", () => emulator.instances().find(({ state }) => state === "terminated"));
		expect(readFileSync(fileOf(id, "id"), "utf8")).toBe(id);
		expect(emulator.instances()[0]?.stateReasonCode).toBe("Client.InstanceInitiatedShutdown");
	});

	it("an announced interruption stays announced", async () => {
		const port = await startProcess();
		const { id } = await launch(port, "", { InstanceMarketOptions: SPOT });
		const answer = await fetch(`http://127.0.0.1:${port}/_emulator/interrupt`, {
			method: "POST",
			body: JSON.stringify({ instanceId: id }),
		});
		expect(answer.status).toBe(202);
		await killProcess();
		const emulator = await startTestEmulator({ stateDir, port, clock: () => Date.now() + 60_000 });
		restarted = emulator;
		await eventually("terminated", () => emulator.instances()[0]?.state === "terminated");
		expect(emulator.instances()[0]?.stateReasonCode).toBe("Server.SpotInstanceTermination");
	});

	it("an unreadable page of the records is reported, not skipped", async () => {
		const port = await startProcess();
		await launch(port, "");
		await killProcess();
		writeFileSync(join(stateDir, "book", "r-broken.json"), '{"half":');
		await expect(startTestEmulator({ stateDir, port })).rejects.toThrow(/r-broken\.json/);
	});
});

describe("stop", () => {
	it("with killInstances leaves no process, and the records contain the reason", async () => {
		const emulator = await startTestEmulator({ guestStopGraceMs: 300, terminateDelayMs: 60_000, stateDir });
		const first = await launch(emulator.port, `#!/bin/sh\ntrap '' TERM\necho $$ > pid\n${LOOP}\n`);
		const pid = Number(await written(first.id, "pid"));
		await emulator.stop({ killInstances: true });
		expect(startOf(pid)).toBeNull();
		const next = await restartHere(0);
		const { Reservations } = await next.client().send(new DescribeInstancesCommand({ InstanceIds: [first.id] }));
		expect(Reservations?.[0]?.Instances?.[0]).toMatchObject({
			State: { Name: "terminated" },
			StateReason: { Code: "Server.InternalError" },
		});
	});

	it("without it leaves them running for the next start", async () => {
		const emulator = await startTestEmulator({ stateDir });
		const { id } = await launch(emulator.port, `#!/bin/sh\necho $$ > pid\n${LOOP}\n`);
		const pid = Number(await written(id, "pid"));
		await emulator.stop({ killInstances: false });
		expect(startOf(pid)).not.toBeNull();
		const next = await restartHere(emulator.port);
		expect(next.instances()[0]).toMatchObject({ instanceId: id, state: "running", guestPid: pid });
	});
});
