import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JobSpec } from "#server/domain/job.ts";
import { aSpec, aStart, type ClusterHarness, readAll, untilPhase } from "../contract/cluster-harness.ts";
import { posixCommand } from "../contract/posix-job.ts";
import { attemptFolder, attemptsFolder } from "./attempt-folder.ts";
import { uidOf, whyNotOtherUsers } from "./job-user.ts";
import { LocalDriver } from "./local-driver.ts";

let home: string;
let driver: LocalDriver;
let h: ClusterHarness;

beforeEach(async () => {
	home = await mkdtemp(path.join(tmpdir(), "spillway-job-user-"));
	await chmod(home, 0o711);
	await writeFile(path.join(home, "secrets.json"), "the secret", { mode: 0o600 });
	driver = new LocalDriver("local", { home, slots: 4, accelerator: "A10G-24GB" });
	h = {
		...{ driver, poolId: "local", accelerator: "A10G-24GB", slots: 4, command: posixCommand },
		...{ passTime: async () => {}, nowMs: Date.now, restart: async () => driver, cleanup: async () => {} },
		features: { realProcesses: true, checkpointFolder: true },
	};
});
afterEach(async () => {
	await driver.close({ stopJobs: true, graceMs: 0 });
	await rm(home, { recursive: true, force: true });
});

const start = async (script: string, slot: number, changes: Omit<Partial<JobSpec>, "command"> = {}): Promise<string> => {
	const request = aStart(h, { end: null }, { slots: [slot], spec: aSpec({ command: ["sh", "-c", script], gpus: 1, ...changes }) });
	await driver.start(request);
	return request.attemptId;
};
const uidOfAttempt = (attemptId: string): number => uidOf(attemptFolder(attemptsFolder(home), attemptId));
const runningAs = (uid: number): string[] =>
	spawnSync("ps", ["-o", "stat=,args=", "-u", String(uid)], { encoding: "utf8" })
		.stdout.split("\n")
		.filter((line) => /^[^Z]/.test(line));
const outputOf = async (script: string, slot: number, changes: Omit<Partial<JobSpec>, "command"> = {}): Promise<string[]> => {
	const attemptId = await start(script, slot, changes);
	const { exit } = await untilPhase(h, attemptId, "exited");
	return [...(await readAll(driver, attemptId)).map(({ text }) => text), exit?.error ?? ""].filter((text) => text !== "");
};

it("reports why jobs run as its own user", () => {
	const own = process.getuid?.() === 0 ? `other users may not enter ${home}/none` : "Spillway does not run as root";
	expect(whyNotOtherUsers(path.join(home, "none"))).toContain(own);
});

describe.runIf(process.getuid?.() === 0)("under root, a job", () => {
	it("runs as its own user and keeps its environment", async () => {
		const env = { UID: "5", QUOTED: 'a\'b "c" $d\n`e`' };
		const script =
			'id -u; id -G; printf "%s\\n" "$QUOTED"; echo "$LOGNAME"; : > "$SPILLWAY_CHECKPOINT_DIR/step"; : > "$TMPDIR/x"; : > here';
		const attemptId = await start(script, 2, { env });
		await untilPhase(h, attemptId, "exited");
		const uid = String(uidOfAttempt(attemptId));
		expect((await readAll(driver, attemptId)).map(({ text }) => text)).toEqual([uid, uid, 'a\'b "c" $d', "`e`", "spillway-job"]);
	});

	it("reads neither the installation's secrets nor another job's folder, and controls no process of Spillway", async () => {
		const other = await start("echo private > file; chmod 644 file; sleep 600", 0, { env: { LD_PRELOAD: "" } });
		await untilPhase(h, other, "running");
		const folder = path.join(home, "sites", "local", other);
		const supervisor = Number.parseInt(await readFile(path.join(folder, "state", "pid"), "utf8"), 10);
		expect(await readFile(`/proc/${supervisor}/environ`, "utf8")).not.toContain("LD_PRELOAD");
		const tries = [
			`cat ${home}/secrets.json`,
			`ls ${home} ${home}/sites/local`,
			`cat ${folder}/work/file`,
			`cat ${folder}/request.json ../request.json`,
			`echo 0 > ../state/exit`,
			`cat /proc/${process.pid}/environ`,
			`kill -0 ${process.pid}`,
		];
		const script = tries.map((line) => `(${line}) >/dev/null 2>&1 && echo '${line.replace(home, "")}'`).join("\n");
		expect(await outputOf(`${script}\necho done`, 1)).toEqual(["done"]);
	});

	it("cannot read the folder of an ended attempt in the same slot", async () => {
		const before = await start("echo private > file; chmod 644 file", 3);
		await untilPhase(h, before, "exited");
		const file = path.join(home, "sites", "local", before, "work", "file");
		expect((await stat(file)).uid).toBe(uidOfAttempt(before));
		expect(await outputOf(`cat ${file} 2>/dev/null || echo refused`, 3)).toEqual(["refused"]);
	});

	it("leaves no process behind, even in another session without its environment", async () => {
		const away = "env -i setsid sh -c 'sleep 600 & touch away; wait'";
		const attemptId = await start(`(${away} &); while [ ! -e away ]; do sleep 0.01; done; echo done`, 1);
		await untilPhase(h, attemptId, "exited");
		expect((await readAll(driver, attemptId)).map(({ text }) => text)).toEqual(["done"]);
		await expect.poll(() => runningAs(uidOfAttempt(attemptId))).toEqual([]);
	});

	it("gets only data that its user may read", async () => {
		const set = path.join(home, "set");
		await mkdir(set);
		await writeFile(path.join(set, "rows"), "1");
		const data = (file: string) => ({ data: [{ uri: pathToFileURL(file).href, mount: "/data", sizeGiB: null, residency: [] }] });
		expect(await outputOf("cat data/rows; echo 2 > data/rows && rm data/rows && echo changed", 0, data(set))).toEqual(["1changed"]);
		const [refusal] = await outputOf("cat data", 1, data(path.join(home, "secrets.json")));
		expect(refusal).toMatch(/secrets\.json.*Permission denied/);
	});
});
