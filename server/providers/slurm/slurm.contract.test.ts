import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe } from "vitest";
import { defined } from "#server/kernel/assert.ts";
import { describeClusterDriverContract } from "../contract/cluster-contract.ts";
import { posixCommand } from "../contract/posix-job.ts";
import { SlurmDriver } from "./driver.ts";
import { type SlurmCluster, startSlurm } from "./testing/slurm-cluster.ts";
import { whyNoSlurm } from "./testing/slurm-programs.ts";

const missing = whyNoSlurm();

describe.skipIf(missing !== null)(`a real Slurm${missing === null ? "" : ` (left out: ${missing})`}`, () => {
	let cluster: SlurmCluster | null = null;
	let tokenFile = "";
	let sites = 0;
	beforeAll(async () => {
		cluster = await startSlurm({ nodes: 2, gpusPerNode: 4 });
		tokenFile = path.join(cluster.shared, "..", "token");
		await writeFile(tokenFile, await cluster.token(), { mode: 0o600 });
	});
	afterAll(() => cluster?.stop());

	describeClusterDriverContract("slurm", async () => {
		const { url, shared, command } = defined(cluster, "cluster");
		sites += 1;
		const folder = path.join(shared, `site-${sites}`);
		await mkdir(folder);
		const newDriver = () =>
			new SlurmDriver("home", {
				...{ url, folder, user: "root", token: { file: tokenFile }, accelerators: { h100: "H100-80GB" } },
				...{ pendingPollMs: 50, runningPollMs: 200, nodesPollMs: 50, exitSettleMs: 1_000 },
			});
		return {
			driver: newDriver(),
			poolId: "gpu-h100x4",
			accelerator: "H100-80GB",
			slots: 8,
			command: posixCommand,
			passTime: () => sleep(20),
			nowMs: () => Date.now(),
			restart: async () => newDriver(),
			async cleanup() {
				await command("scancel", "--full", "--signal=KILL", "--user=root");
				await command("scancel", "--user=root");
			},
			features: { realProcesses: true, checkpointFolder: true, timeStepMs: 1_000 },
		};
	});
});
