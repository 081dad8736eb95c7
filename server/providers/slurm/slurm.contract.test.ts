import { execFile } from "node:child_process";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { defined } from "#server/kernel/assert.ts";
import { describeClusterDriverContract } from "../contract/cluster-contract.ts";
import { aSpec, aStart, type ClusterHarness, type MakeClusterHarness, readAll, untilPhase } from "../contract/cluster-harness.ts";
import { posixCommand } from "../contract/posix-job.ts";
import { SlurmDriver } from "./driver.ts";
import { type SlurmSettings, slurmSettingsSchema } from "./settings.ts";
import { type SlurmCluster, startSlurm } from "./testing/slurm-cluster.ts";
import { whyNoSlurm } from "./testing/slurm-programs.ts";

const run = promisify(execFile);

/** An existing cluster: a site's settings as JSON. Without it, a Slurm on this host is started. */
const given = process.env.SPILLWAY_CONTRACT_SLURM
	? slurmSettingsSchema.partial({ accelerators: true }).parse(JSON.parse(process.env.SPILLWAY_CONTRACT_SLURM))
	: null;
/** Another user there, and how their commands are run. With it, that cluster's own queue is tested too. */
const owner = process.env.SPILLWAY_CONTRACT_SLURM_OWNER
	? z.object({ user: z.string(), command: z.tuple([z.string()], z.string()) }).parse(JSON.parse(process.env.SPILLWAY_CONTRACT_SLURM_OWNER))
	: null;
const missing = given ? null : whyNoSlurm();
const ACCELERATOR = "H100-80GB";
/** Any user of the host who is neither root nor Spillway. */
const OTHER = "games";
const quick = { pendingPollMs: 50, runningPollMs: 200, nodesPollMs: 50, queuePollMs: 50, exitSettleMs: 1_000 };

