import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { endLeftovers, keepRunning } from "./children.mjs";
import { processesWithEnv, processIdentity } from "./process-identity.mjs";
import { runToEnd } from "./run.mjs";

let logFolder;
beforeEach(() => {
	logFolder = mkdtempSync(path.join(os.tmpdir(), "spillway-children-test-"));
});
afterEach(() => rmSync(logFolder, { recursive: true }));

const WAITING = { timeout: 600_000, interval: 20 };

function keep(script, env = {}) {
	const said = [];
	const child = keepRunning({
		name: "thing",
		command: ["/bin/sh", "-c", script],
		env: { PATH: process.env.PATH, ...env },
		logFolder,
		say: (line) => said.push(line),
	});
	return { child, said };
}

describe("a program that is kept running", () => {
	it("starts again after a crash, and reports the crash with the path of its log", async () => {
		const { child, said } = keep("echo hello; echo trouble >&2; exit 3");
		await vi.waitUntil(() => child.crashes() >= 2, WAITING);
		await child.stop(1_000);
		expect(said.join("\n")).toMatch(
			/\[thing\] hello\n\[thing\] trouble\nThe thing ended by itself \(exit code 3\); it starts again in 0\.5 s\. Its log: .*thing\.log/,
		);
		expect(readFileSync(child.log, "utf8")).toContain("hello\n");
	});

	it("shows errors and keeps the rest in the log", async () => {
		const { child, said } = keep(`echo '{"level":"info"}'; echo '{"level":"error","message":"no"}' >&2; sleep 60`);
		await vi.waitUntil(() => said.length > 0, WAITING);
		await child.stop(1_000);
		expect(said).toEqual(['[thing] {"level":"error","message":"no"}']);
		expect(readFileSync(child.log, "utf8")).toContain('{"level":"info"}');
	});

	it("is killed with everything that it started if it does not stop in time", async () => {
		const { child } = keep(`trap '' TERM; sleep 60 & echo $! > ${logFolder}/pid; while :; do sleep 0.1; done`);
		const pid = () => {
			try {
				return Number(readFileSync(path.join(logFolder, "pid"), "utf8"));
			} catch {
				return 0;
			}
		};
		await vi.waitUntil(() => pid() > 0, WAITING);
		const sleeper = pid();
		expect(processIdentity(sleeper)).toBeDefined();
		await child.stop(100);
		await vi.waitUntil(() => !processIdentity(sleeper), WAITING);
		expect(child.crashes()).toBe(0);
	});

	it("leaves nothing running after its parent was killed", async () => {
		const instance = `test-${process.pid}-${performance.now()}`;
		const { child } = keep("sleep 60 & sleep 60", { SPILLWAY_INSTANCE: instance });
		await vi.waitUntil(() => processesWithEnv("SPILLWAY_INSTANCE", instance).length === 3, WAITING);
		const stopped = child.stop(10_000);
		expect(await endLeftovers(instance)).toBeGreaterThan(0);
		await stopped;
		expect(processesWithEnv("SPILLWAY_INSTANCE", instance)).toEqual([]);
	});
});

it("ends the emulated clouds of a killed parent without ending their machines", async () => {
	const instance = `test-${process.pid}-${performance.now()}`;
	const script = (name) => `trap 'touch ended-${name}; exit' TERM; touch ${name}; while :; do sleep 0.1; done`;
	const has = (name) => existsSync(path.join(logFolder, name));
	const names = ["aws-emulator", "kubernetes-emulator"];
	for (const name of names)
		spawn("/bin/sh", ["-c", script(name), `server/bin/${name}.ts`], {
			...{ cwd: logFolder, stdio: "ignore", env: { PATH: process.env.PATH, SPILLWAY_INSTANCE: instance } },
		});
	await vi.waitUntil(() => names.every(has), WAITING);
	await endLeftovers(instance);
	expect(names.map((name) => has(`ended-${name}`))).toEqual([false, true]);
});

describe("a program run to completion", () => {
	const options = { what: "The step failed", todo: "try again." };

	it("prints its last lines and its exit code when it fails", async () => {
		const run = runToEnd(["/bin/sh", "-c", "echo one; echo two >&2; exit 4"], options);
		await expect(run).rejects.toMatchObject({
			message: expect.stringContaining("exit code 4"),
			detail: expect.stringMatching(/one|two/),
			todo: "try again.",
		});
	});

	it("reports a program that does not exist", async () => {
		await expect(runToEnd(["/nowhere/program"], options)).rejects.toThrow(/ENOENT/);
	});

	it("is ended by an abort", async () => {
		const aborting = new AbortController();
		const run = runToEnd(["/bin/sh", "-c", "echo ready; sleep 60"], {
			...options,
			signal: aborting.signal,
			onLine: () => aborting.abort(new Error("enough")),
		});
		await expect(run).rejects.toThrow("enough");
	});
});
