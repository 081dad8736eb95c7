import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { DataRef } from "#server/domain/job.ts";
import {
	aSpec,
	aStart,
	type ClusterHarness,
	eventually,
	find,
	READY,
	readAll,
	untilPhase,
	untilPrinted,
} from "../contract/cluster-harness.ts";
import { posixCommand } from "../contract/posix-job.ts";
import type { StartAttempt } from "../driver.ts";
import { LocalDriver } from "./local-driver.ts";
import { markedProcesses } from "./process-tree.ts";

let home: string;
let drivers: LocalDriver[];
let h: ClusterHarness;

function newDriver(): LocalDriver {
	const driver = new LocalDriver("local", { home, slots: 4, accelerator: "A10G-24GB" });
	drivers.push(driver);
	return driver;
}

beforeEach(async () => {
	home = await realpath(await mkdtemp(path.join(tmpdir(), "spillway-local-")));
	drivers = [];
	h = {
		driver: newDriver(),
		poolId: "local",
		accelerator: "A10G-24GB",
		slots: 4,
		command: posixCommand,
		passTime: () => sleep(3),
		nowMs: Date.now,
		restart: async () => newDriver(),
		cleanup: async () => {},
		features: { realProcesses: true, checkpointFolder: true },
	};
});

afterEach(async () => {
	await newDriver().close({ stopJobs: true, graceMs: 0 });
	for (const driver of drivers) await driver.close({ stopJobs: false, graceMs: 0 });
	// Ended supervisors may still be writing their last state.
	await rm(home, { recursive: true, force: true, maxRetries: 10 });
});

const shell = (script: string, changes: Partial<StartAttempt["spec"]> = {}, start: Partial<StartAttempt> = {}) => {
	const slots = start.slots ?? [0];
	return aStart(h, { end: null }, { ...start, slots, spec: aSpec({ command: ["sh", "-c", script], gpus: slots.length, ...changes }) });
};
const stateFile = (attemptId: string, name: string) => path.join(home, "sites", "local", attemptId, "state", name);
const workFolder = (attemptId: string) => path.join(home, "sites", "local", attemptId, "work");
const supervisorOf = async (attemptId: string) => Number.parseInt(await readFile(stateFile(attemptId, "pid"), "utf8"), 10);
const data = (uri: string, mount: string): DataRef => ({ uri, mount, sizeGiB: null, residency: [] });

async function outputOf(request: StartAttempt): Promise<string[]> {
	await h.driver.start(request);
	await untilPhase(h, request.attemptId, "exited");
	return (await readAll(h.driver, request.attemptId)).map((l) => l.text);
}

it("reports that its folder is unavailable, and not that its attempts no longer exist", async () => {
	const request = shell("sleep 60");
	await h.driver.start(request);
	await untilPhase(h, request.attemptId, "running");
	const [site, elsewhere] = [path.join(home, "sites"), path.join(home, "unmounted")];
	await rename(site, elsewhere);
	await expect(h.driver.observe()).rejects.toMatchObject({ kind: "transient", providerCode: "ENOENT" });
	await rename(elsewhere, site);
	expect(await find(h.driver, request.attemptId)).toMatchObject({ phase: "running" });
});

describe("the environment of a job", () => {
	it("is built from scratch and inherits no variable of the server", async () => {
		vi.stubEnv("SPILLWAY_TEST_SECRET", "do not leak");
		try {
			const request = shell("env", { env: { SEED: "7" } }, { slots: [1, 2] });
			const lines = (await outputOf(request)).filter((line) => !/^(PWD|OLDPWD|SHLVL|_)=/.test(line));
			expect(lines.map((line) => line.split("=")[0]).toSorted()).toEqual([
				"CUDA_VISIBLE_DEVICES",
				"HOME",
				"LANG",
				"PATH",
				"SEED",
				"SPILLWAY_ATTEMPT",
				"SPILLWAY_CHECKPOINT_DIR",
				"SPILLWAY_JOB_ID",
				"SPILLWAY_WORK_DIR",
				"TMPDIR",
			]);
			expect(lines).toContain("CUDA_VISIBLE_DEVICES=1,2");
			expect(lines).toContain(`SPILLWAY_WORK_DIR=${workFolder(request.attemptId)}`);
		} finally {
			vi.unstubAllEnvs();
		}
	});

	it("has our own node and the work folder in its path", async () => {
		const request = shell("", { command: ["node", "-p", "process.execPath + ' ' + process.cwd()"] });
		expect(await outputOf(request)).toEqual([`${process.execPath} ${workFolder(request.attemptId)}`]);
	});

	it("keeps the job's own variables unchanged, whatever name the supervising shell uses", async () => {
		const env = { IFS: "x", status: "kept", STATE: "a b", CHILD: "1" };
		expect(await outputOf(shell('echo "$status|$STATE|$CHILD"', { env }))).toEqual(["kept|a b|1"]);
	});
});