describe.skipIf(missing !== null)(`a real Slurm${missing === null ? "" : ` (left out: ${missing})`}`, () => {
	let cluster: SlurmCluster | null = null;
	let started: Pick<SlurmSettings, "url" | "user" | "token" | "folder" | "scontrol"> | null = null;
	const settings = () => ({ accelerators: { h100: ACCELERATOR, gpu: ACCELERATOR }, ...defined(given ?? started, "settings") });

	beforeAll(async () => {
		if (given) return;
		cluster = await startSlurm({ nodes: 2, gpusPerNode: 4 });
		const file = path.join(cluster.shared, "..", "token");
		await writeFile(file, await cluster.token(), { mode: 0o600 });
		const scontrol = ["env", `SLURM_CONF=${cluster.conf}`, "scontrol"];
		started = { url: cluster.url, user: "root", token: { file }, folder: cluster.shared, scontrol };
	});
	afterAll(() => cluster?.stop());

	const makeHarness: MakeClusterHarness = async () => {
		const folder = await mkdtemp(path.join(settings().folder, "contract-"));
		const newDriver = () => new SlurmDriver("home", { ...settings(), folder, ...quick });
		const [pool] = (await newDriver().observe()).pools.filter((p) => p.gpusPerNode >= 4);
		const { id, accelerator, nodes, gpusPerNode } = z
			.object({ id: z.string(), accelerator: z.string(), nodes: z.number(), gpusPerNode: z.number() })
			.parse(pool);
		return {
			driver: newDriver(),
			poolId: id,
			accelerator,
			slots: nodes * gpusPerNode,
			command: posixCommand,
			passTime: () => sleep(20),
			nowMs: () => Date.now(),
			restart: async () => newDriver(),
			async cleanup() {
				if (cluster) {
					await cluster.command("scancel", "--full", "--signal=KILL", "--user=root");
					await cluster.command("scancel", "--user=root");
					await cluster.command("scancel", `--user=${OTHER}`);
				} else {
					await newDriver().close({ stopJobs: true, graceMs: 0 });
					if (owner) await commandsOf(owner)("scancel", `--user=${owner.user}`);
				}
				await rm(folder, { recursive: true, force: true, maxRetries: 5 });
			},
			...(cluster ? { theirs: await otherUser(cluster) } : owner ? { theirs: jobsOf(owner.user, commandsOf(owner)) } : {}),
			features: { realProcesses: true, checkpointFolder: true, secretFiles: true, timeStepMs: 1_000, letsWait: "Resources" },
		};
	};

	it.skipIf(given !== null)("gives a job the folder of its mount, and reports a missing one before the command runs", async () => {
		const harness = await makeHarness();
		const folder = await mkdtemp(path.join(settings().folder, "mounts-"));
		await writeFile(path.join(folder, "classes"), "tench");
		const mounts = [
			{ name: "image-net", type: "nfs" as const, source: folder },
			{ name: "gone", type: "lustre" as const, source: `${folder}/gone` },
		];
		const h = { ...harness, driver: new SlurmDriver("home", { ...settings(), folder, mounts, ...quick }) };
		const ended = async (name: string) => {
			const spec = aSpec({ command: ["sh", "-c", 'cat "$SPILLWAY_MOUNT_IMAGE_NET/classes"'], gpus: 1, mounts: [name] });
			const request = aStart(h, { end: null }, { slots: [0], spec });
			await h.driver.start(request);
			return { exit: (await untilPhase(h, request.attemptId, "exited")).exit, lines: await readAll(h.driver, request.attemptId) };
		};
		try {
			const { exit, lines } = await ended("image-net");
			expect({ code: exit?.code, lines: lines.map(({ text }) => text) }).toEqual({ code: 0, lines: ["tench"] });
			expect((await ended("gone")).exit).toMatchObject({
				failedAt: "staging",
				error: expect.stringMatching(/^mount gone is not available on the node/),
			});
			await expect(ended("other")).rejects.toThrow("the Slurm site has no mount other");
		} finally {
			await h.driver.close({ stopJobs: false, graceMs: 0 });
			await harness.cleanup();
			await rm(folder, { recursive: true, force: true, maxRetries: 5 });
		}
	});

	it.skipIf(given !== null)("starts a gang that needs a high-bandwidth interconnect", async () => {
		const h = await makeHarness();
		try {
			const spec = aSpec({ command: ["true"], gpus: 1, nodes: 2, interconnect: "high" });
			const request = aStart(h, { end: null }, { slots: [0, 4], spec });
			await h.driver.start(request);
			expect((await untilPhase(h, request.attemptId, "exited")).exit?.code).toBe(0);
		} finally {
			await h.cleanup();
		}
	});

	describeClusterDriverContract("slurm", makeHarness, { withQueue: given === null || (owner !== null && given.scontrol !== undefined) });
});

async function otherUser(cluster: SlurmCluster): Promise<NonNullable<ClusterHarness["theirs"]>> {
	const folder = await mkdtemp(path.join(cluster.shared, "home-"));
	const ids = (await cluster.command("id", "-u", OTHER)).trim();
	await chown(folder, Number(ids), Number(await cluster.command("id", "-g", OTHER)));
	return jobsOf(OTHER, (...args) => cluster.commandAs(OTHER, folder, ...args));
}

type Commands = (...args: [string, ...string[]]) => Promise<string>;

function commandsOf({ command: [program, ...before] }: { command: [string, ...string[]] }): Commands {
	return async (...args) => (await run(program, [...before, ...args])).stdout.trim();
}

function jobsOf(user: string, as: Commands): NonNullable<ClusterHarness["theirs"]> {
	return {
		user,
		submit: ({ gpus, runs, optIn }) => {
			const size = gpus > 4 ? ["-N", String(gpus / 4), "--gres=gpu:h100:4"] : ["-N", "1", `--gres=gpu:h100:${gpus}`];
			const comment = optIn ? ["--comment=spillway"] : [];
			return as(
				"sbatch",
				"--parsable",
				...size,
				...comment,
				"-t",
				"10",
				"--wrap",
				runs === "long" ? "sleep 600 # theirs" : "true # theirs",
			);
		},
		hold: async (id) => void (await as("scontrol", "hold", id)),
		cancel: async (id) => void (await as("scancel", id)),
		scriptHolds: "# theirs",
		unknownId: "99999",
	};
}
