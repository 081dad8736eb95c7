import { mkdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { defined } from "#server/kernel/assert.ts";
import { aSpec, aStart, type ClusterHarness, eventually, find, untilPhase } from "../contract/cluster-harness.ts";
import { posixCommand } from "../contract/posix-job.ts";
import { SlurmDriver } from "./driver.ts";
import type { SlurmSettings } from "./settings.ts";
import { jobNameOf } from "./submission.ts";
import { type SlurmCluster, startSlurm } from "./testing/slurm-cluster.ts";
import { whyNoAccounting } from "./testing/slurm-programs.ts";

/** Not run by default: its start took 20 s on a busy host, and fair share a minute. */
const asked = process.env.SPILLWAY_CONTRACT_SLURM_ACCOUNTING === "1";
const missing = asked ? whyNoAccounting() : "npm run test:contract -- --driver slurm --with-accounting asks for it";
/** Any user of the host who is neither root nor an operator of the cluster. */
const OTHER = "games";
const GPUS = 4;

describe.skipIf(missing !== null)(`limits and accounts of a real slurmdbd${missing === null ? "" : ` (left out: ${missing})`}`, () => {
	let running: SlurmCluster | null = null;
	let sites = 0;
	let site: { folder: string; tokenFile: string };
	let h: ClusterHarness;
	const slurm = () => defined(running, "cluster");
	const accounts = (...args: string[]) => slurm().command("sacctmgr", "-i", ...args);
	const set = (...changes: string[]) => slurm().command("scontrol", "update", "partitionname=gpu", ...changes);
	const queue = (format: string) => slurm().command("squeue", "-h", "-o", format);

	beforeAll(async () => {
		running = await startSlurm({ nodes: 1, gpusPerNode: GPUS, accounting: true });
		for (const qos of ["two-each", "one-a-job"]) await accounts("add", "qos", qos);
		await accounts("modify", "qos", "two-each", "set", "MaxTRESPU=gres/gpu=2");
		await accounts("modify", "qos", "one-a-job", "set", "MaxTRESPerJob=gres/gpu=1", "Flags=DenyOnLimit");
		for (const account of ["research", "narrow", "others"]) await accounts("add", "account", account, "set", "fairshare=1");
		await accounts("modify", "account", "narrow", "set", "GrpTRES=gres/gpu=1");
		for (const account of ["research", "narrow"]) await accounts("add", "user", "root", `account=${account}`);
		await accounts("add", "user", OTHER, "account=others");
		await accounts("modify", "user", "root", "set", "qos+=two-each,one-a-job");
	});
	afterAll(() => running?.stop());

	const newDriver = (changes: Partial<SlurmSettings> = {}) =>
		new SlurmDriver("home", {
			...{ url: slurm().url, folder: site.folder, user: "root", token: { file: site.tokenFile }, accelerators: { h100: "H100-80GB" } },
			...{ pendingPollMs: 50, runningPollMs: 100, nodesPollMs: 50, exitSettleMs: 500, account: "research" },
			...changes,
		});
	/** What the harness looks at is this driver's. */
	const as = (changes: Partial<SlurmSettings>) => Object.assign(h, { driver: newDriver(changes) }).driver;

	beforeEach(async () => {
		sites += 1;
		const folder = path.join(slurm().shared, `site-${sites}`);
		site = { folder, tokenFile: path.join(slurm().shared, "..", `token-${sites}`) };
		await mkdir(folder);
		await writeFile(site.tokenFile, await slurm().token());
		h = {
			...{ driver: newDriver(), poolId: `gpu-h100x${GPUS}`, accelerator: "H100-80GB", slots: GPUS, command: posixCommand },
			...{ passTime: () => sleep(20), nowMs: Date.now, restart: async () => newDriver(), cleanup: async () => {} },
			features: { realProcesses: true, checkpointFolder: true },
		};
	});
	afterEach(async () => {
		await slurm().command("scancel", "--full", "--signal=KILL", "--user=root");
		for (const user of ["root", OTHER]) await slurm().command("scancel", `--user=${user}`);
		await eventually(h, "the queue is empty", async () => (await queue("%i")) === "");
	});

	const shell = (script: string, slots: number[]) =>
		aStart(h, { end: null }, { slots, spec: aSpec({ command: ["sh", "-c", script], gpus: slots.length }) });
	const jobIdOf = (attemptId: string) => slurm().command("squeue", "-h", "-t", "all", "-n", jobNameOf(attemptId), "-o", "%i");

	for (const { limit, changes, slots, reason } of [
		{
			limit: "of a QOS for each user",
			changes: { qos: "two-each" },
			slots: [
				[0, 1],
				[2, 3],
			],
			reason: "QOSMaxGRESPerUser",
		},
		{ limit: "of an account", changes: { account: "narrow" }, slots: [[0], [1]], reason: "AssocGrpGRES" },
	]) {
		it(`a limit ${limit} lets a job wait at Slurm, as staging, and start when the one before it is over`, async () => {
			const driver = as(changes);
			const [first, second] = slots.map((own, i) => shell(i === 0 ? "sleep 600" : "exit 3", own));
			await driver.start(defined(first, "first"));
			await untilPhase(h, defined(first, "first").attemptId, "running");
			const { attemptId } = defined(second, "second");
			await driver.start(defined(second, "second"));
			await eventually(h, "Slurm says why", async () => (await queue("%T %r")).split("\n").includes(`PENDING ${reason}`));
			expect((await find(driver, attemptId))?.phase).toBe("staging");
			await driver.stop(defined(first, "first").attemptId, 0);
			expect((await untilPhase(h, attemptId, "exited")).exit?.code).toBe(3);
		});
	}

	it("jobs of others that a limit of their account holds back are listed with Slurm's reason", async () => {
		await accounts("modify", "account", "others", "set", "GrpTRES=gres/gpu=0");
		try {
			const id = await slurm().commandAs(
				OTHER,
				slurm().shared,
				"sbatch",
				"--parsable",
				"--gres=gpu:h100:1",
				"-o",
				"/dev/null",
				"--wrap",
				"true",
			);
			const driver = as({ queuePollMs: 50 });
			const seen = async () => (await driver.observe()).foreign?.jobs.find((job) => job.id === id);
			await eventually(h, "it is listed", async () => (await seen())?.waitingReason === "AssocGrpGRES");
		} finally {
			await accounts("modify", "account", "others", "set", "GrpTRES=gres/gpu=-1");
		}
	});

	it("a request that a QOS with DenyOnLimit never grants is rejected as a quota, and nothing of it is left behind", async () => {
		const request = shell("exit 0", [0, 1]);
		const refused = { kind: "quota_exceeded", message: expect.stringMatching(/QOS|limit/i) };
		await expect(as({ qos: "one-a-job" }).start(request)).rejects.toMatchObject(refused);
		await expect(stat(path.join(site.folder, request.attemptId))).rejects.toMatchObject({ code: "ENOENT" });
		expect(await queue("%i")).toBe("");
	});

	for (const { what, changes } of [
		{ what: "an account that is not the user's", changes: { account: "others" } },
		{ what: "a QOS that is not the user's", changes: { qos: "unheard" } },
	]) {
		it(`${what} accepts none of our jobs, in Slurm's words`, async () => {
			const request = shell("exit 0", [0]);
			const refused = { name: "DriverError", kind: "invalid_request", message: expect.stringMatching(/account|qos/i) };
			await expect(as(changes).start(request)).rejects.toMatchObject(refused);
			await expect(stat(path.join(site.folder, request.attemptId))).rejects.toMatchObject({ code: "ENOENT" });
			expect(await queue("%i")).toBe("");
		});
	}

	for (const { limit, words } of [
		{ limit: "AllowAccounts=others", words: "Job's account not permitted to use this partition" },
		{ limit: "AllowQos=two-each", words: "Job's QOS not permitted to use this partition" },
	]) {
		// This is the behavior without EnforcePartLimits, Slurm's default.
		it(`a partition's ${limit} lets our job wait at Slurm, as staging, until the site lifts it`, async () => {
			await set(limit);
			try {
				const request = shell("exit 3", [0]);
				await h.driver.start(request);
				await eventually(h, "Slurm says why", async () => (await queue("%T %r")).startsWith(`PENDING ${words}`));
				expect((await find(h.driver, request.attemptId))?.phase).toBe("staging");
				await set("AllowAccounts=ALL", "AllowQos=ALL");
				expect((await untilPhase(h, request.attemptId, "exited")).exit?.code).toBe(3);
			} finally {
				await set("AllowAccounts=ALL", "AllowQos=ALL");
			}
		});
	}

	it("sacct has each job once by slurmdbd, with our account, exit code and GPUs, and the same seconds", async () => {
		const requests = [0, 1, 2].map((i) => shell(`sleep ${i}; exit ${i}`, [i]));
		for (const request of requests) await h.driver.start(request);
		for (const [code, { attemptId }] of requests.entries()) {
			const ended = await untilPhase(h, attemptId, "exited");
			const id = await jobIdOf(attemptId);
			const fields = "JobIDRaw,Account,ExitCode,Start,End,AllocTRES";
			const record = () => slurm().command("sacct", "-n", "-P", "-X", "-j", id, "-o", fields);
			await eventually(h, "slurmdbd has its end", async () => !(await record()).includes("Unknown") && (await record()) !== "");
			const [number, account, exitCode, start = "", end = "", gpus] = (await record()).split("|");
			expect([number, account, exitCode, gpus]).toEqual([id, "research", `${code}:0`, expect.stringContaining("gres/gpu=1")]);
			expect(ended.exit?.code).toBe(code);
			const second = (ms: number | null) => Math.floor((ms ?? Number.NaN) / 1_000);
			expect(second(ended.finishedAtMs)).toBe(second(Date.parse(`${end}Z`)));
			// A job that starts in the second of its submission is charged from that moment on.
			expect(second(ended.startedAtMs)).toBe(second(Date.parse(`${start}Z`)));
		}
	});

	it("a job of others that ended elsewhere is in sacct's listing as cancelled, without a second of cluster time", async () => {
		const script = path.join(slurm().shared, "away.sh");
		await writeFile(script, "#!/bin/sh\nsleep 600\n");
		await set("State=DOWN");
		const args = ["--parsable", "--comment=spillway", "--gres=gpu:h100:1", "-o", "/dev/null", script];
		const id = await slurm().commandAs(OTHER, slurm().shared, "sbatch", ...args);
		const queue = defined(as({ scontrol: ["env", `SLURM_CONF=${slurm().conf}`, "scontrol"] }).queue, "queue");
		expect(await queue.hold(id, "adp_1")).toMatchObject({ state: "held" });
		await set("State=UP");
		const outcome = { outcome: "succeeded", exitCode: 0, comment: "ran in the cloud as job_1: exit code 0" } as const;
		expect(await queue.finish(id, outcome)).toMatchObject({ state: "over" });
		const listing = ["sacct", "-n", "-P", "-X", "-u", OTHER, "-S", "now-1hours", "-o", "JobIDRaw,State,ElapsedRaw"] as const;
		const line = async () => (await slurm().command(...listing)).split("\n").find((each) => each.startsWith(`${id}|`));
		await eventually(h, "slurmdbd lists its end", async () => /^\d+\|CANCELLED by \d+\|0$/.test((await line()) ?? ""));
	});

	it("Slurm's fair-share order is kept: the job of an account that used less starts before ours", async () => {
		const used = shell("sleep 3", [0, 1, 2, 3]);
		await h.driver.start(used);
		await untilPhase(h, used.attemptId, "exited");
		const all = ["--parsable", "--gres=gpu:h100:4", "-o", "/dev/null"];
		const blocker = await slurm().command("sbatch", ...all, "-A", "research", "--wrap", "sleep 600");
		await eventually(h, "all GPUs are taken", async () => (await queue("%T")) === "RUNNING");
		const ours = shell("sleep 1", [0, 1, 2, 3]);
		await h.driver.start(ours);
		const id = await jobIdOf(ours.attemptId);
		const theirs = await slurm().commandAs(OTHER, slurm().shared, "sbatch", ...all, "--wrap", "sleep 1");
		const priorityOf = async (job: string) => Number(await slurm().command("squeue", "-h", "-j", job, "-o", "%Q"));
		const deadlineMs = Date.now() + 600_000;
		while ((await priorityOf(theirs)) <= (await priorityOf(id)) && Date.now() < deadlineMs) await sleep(500);
		expect(await priorityOf(theirs)).toBeGreaterThan(await priorityOf(id));
		await slurm().command("scancel", blocker);
		await untilPhase(h, ours.attemptId, "exited");
		const starts = (await slurm().command("squeue", "-h", "-t", "CD", "-j", `${id},${theirs}`, "-o", "%S %A")).split("\n");
		expect(starts.toSorted().map((line) => line.split(" ")[1])).toEqual([theirs, id]);
	});
});