describe("the process tree", () => {
	it("no longer exists at the end, including children in other sessions", async () => {
		const request = shell("setsid sh -c 'touch away; exec sleep 600' & sleep 600 & while [ ! -e away ]; do sleep 0.01; done");
		await h.driver.start(request);
		await untilPhase(h, request.attemptId, "exited");
		expect(await markedProcesses([workFolder(request.attemptId)])).toEqual([]);
	});

	it("keeps its grace period when the shell that started the program dies immediately", async () => {
		const program =
			"process.on('SIGTERM', () => setTimeout(() => { console.log('saved'); process.exit(0) }, 200)); setInterval(() => {}, 1000); console.log('ready')";
		const request = shell(`node -e "${program}"; true`);
		await h.driver.start(request);
		await untilPrinted(h, request.attemptId, READY);
		await h.driver.stop(request.attemptId, 30_000);
		await untilPhase(h, request.attemptId, "exited");
		expect((await readAll(h.driver, request.attemptId)).map((l) => l.text)).toContain("saved");
	});

	it("detects a stop at any moment of its start", async () => {
		for (let i = 0; i < 24; i++) {
			const request = aStart(h, { end: null });
			await h.driver.start(request);
			const untilMs = performance.now() + i * 0.4;
			while (performance.now() < untilMs) await new Promise((resolve) => setImmediate(resolve));
			await h.driver.stop(request.attemptId, 3_600_000);
			expect((await untilPhase(h, request.attemptId, "exited")).exit?.signal).toBe("SIGTERM");
		}
	});

	it("is lost when its supervisor dies without a report, and none of it keeps running", async () => {
		const request = aStart(h, { print: { stdout: [READY] }, end: null });
		await h.driver.start(request);
		await untilPrinted(h, request.attemptId, READY);
		process.kill(await supervisorOf(request.attemptId), "SIGKILL");
		const seen = await untilPhase(h, request.attemptId, "lost");
		expect(seen).toMatchObject({ exit: null, slots: [0] });
		expect(await markedProcesses([workFolder(request.attemptId)])).toEqual([]);
	});

	it("is lost after the host was restarted, because process numbers are then reused", async () => {
		const request = aStart(h, { print: { stdout: [READY] }, end: null });
		await h.driver.start(request);
		await untilPrinted(h, request.attemptId, READY);
		process.kill(await supervisorOf(request.attemptId), "SIGKILL");
		// A process with that number and start time lives, but it belongs to another boot.
		const stat = await readFile(`/proc/${process.pid}/stat`, "utf8");
		await writeFile(stateFile(request.attemptId, "pid"), `${stat.trim()}\n00000000-0000-0000-0000-000000000000\n`);
		const next = await h.restart();
		await untilPhase(h, request.attemptId, "lost", next);
	});
});

