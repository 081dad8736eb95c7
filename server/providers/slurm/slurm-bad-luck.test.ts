import { mkdir, readFile, readlink, rename, stat, unlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { defined } from "#server/kernel/assert.ts";
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
	untilStopped,
} from "../contract/cluster-harness.ts";
import { posixCommand } from "../contract/posix-job.ts";
import type { StartAttempt } from "../driver.ts";
import { slurmPaths } from "./attempt-files.ts";
import { SlurmDriver } from "./driver.ts";
import type { SlurmSettings } from "./settings.ts";
import { slurmSiteKind } from "./site-kind.ts";
import { jobNameOf } from "./submission.ts";
import { type SlurmCluster, startSlurm } from "./testing/slurm-cluster.ts";
import { whyNoSlurm } from "./testing/slurm-programs.ts";

const missing = whyNoSlurm();
/** Any user of the host who is neither root nor an operator of the cluster. */
const OTHER = "games";
const AS_OTHER = [`--reuid=${OTHER}`, `--regid=${OTHER}`, "--init-groups"];

describe.skipIf(missing !== null)(`bad luck on a real Slurm${missing === null ? "" : ` (left out: ${missing})`}`, () => {
	let running: SlurmCluster | null = null;
	let sites = 0;
	let site: { folder: string; tokenFile: string };
	let h: ClusterHarness;
	const slurm = () => defined(running, "cluster");

	beforeAll(async () => {
		running = await startSlurm({ nodes: 2, gpusPerNode: 4 });
	});
	afterAll(() => running?.stop());

	const settings = (): SlurmSettings => ({
		...{ url: slurm().url, folder: site.folder, user: "root", token: { file: site.tokenFile }, accelerators: { h100: "H100-80GB" } },
		...{ pendingPollMs: 50, runningPollMs: 100, nodesPollMs: 50, exitSettleMs: 500 },
	});
	const newDriver = (changes: Partial<SlurmSettings> = {}) => new SlurmDriver("home", { ...settings(), ...changes });

	beforeEach(async () => {
		sites += 1;
		const folder = path.join(slurm().shared, `site-${sites}`);
		site = { folder, tokenFile: path.join(slurm().shared, "..", `token-${sites}`) };
		await mkdir(folder);
		await writeFile(site.tokenFile, await slurm().token());
		h = {
			...{ driver: newDriver(), poolId: "gpu-h100x4", accelerator: "H100-80GB", slots: 8, command: posixCommand },
			...{ passTime: () => sleep(20), nowMs: Date.now, restart: async () => newDriver(), cleanup: async () => {} },
			features: { realProcesses: true, checkpointFolder: true },
		};
	});
	afterEach(async () => {
		await slurm().command("scancel", "--full", "--signal=KILL", "--user=root");
		await slurm().command("scancel", "--user=root");
		await eventually(h, "the queue is empty", async () => (await slurm().command("squeue", "-h")) === "");
	});

	const shell = (script: string, changes: Partial<StartAttempt["spec"]> = {}, slots = [0]) =>
		aStart(
			h,
			{ end: null },
			{ slots, spec: aSpec({ command: ["sh", "-c", script], gpus: slots.length / (changes.nodes ?? 1), ...changes }) },
		);
	const textOf = async (attemptId: string) => (await readAll(h.driver, attemptId)).map((l) => l.text);
	const jobIdOf = (attemptId: string) => slurm().command("squeue", "-h", "-t", "all", "-n", jobNameOf(attemptId), "-o", "%i");

	/** Slurm saves its state some seconds late; a new controller forgets everything else. */
	async function writtenDown(attemptId: string): Promise<void> {
		const sinceMs = Date.now();
		await slurm().command("scontrol", "update", `jobid=${await jobIdOf(attemptId)}`, "comment=x");
		const state = path.join(slurm().shared, "../state/job_state");
		await eventually(h, "Slurm has written the job down", async () => (await stat(state)).mtimeMs > sinceMs);
	}

	describe("the cluster", () => {
		it("goes on while slurmctld is killed and started again: nothing is concluded from its silence", async () => {
			const live = aStart(h, untilStopped({ exitCode: 7 }));
			await h.driver.start(live);
			const before = await untilPhase(h, live.attemptId, "running");
			await untilPrinted(h, live.attemptId, READY);
			await writtenDown(live.attemptId);
			await slurm().killController();
			await expect(newDriver().observe()).rejects.toMatchObject({ name: "DriverError", kind: "transient" });
			const meanwhile = aStart(h, { print: { stdout: ["once"] }, end: { code: 0 } }, { slots: [1] });
			await expect(h.driver.start(meanwhile)).rejects.toMatchObject({ name: "DriverError", kind: "transient" });
			await slurm().startController();
			expect(await find(h.driver, live.attemptId)).toEqual(before);
			await h.driver.start(meanwhile);
			await untilPhase(h, meanwhile.attemptId, "exited");
			expect(await textOf(meanwhile.attemptId)).toEqual(["once"]);
			await h.driver.stop(live.attemptId, 60_000);
			expect((await untilPhase(h, live.attemptId, "exited")).exit?.code).toBe(7);
		});

		it("forgets that a job ran because its controller was killed before saving that: it is lost and does not run twice", async () => {
			// Still running when it is written down: an ended job takes no comment.
			const filler = shell("exec sleep 600");
			await h.driver.start(filler);
			await writtenDown(filler.attemptId);
			const live = aStart(h, untilStopped("die"), { slots: [1] });
			await h.driver.start(live);
			await untilPrinted(h, live.attemptId, READY);
			await slurm().killController();
			await slurm().startController();
			await untilPhase(h, live.attemptId, "lost");
			expect((await textOf(live.attemptId)).filter((line) => line === READY)).toHaveLength(1);
			// Its number is reused, and a node of 24.11 accepts no number that it was asked to forget.
			await slurm().command("sbatch", "-o", "/dev/null", "--wrap", "true");
		});

		it("is unavailable while slurmrestd is down, and the next call finds it again", async () => {
			await slurm().killRest();
			await expect(h.driver.observe()).rejects.toMatchObject({ kind: "transient", message: expect.stringContaining("does not answer") });
			await slurm().startRest();
			expect((await h.driver.observe()).pools.map((p) => p.id)).toEqual(["gpu-h100x4"]);
		});

		it("loses a node: the attempt on it is lost, its GPUs are unavailable, and Slurm does not run it again", async () => {
			const request = aStart(h, untilStopped());
			await h.driver.start(request);
			await untilPhase(h, request.attemptId, "running");
			const node = await slurm().command("squeue", "-h", "-n", jobNameOf(request.attemptId), "-o", "%N");
			await slurm().command("scontrol", "update", `nodename=${node}`, "state=down", "reason=test");
			await untilPhase(h, request.attemptId, "lost");
			expect((await slurm().command("squeue", "-h", "-t", "all", "-n", jobNameOf(request.attemptId), "-o", "%T")).split("\n")).toEqual([
				"NODE_FAIL",
			]);
		});

		it("loses GPUs of a node: none of it is assigned until they are back, and jobs elsewhere keep running", async () => {
			const request = aStart(h, untilStopped({ exitCode: 7 }));
			await h.driver.start(request);
			await untilPhase(h, request.attemptId, "running");
			await untilPrinted(h, request.attemptId, READY);
			const busy = await slurm().command("squeue", "-h", "-n", jobNameOf(request.attemptId), "-o", "%N");
			const idle = defined(
				slurm().nodes.find((node) => node !== busy),
				"node",
			);
			const unavailable = async () => (await h.driver.observe()).pools.map((pool) => pool.unavailableSlots.length);
			try {
				await slurm().restartNode(idle, 2);
				await eventually(h, "the node's GPUs are missing", async () => (await unavailable()).join() === "4");
				expect(await slurm().command("sinfo", "-h", "-n", idle, "-o", "%T %E")).toMatch(
					/gres\/gpu count reported lower than configured \(2 < 4\)/,
				);
				expect(await find(h.driver, request.attemptId)).toMatchObject({ phase: "running" });
				expect((await h.driver.observe()).nodes.find((n) => n.name === idle)).toMatchObject({
					...{ state: "down", gpus: 4, gpusUsed: 0 },
					reason: expect.stringMatching(/INVAL.*: gres\/gpu count reported lower than configured \(2 < 4\)/),
				});
			} finally {
				await slurm().restartNode(idle, 4);
				// An administrator resumes it, once it has reported that it is complete.
				const state = () => slurm().command("sinfo", "-h", "-n", idle, "-o", "%T");
				await eventually(h, "it is only drained", async () => (await state()) === "drained");
				await slurm().command("scontrol", "update", `nodename=${idle}`, "state=resume");
			}
			await eventually(h, "the node's GPUs are back", async () => (await unavailable()).join() === "0");
			await h.driver.stop(request.attemptId, 60_000);
			expect((await untilPhase(h, request.attemptId, "exited")).exit?.code).toBe(7);
		});

		it("drains a node: as many slots as it has free GPUs are unavailable", async () => {
			const [node = ""] = slurm().nodes;
			await slurm().command("scontrol", "update", `nodename=${node}`, "state=drain", "reason=test");
			try {
				const pool = await eventually(h, "the node is seen to drain", async () => {
					const [seen] = (await h.driver.observe()).pools;
					return seen && seen.unavailableSlots.length > 0 ? seen : null;
				});
				expect(pool.unavailableSlots).toEqual([0, 1, 2, 3]);
				const { nodes } = await h.driver.observe();
				expect(nodes.find((n) => n.name === node)).toMatchObject({ state: "closed", reason: "IDLE+DRAIN: test" });
				expect(nodes.filter((n) => n.name !== node && n.state !== "ready")).toEqual([]);
			} finally {
				await slurm().command("scontrol", "update", `nodename=${node}`, "state=resume");
			}
		});
	});

	describe("the token", () => {
		it("that has expired is reported, and replaced as soon as a new one exists", async () => {
			await writeFile(site.tokenFile, await slurm().token(1));
			const driver = newDriver();
			const refused = await eventually(h, "the token is over", () =>
				newDriver()
					.observe()
					.then(
						() => null,
						(error: unknown) => error,
					),
			);
			expect(refused).toMatchObject({ kind: "unauthorized", message: expect.stringContaining(site.tokenFile) });
			await expect(driver.observe()).rejects.toMatchObject({ kind: "unauthorized" });
			await writeFile(site.tokenFile, `SLURM_JWT=${await slurm().token()}\n`);
			expect((await driver.observe()).pools).toHaveLength(1);
		});

		it("that Slurm rejects is replaced by the current one", async () => {
			const good = await slurm().token();
			await writeFile(site.tokenFile, `${good.slice(0, -6)}AAAAAA`);
			const driver = newDriver();
			await expect(driver.observe()).rejects.toMatchObject({ message: expect.stringContaining("token has expired") });
			await writeFile(site.tokenFile, good);
			expect((await driver.observe()).pools).toHaveLength(1);
		});

		it("comes from a command too", async () => {
			const driver = newDriver({ token: { command: ["cat", site.tokenFile] } });
			expect((await driver.observe()).pools).toHaveLength(1);
			await expect(newDriver({ token: { command: ["false"] } }).observe()).rejects.toMatchObject({ kind: "unauthorized" });
		});
	});

	describe("the check of a site", () => {
		const checked = async (changes: Record<string, unknown>) => {
			const found = slurmSiteKind().check({
				siteId: "home",
				settings: { ...settings(), ...changes },
				credentials: null,
				controlPlane: "test",
			});
			const steps = await Array.fromAsync(found);
			return Object.fromEntries(steps.map((step) => [step.id, `${step.outcome}: ${step.found}`]));
		};

		it("shows what it found in each step", async () => {
			const steps = await checked({ scontrol: ["env", `SLURM_CONF=${slurm().conf}`, "scontrol"] });
			expect(steps).toEqual({
				version: expect.stringMatching(/^passed: http:.* speaks v0\.0\.\d+\.$/),
				identity: "passed: Slurm shows 2 nodes to root.",
				partitions: "passed: Used: gpu.",
				pools: "passed: Pools: gpu-h100x4 (2 × 4 H100-80GB).",
				folder: `passed: ${site.folder} is writable from this host, and jobs run as the same user id ${process.getuid?.()}.`,
				adoption: expect.stringContaining("passed: scontrol reaches the cluster"),
			});
		});

		it("reports what is wrong in each, and tries nothing with a token that Slurm rejects", async () => {
			const wrong = { partitions: ["debug"], accelerators: { a100: "A100-80GB" }, folder: path.join(site.folder, "unmounted") };
			expect(await checked({ ...wrong, scontrol: ["false"] })).toMatchObject({
				partitions: "failed: Missing or down: debug. Up: gpu.",
				pools: expect.stringContaining("Types of its nodes: h100; partitions: gpu."),
				folder: expect.stringMatching(/^failed: .*unmounted is not a folder on this host/),
				adoption: expect.stringContaining("failed: Slurm: false ping"),
			});
			await writeFile(site.tokenFile, "a.b.c");
			expect(await checked({})).toMatchObject({
				identity: expect.stringMatching(/^failed: /),
				pools: expect.stringMatching(/^skipped: /),
			});
		});
	});

	describe("behind our back", () => {
		it("a running job is cancelled: its end is a signal, and it does not count as lost", async () => {
			const request = aStart(h, untilStopped("die"));
			await h.driver.start(request);
			await untilPrinted(h, request.attemptId, READY);
			await slurm().command("scancel", await jobIdOf(request.attemptId));
			expect((await untilPhase(h, request.attemptId, "exited")).exit).toEqual({ code: null, signal: "SIGTERM", error: null });
		});

		it("a pending job is cancelled: it ends with a sentence about that", async () => {
			await slurm().command("scontrol", "update", "partitionname=gpu", "state=down");
			try {
				// A pool of a partition that is down accepts nothing: it went down a moment after our reading.
				const driver = newDriver({ nodesPollMs: 60_000 });
				const request = aStart(h, { end: { code: 0 } });
				await slurm().command("scontrol", "update", "partitionname=gpu", "state=up");
				await driver.observe();
				await slurm().command("scontrol", "update", "partitionname=gpu", "state=down");
				await driver.start(request);
				await slurm().command("scancel", await jobIdOf(request.attemptId));
				const ended = await untilPhase(h, request.attemptId, "exited", driver);
				expect(ended).toMatchObject({
					startedAtMs: null,
					exit: { failedAt: "start", error: expect.stringContaining("was cancelled in the cluster") },
				});
			} finally {
				await slurm().command("scontrol", "update", "partitionname=gpu", "state=up");
			}
		});

		it("a pending job is held: it is staging until it is released, and then runs once", async () => {
			const request = shell("echo here; exit 0");
			const blocker = await slurm().command("sbatch", "--parsable", "-N2", "--gres=gpu:h100:4", "-o", "/dev/null", "--wrap", "sleep 60");
			try {
				await h.driver.start(request);
				const id = await jobIdOf(request.attemptId);
				await slurm().command("scontrol", "hold", id);
				await slurm().command("scancel", blocker);
				await eventually(h, "it is held", async () => (await slurm().command("squeue", "-h", "-o", "%r")) === "JobHeldAdmin");
				const clusterWait = { reason: "JobHeldAdmin", detail: "" };
				await eventually(
					h,
					"it is reported",
					async () => (await find(h.driver, request.attemptId))?.clusterWait?.reason === clusterWait.reason,
				);
				expect(await find(h.driver, request.attemptId)).toMatchObject({ phase: "staging", clusterWait });
				await slurm().command("scontrol", "release", id);
				await untilPhase(h, request.attemptId, "exited");
				expect(await textOf(request.attemptId)).toEqual(["here"]);
			} finally {
				await slurm().command("scancel", blocker);
			}
		});

		it("a limit of the partition makes a job wait, as the site's user's, until the site lifts it", async () => {
			await slurm().command("scontrol", "update", "partitionname=gpu", "MaxTime=5");
			try {
				const request = shell("exit 0", { duration: { estimateMs: null, maxMs: 3_600_000 } });
				await h.driver.start(request);
				const said = () => slurm().command("squeue", "-h", "-o", "%u %r");
				await eventually(h, "Slurm says why", async () => (await said()) === "root PartitionTimeLimit");
				const waits = async () => (await find(h.driver, request.attemptId))?.clusterWait?.reason === "PartitionTimeLimit";
				await eventually(h, "it is reported", waits);
				expect((await find(h.driver, request.attemptId))?.phase).toBe("staging");
				await slurm().command("scontrol", "update", "partitionname=gpu", "MaxTime=INFINITE");
				expect((await untilPhase(h, request.attemptId, "exited")).exit?.code).toBe(0);
			} finally {
				await slurm().command("scontrol", "update", "partitionname=gpu", "MaxTime=INFINITE");
			}
		});

		it("a limit that the site enforces at submission is a rejection with Slurm's message: the job may run elsewhere", async () => {
			const conf = slurm().conf;
			const before = await readFile(conf, "utf8");
			await writeFile(conf, `${before}EnforcePartLimits=ALL\n`);
			try {
				await slurm().command("scontrol", "reconfigure");
				await slurm().command("scontrol", "update", "partitionname=gpu", "MaxTime=5");
				const request = shell("exit 0", { duration: { estimateMs: null, maxMs: 3_600_000 } });
				const refused = { kind: "quota_exceeded", message: expect.stringContaining("Requested time limit is invalid") };
				await expect(h.driver.start(request)).rejects.toMatchObject(refused);
				await expect(stat(path.join(site.folder, request.attemptId))).rejects.toMatchObject({ code: "ENOENT" });
				expect(await slurm().command("squeue", "-h")).toBe("");
			} finally {
				await writeFile(conf, before);
				await slurm().command("scontrol", "reconfigure");
				await slurm().command("scontrol", "update", "partitionname=gpu", "MaxTime=INFINITE");
			}
		});

		it("what a partition can never grant is rejected with Slurm's message, and nothing of it is left behind; from 24.11 on it waits until the site lifts the limit", async () => {
			const refuses = (await slurm().command("sinfo", "-V")).includes("22.05");
			await slurm().command("scontrol", "update", "partitionname=gpu", "MaxNodes=1");
			try {
				const request = shell("exit 0", { nodes: 2 }, [0, 4]);
				if (!refuses) {
					await h.driver.start(request);
					const { attemptId } = request;
					await eventually(
						h,
						"Slurm says why",
						async () => (await find(h.driver, attemptId))?.clusterWait?.reason === "PartitionNodeLimit",
					);
					await slurm().command("scontrol", "update", "partitionname=gpu", "MaxNodes=UNLIMITED");
					expect((await untilPhase(h, attemptId, "exited")).exit?.code).toBe(0);
					return;
				}
				const refused = { kind: "invalid_request", message: expect.stringContaining("node configuration is not available") };
				await expect(h.driver.start(request)).rejects.toMatchObject(refused);
				await expect(stat(path.join(site.folder, request.attemptId))).rejects.toMatchObject({ code: "ENOENT" });
				expect(await slurm().command("squeue", "-h")).toBe("");
			} finally {
				await slurm().command("scontrol", "update", "partitionname=gpu", "MaxNodes=UNLIMITED");
			}
		});

		it("a job is requeued although that is disabled: its run is lost, and it does not run twice", async () => {
			const request = aStart(h, untilStopped("die"));
			await h.driver.start(request);
			await untilPrinted(h, request.attemptId, READY);
			const id = await jobIdOf(request.attemptId);
			await expect(slurm().command("scontrol", "requeue", id)).rejects.toThrow();
			await slurm().command("scontrol", "update", `jobid=${id}`, "requeue=1");
			await slurm().command("scontrol", "requeue", id);
			await untilPhase(h, request.attemptId, "lost");
			expect((await textOf(request.attemptId)).filter((line) => line === READY)).toHaveLength(1);
		});

		it("jobs with lost responses are found again by their names and not submitted twice", async () => {
			const requests = [0, 1, 2].map((slot) => shell("echo here; exit 0", {}, [slot]));
			await Promise.all(requests.map((request) => h.driver.start(request)));
			const ids = () => Promise.all(requests.map(({ attemptId }) => jobIdOf(attemptId)));
			const before = await ids();
			for (const [i, { attemptId }] of requests.entries()) {
				const { submitted } = slurmPaths(site.folder, attemptId);
				expect(await readlink(submitted)).toMatch(new RegExp(`^${before[i]} \\d+$`));
				// As if the scheduler died between the submission and its response.
				await unlink(submitted);
			}
			const next = newDriver();
			await next.observe();
			for (const { attemptId } of requests) await untilPhase(h, attemptId, "exited", next);
			expect(await ids()).toEqual(before);
		});

		it("a job with a request and note lost with its host is also found again by its name", async () => {
			const request = shell("echo here; exit 0");
			await h.driver.start(request);
			const paths = slurmPaths(site.folder, request.attemptId);
			await writeFile(paths.request, "");
			await unlink(paths.submitted);
			const next = newDriver();
			expect((await next.observe()).attempts).toEqual([]);
			await next.start(request);
			await untilPhase(h, request.attemptId, "exited", next);
			expect((await jobIdOf(request.attemptId)).split("\n")).toHaveLength(1);
			expect(await textOf(request.attemptId)).toEqual(["here"]);
		});

		it("a job that another process has submitted since we read the folder is not submitted again", async () => {
			const late = newDriver();
			await late.observe();
			const request = shell("echo here; exit 0");
			await h.driver.start(request);
			await late.start(request);
			await untilPhase(h, request.attemptId, "exited", late);
			expect((await jobIdOf(request.attemptId)).split("\n")).toHaveLength(1);
			expect(await textOf(request.attemptId)).toEqual(["here"]);
		});

		it("a job that Slurm has twice runs once, whichever begins first", async () => {
			const request = shell("echo here; sleep 1; exit 3");
			await h.driver.start(request);
			const script = path.join(site.folder, "twin.sh");
			await slurm().command("scontrol", "write", "batch_script", await jobIdOf(request.attemptId), script);
			await slurm().command("sbatch", "-o", "/dev/null", "-J", jobNameOf(request.attemptId), script);
			expect((await untilPhase(h, request.attemptId, "exited")).exit?.code).toBe(3);
			expect(await textOf(request.attemptId)).toEqual(["here"]);
		});

		it("jobs of other users take GPUs, are not our attempts, and are listed as the cluster's own queue", async () => {
			const ours = aStart(h, untilStopped());
			await h.driver.start(ours);
			await untilPhase(h, ours.attemptId, "running");
			const theirs = (name: string, ...more: string[]) =>
				slurm().command("sbatch", "--wrap", "sleep 60", "-o", "/dev/null", "-J", name, "--gres=gpu:h100:3", "-t", "5", ...more);
			await theirs("runs");
			await theirs("held", "--hold", "-N", "2");
			const seen = await eventually(h, "their GPUs are missing", async () => {
				const now = await h.driver.observe();
				return now.pools[0]?.unavailableSlots.length === 3 ? now : null;
			});
			expect(seen.attempts.map((a) => a.attemptId)).toEqual([ours.attemptId]);
			expect((await newDriver().observe()).foreign?.jobs).toMatchObject([
				{ name: "runs", user: "root", partition: "gpu", state: "running", waitingReason: null, nodes: 1, gpus: 3, timeLimitMs: 300_000 },
				{ name: "held", state: "held", waitingReason: "JobHeldUser", nodes: 2, gpus: 6, startedAtMs: null },
			]);
		});
	});

	describe("the site's own users, limits and priorities", () => {
		const set = (...changes: string[]) => slurm().command("scontrol", "update", ...changes);
		const whole = ["--parsable", "-N2", "--gres=gpu:h100:4", "-o", "/dev/null"];
		const blocked = async () => {
			const id = await slurm().command("sbatch", ...whole, "--wrap", "sleep 60");
			await eventually(h, "all GPUs are taken", async () => (await slurm().command("squeue", "-h", "-j", id, "-o", "%T")) === "RUNNING");
			return id;
		};

		it("a partition that is not open to our user's groups accepts none of our jobs", async () => {
			await writeFile(site.tokenFile, await slurm().token(3_600, OTHER));
			const driver = newDriver({ user: OTHER });
			await set("partitionname=gpu", "AllowGroups=root");
			try {
				const request = shell("exit 0");
				// From 24.11 on such a partition is not even visible to them.
				const words = /group not permitted to use this partition|has no GPUs of/;
				const refused = { kind: "invalid_request", message: expect.stringMatching(words) };
				await expect(driver.start(request)).rejects.toMatchObject(refused);
				await expect(stat(path.join(site.folder, request.attemptId))).rejects.toMatchObject({ code: "ENOENT" });
				expect(await slurm().command("squeue", "-h")).toBe("");
			} finally {
				await set("partitionname=gpu", "AllowGroups=ALL");
			}
		});

		it("our jobs are our user's, who can do nothing to those of others", async () => {
			await writeFile(site.tokenFile, await slurm().token(3_600, OTHER));
			const blocker = await blocked();
			const request = shell("exit 0");
			const driver = newDriver({ user: OTHER, scontrol: ["env", `SLURM_CONF=${slurm().conf}`, "setpriv", ...AS_OTHER, "scontrol"] });
			await driver.start(request);
			expect(await slurm().command("squeue", "-h", "-j", await jobIdOf(request.attemptId), "-o", "%u")).toBe(OTHER);
			const theirs = await slurm().command("sbatch", ...whole, "--comment=spillway", "--wrap", "true");
			await expect(defined(driver.queue, "queue").hold(theirs, "adp_1")).rejects.toMatchObject({ name: "DriverError" });
			expect(await slurm().command("squeue", "-h", "-j", theirs, "-o", "%r")).not.toMatch(/Held/);
			await slurm().command("scancel", blocker, theirs);
		});

		it("Slurm's order is kept: a job of others that an operator prefers starts before ours, and one that is nice after it", async () => {
			const blocker = await blocked();
			const nice = await slurm().command("sbatch", ...whole, "--nice=1000", "--wrap", "sleep 1");
			const request = shell("sleep 1", { nodes: 2 }, [0, 1, 2, 3, 4, 5, 6, 7]);
			await h.driver.start(request);
			const ours = await jobIdOf(request.attemptId);
			const preferred = await slurm().command("sbatch", ...whole, "--wrap", "sleep 1");
			await set(`jobid=${preferred}`, "priority=4294901770");
			const waiting = (await newDriver().observe()).foreign?.jobs.filter((job) => job.state === "waiting");
			expect(waiting?.map((job) => [job.id, job.position])).toEqual([
				[preferred, 0],
				[nice, 1],
			]);
			await slurm().command("scancel", blocker);
			await untilPhase(h, request.attemptId, "exited");
			await eventually(h, "all are over", async () => (await slurm().command("squeue", "-h")) === "");
			const starts = (await slurm().command("squeue", "-h", "-t", "CD", "-j", [nice, ours, preferred].join(","), "-o", "%S %A")).split(
				"\n",
			);
			expect(starts.toSorted().map((line) => line.split(" ")[1])).toEqual([preferred, ours, nice]);
		});
	});

	describe("jobs of others that wait for one that ran in the cloud", () => {
		const held = (...more: string[]) => slurm().command("sbatch", "--parsable", "--hold", "-o", "/dev/null", ...more, "--wrap", "true");
		const waiting = (dependency: string) =>
			slurm().command("sbatch", "--parsable", "-o", "/dev/null", `--dependency=${dependency}`, "--wrap", "true");
		const shown = async (id: string) => slurm().command("scontrol", "show", "job", id);
		const finished = async (driver: SlurmDriver, id: string, exitCode: number) => {
			const outcome = exitCode === 0 ? ("succeeded" as const) : ("failed" as const);
			await defined(driver.queue, "queue").finish(id, { outcome, exitCode, comment: `ran in the cloud as job_1: exit code ${exitCode}` });
		};
		const adopting = () => newDriver({ scontrol: ["env", `SLURM_CONF=${slurm().conf}`, "scontrol"], queuePollMs: 50 });

		it("stay on the cluster when their script is not encoded in UTF-8", async () => {
			const script = path.join(site.folder, "latin.sh");
			await writeFile(script, Buffer.from("#!/bin/sh\ncd /donn\u00e9es\n", "latin1"));
			const id = await slurm().command("sbatch", "--parsable", "--hold", "-o", "/dev/null", script);
			const read = await defined(adopting().queue, "queue").readScript(id);
			expect(read.obstacles).toEqual([expect.stringContaining("not UTF-8")]);
		});

		it("see how it ended there, whether they started to wait before or after", async () => {
			const driver = adopting();
			const [good, bad] = [await held(), await held()];
			const before = { ok: await waiting(`afterok:${good}`), notOk: await waiting(`afternotok:${good}`) };
			const failed = { ok: await waiting(`afterok:${bad}`), notOk: await waiting(`afternotok:${bad}`) };
			await driver.observe();
			await finished(driver, good, 0);
			await finished(driver, bad, 3);
			const late = await waiting(`afterok:${good}`);
			for (const id of [before.ok, failed.notOk, late]) {
				await eventually(h, `job ${id} ran`, async () => {
					await driver.observe();
					return (await shown(id)).includes("JobState=COMPLETED");
				});
			}
			expect(await shown(before.notOk)).toContain("never runs: job");
			expect(await shown(before.notOk)).toContain("JobState=PENDING");
			expect(await shown(failed.ok)).toContain("Reason=DependencyNeverSatisfied");
			await slurm().command("scancel", before.notOk, failed.ok);
		});

		it("wait for the other tasks of its array, and start after them", async () => {
			const driver = adopting();
			const array = await held("--array=1-3", "--comment=spillway");
			await slurm().command("scontrol", "update", `JobId=${array}_3`, "Comment=spillway");
			await driver.observe();
			const third = await eventually(h, "the third task has a number", async () => {
				const found = (await driver.observe()).foreign?.jobs.find((job) => job.array?.id === array && job.array.task === "3");
				return found?.id;
			});
			await finished(driver, third, 0);
			const late = await waiting(`afterok:${array}`);
			await eventually(h, "it waits for two tasks", async () => {
				await driver.observe();
				return /Dependency=afterok:\d+_1\(unfulfilled\),afterok:\d+_2\(unfulfilled\)/.test(await shown(late));
			});
			await slurm().command("scontrol", "release", `${array}_[1-2]`);
			await eventually(h, "it ran", async () => (await shown(late)).includes("JobState=COMPLETED"));
		});
	});

	describe("jobs of several nodes", () => {
		it("run once on each, with their GPUs, and end with the worst exit code", async () => {
			const request = shell(
				'echo "$SLURM_PROCID of $SLURM_NTASKS has $CUDA_VISIBLE_DEVICES"; echo "meet $NODE_RANK $NNODES $WORLD_SIZE $MASTER_ADDR"; ' +
					// A rank that fails ends the others, so it waits until the other has ended.
					'[ "$SLURM_PROCID" = 0 ] && { echo $$ > pid.new; mv pid.new pid; exit 0; }; until [ -e pid ]; do sleep 0.02; done; ' +
					'while kill -0 "$(cat pid)" 2>/dev/null; do sleep 0.02; done; exit 1',
				{ nodes: 2 },
				[0, 1, 4, 5],
			);
			await h.driver.start(request);
			const ended = await untilPhase(h, request.attemptId, "exited");
			expect((await textOf(request.attemptId)).filter((l) => l.includes(" of ")).toSorted()).toEqual(["0 of 2 has 0,1", "1 of 2 has 0,1"]);
			expect((await textOf(request.attemptId)).filter((l) => l.startsWith("meet ")).toSorted()).toEqual([
				"meet 0 2 4 127.0.0.1",
				"meet 1 2 4 127.0.0.1",
			]);
			expect(ended.exit?.code).toBe(1);
		});

		it("end with the code of the rank that failed first, and report which one it was", async () => {
			const request = shell('[ "$NODE_RANK" = 0 ] && while :; do sleep 0.02; done; exit 3', { nodes: 2 }, [0, 4]);
			await h.driver.start(request);
			expect((await untilPhase(h, request.attemptId, "exited")).exit).toEqual({ code: 3, signal: null, error: null });
			const said = (await textOf(request.attemptId)).find((line) => line.startsWith("spillway: "));
			expect(said).toMatch(/^spillway: rank 1 on \S+ failed first, with exit code 3; the others are ended with it$/);
		});
	});

	describe("jobs of several nodes that are stopped", () => {
		it("have their grace period on each: every rank gets one SIGTERM and saves", async () => {
			const script = `trap 'echo saved; exit 0' TERM; echo ${READY}; while :; do sleep 0.02; done`;
			const request = shell(script, { nodes: 2 }, [0, 4]);
			const countOf = async (line: string) => (await textOf(request.attemptId)).filter((text) => text === line).length;
			await h.driver.start(request);
			await eventually(h, "both are ready", async () => (await countOf(READY)) === 2);
			await h.driver.stop(request.attemptId, 60_000);
			expect((await untilPhase(h, request.attemptId, "exited")).exit).toEqual({ code: 0, signal: null, error: null });
			expect(await countOf("saved")).toBe(2);
		});

		it("are killed after it if they ignore SIGTERM", async () => {
			const request = shell(`trap '' TERM; echo ${READY}; while :; do sleep 0.02; done`, { nodes: 2 }, [0, 4]);
			await h.driver.start(request);
			await untilPrinted(h, request.attemptId, READY);
			await h.driver.stop(request.attemptId, 500);
			expect((await untilPhase(h, request.attemptId, "exited")).exit).toMatchObject({ signal: "SIGKILL" });
			await eventually(h, "Slurm has ended it", async () => (await slurm().command("squeue", "-h")) === "");
		});
	});

	it("does not take a missing folder for one without attempts", async () => {
		const driver = newDriver({ folder: path.join(site.folder, "unmounted") });
		await expect(driver.observe()).rejects.toMatchObject({
			kind: "transient",
			message: expect.stringContaining("does not exist; mount or create it"),
		});
	});

	it("creates no folder where the shared one was unmounted meanwhile", async () => {
		const driver = newDriver();
		await driver.observe();
		await rename(site.folder, `${site.folder}.away`);
		const refused = { kind: "transient", message: expect.stringContaining("does not exist; mount or create it") };
		await expect(driver.start(shell("true"))).rejects.toMatchObject(refused);
		await expect(stat(site.folder)).rejects.toMatchObject({ code: "ENOENT" });
	});
});