describe("a scheduler that is killed", () => {
	/** A process that starts the request with its own driver and is then killed with SIGKILL. */
	async function startElsewhereAndKill(request: StartAttempt, when: (line: string) => boolean): Promise<void> {
		const driverUrl = pathToFileURL(path.join(import.meta.dirname, "local-driver.ts")).href;
		const script = `
			import { LocalDriver } from ${JSON.stringify(driverUrl)};
			const driver = new LocalDriver("local", ${JSON.stringify({ home, slots: 4, accelerator: "A10G-24GB" })});
			const started = driver.start(${JSON.stringify(request)});
			console.log("calling");
			await started;
			console.log("started");
			setInterval(() => {}, 1000);`;
		const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
			stdio: ["ignore", "pipe", "inherit"],
			cwd: path.resolve(import.meta.dirname, "../../.."),
		});
		const ended = once(child, "exit");
		for await (const chunk of child.stdout.setEncoding("utf8")) if (String(chunk).split("\n").some(when)) break;
		child.kill("SIGKILL");
		await ended;
	}

	it("leaves the job running; its end is recorded and found", async () => {
		const request = shell("trap 'exit 6' TERM; echo ready; while :; do sleep 0.02; done");
		await startElsewhereAndKill(request, (line) => line === "started");
		await untilPhase(h, request.attemptId, "running");
		await untilPrinted(h, request.attemptId, READY);
		await h.driver.stop(request.attemptId, 30_000);
		expect((await untilPhase(h, request.attemptId, "exited")).exit?.code).toBe(6);
	});

	it.each([0, 1, 2, 3, 5, 8])("at some moment of the start (%i ms into it) loses nothing and duplicates nothing", async (ms) => {
		const request = shell("echo here; exit 0");
		await startElsewhereAndKill(request, (line) => line === "calling");
		await sleep(ms);
		await h.driver.start(request);
		await untilPhase(h, request.attemptId, "exited");
		expect((await readAll(h.driver, request.attemptId)).map((l) => l.text)).toEqual(["here"]);
	});

	it("while it staged data: the next one stages it again", async () => {
		const source = path.join(home, "set");
		await mkdir(source);
		await writeFile(path.join(source, "rows"), "1\n2\n");
		const request = shell("cat data/rows", { data: [data(pathToFileURL(source).href, "/data")] });
		await h.driver.start(request);
		const abandoned = stateFile(request.attemptId, "");
		await untilPhase(h, request.attemptId, "exited");
		// The folder as a dead stager leaves it: the request is complete, the data only partly.
		await rm(abandoned, { recursive: true });
		await mkdir(abandoned);
		await writeFile(path.join(workFolder(request.attemptId), "data", "half"), "");
		const requestFile = path.join(abandoned, "..", "request.json");
		const stored = JSON.parse(await readFile(requestFile, "utf8")) as { stager: { pid: number; startedAt: string } };
		stored.stager.startedAt = "1";
		await writeFile(requestFile, JSON.stringify({ ...stored, stager: { ...stored.stager, pid: process.ppid } }));
		await rm(path.join(abandoned, "..", "stdout.log"));
		const next = await h.restart();
		await untilPhase(h, request.attemptId, "exited", next);
		expect((await readAll(next, request.attemptId)).map((l) => l.text)).toEqual(["1", "2"]);
		await expect(readFile(path.join(workFolder(request.attemptId), "data", "half"))).rejects.toMatchObject({ code: "ENOENT" });
	});
});

describe("staging", () => {
	async function failureOf(refs: DataRef[]): Promise<string> {
		const request = shell("true", { data: refs });
		await h.driver.start(request);
		const { exit, startedAtMs } = await untilPhase(h, request.attemptId, "exited");
		expect(startedAtMs).toBeNull();
		expect(exit).toMatchObject({ code: null, signal: null, failedAt: "staging" });
		return exit?.error ?? "";
	}

	it("places files and folders at their mounts below the work folder", async () => {
		await mkdir(path.join(home, "in", "deep"), { recursive: true });
		await writeFile(path.join(home, "in", "deep", "a"), "A\n");
		await writeFile(path.join(home, "one"), "1\n");
		const refs = [data(pathToFileURL(path.join(home, "in")).href, "/mnt/set"), data(`file:${path.join(home, "one")}`, "single/file")];
		expect(await outputOf(shell("cat mnt/set/deep/a single/file", { data: refs }))).toEqual(["A", "1"]);
	});

	it("reports data that does not exist, has no remote or is not absolute", async () => {
		expect(await failureOf([data("file:///no/such/set", "/data")])).toMatch(/file:\/\/\/no\/such\/set.*\/no\/such\/set does not exist/);
		expect(await failureOf([data("rclone://lake/claims", "/data")])).toMatch(
			/rclone:\/\/lake\/claims cannot be staged to \/data on the local site: there is no data remote "lake"/,
		);
		expect(await failureOf([data("file:./set", "/data")])).toMatch(/must be absolute/);
	});

	it("rejects a mount that a symbolic link leads out of the work folder", async () => {
		const outside = path.join(home, "outside");
		await mkdir(outside);
		await mkdir(path.join(home, "in"));
		await symlink(outside, path.join(home, "in", "link"));
		await writeFile(path.join(home, "one"), "1\n");
		const refs = [
			data(pathToFileURL(path.join(home, "in")).href, "/data"),
			data(pathToFileURL(path.join(home, "one")).href, "/data/link/one"),
		];
		expect(await failureOf(refs)).toMatch(/leads out of the job's work folder/);
		await expect(readFile(path.join(outside, "one"))).rejects.toMatchObject({ code: "ENOENT" });
	});
});

describe("logs", () => {
	it("return the last line without its newline, and split a long one without losing a byte", async () => {
		const request = shell("head -c 40000 /dev/zero | tr '\\0' x; printf '\\nlast'");
		const lines = await outputOf(request);
		expect(lines.at(-1)).toBe("last");
		expect(lines.slice(0, -1).join("")).toBe("x".repeat(40_000));
		expect(lines.length).toBeGreaterThan(2);
	});

	it("hold back an incomplete line until the rest has arrived", async () => {
		const request = shell("printf half; while [ ! -e go ]; do sleep 0.01; done; echo ' whole'");
		await h.driver.start(request);
		await untilPhase(h, request.attemptId, "running");
		const log = path.join(home, "sites", "local", request.attemptId, "stdout.log");
		await eventually(h, "half a line is there", async () => (await readFile(log, "utf8")) === "half");
		expect((await h.driver.readLogs(request.attemptId, { stdout: 0, stderr: 0 }, 1_000)).lines).toEqual([]);
		await writeFile(path.join(workFolder(request.attemptId), "go"), "");
		await untilPhase(h, request.attemptId, "exited");
		expect((await readAll(h.driver, request.attemptId)).map((l) => l.text)).toEqual(["half whole"]);
	});
});

it("forgets with the folder", async () => {
	const request = shell("exit 0");
	await h.driver.start(request);
	await untilPhase(h, request.attemptId, "exited");
	expect(h.driver.checkpointFolder(request.attemptId)).toContain(request.attemptId);
	await h.driver.forget(request.attemptId);
	expect(await find(h.driver, request.attemptId)).toBeUndefined();
	expect(h.driver.checkpointFolder(request.attemptId)).toBeNull();
});

describe("mounts", () => {
	it("gives a job the folder of each mount that it requests, and no other", async () => {
		const source = path.join(home, "imagenet");
		await mkdir(source);
		await writeFile(path.join(source, "classes"), "tench");
		const mounts = ["image-net", "other"].map((name) => ({ name, type: "nfs" as const, source, readOnly: true }));
		h.driver = new LocalDriver("local", { home, slots: 4, accelerator: "A10G-24GB", mounts });
		drivers.push(h.driver as LocalDriver);
		const request = shell('cat "$SPILLWAY_MOUNT_IMAGE_NET/classes"; echo; echo "[$SPILLWAY_MOUNT_OTHER]"', { mounts: ["image-net"] });
		expect(await outputOf(request)).toEqual(["tench", "[]"]);
	});

	it("reports a missing mount as failed staging, and does not start the command", async () => {
		const mounts = [{ name: "imagenet", type: "local" as const, source: path.join(home, "missing"), readOnly: true }];
		h.driver = new LocalDriver("local", { home, slots: 4, accelerator: "A10G-24GB", mounts });
		drivers.push(h.driver as LocalDriver);
		for (const [name, problem] of [
			["imagenet", /mount imagenet is not available on the local site: .*missing does not exist/],
			["scratch", /the local site has no mount scratch/],
		] as const) {
			const request = shell("touch ran", { mounts: [name] });
			await h.driver.start(request);
			const { exit } = await untilPhase(h, request.attemptId, "exited");
			expect(exit).toMatchObject({ failedAt: "staging", error: expect.stringMatching(problem) });
			expect(existsSync(path.join(workFolder(request.attemptId), "ran"))).toBe(false);
		}
	});
});
