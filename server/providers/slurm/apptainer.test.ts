import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Registry, serveRegistry } from "#server/agent/testing/registry.ts";
import type { JobSpec } from "#server/domain/job.ts";
import { defined } from "#server/kernel/assert.ts";
import { aSpec, aStart, type ClusterHarness, find, READY, readAll, untilPhase, untilPrinted } from "../contract/cluster-harness.ts";
import { posixCommand } from "../contract/posix-job.ts";
import { SlurmDriver } from "./driver.ts";
import { type SlurmCluster, startSlurm } from "./testing/slurm-cluster.ts";
import { whyNoApptainer } from "./testing/slurm-programs.ts";

const missing = whyNoApptainer();
/** A root file system of only busybox, with a file that identifies it. */
const MAKE_IMAGE =
	'mkdir -p "$1/bin" "$1/etc" && cp /bin/busybox "$1/bin/" && for a in sh cat sleep env; do ln -s busybox "$1/bin/$a"; done && echo train-2.1 >"$1/etc/image" && : >"$1/etc/passwd"';

describe.skipIf(missing !== null)(`images by Apptainer on a real Slurm${missing === null ? "" : ` (left out: ${missing})`}`, () => {
	let running: SlurmCluster | null = null;
	let h: ClusterHarness;
	let image = "";
	let registry: Registry;

	beforeAll(async () => {
		running = await startSlurm({ nodes: 2, gpusPerNode: 4 });
		const slurm = running;
		image = path.join(slurm.shared, "train.image");
		registry = await serveRegistry();
		await promisify(execFile)("/bin/sh", ["-c", MAKE_IMAGE, "sh", image]);
		const folder = path.join(slurm.shared, "site");
		const tokenFile = path.join(slurm.shared, "..", "token");
		await mkdir(folder);
		await writeFile(tokenFile, await slurm.token());
		const driver = new SlurmDriver("home", {
			...{
				url: slurm.url,
				folder,
				user: "root",
				token: { file: tokenFile },
				accelerators: { h100: "H100-80GB" },
				container: "apptainer",
			},
			...{ pendingPollMs: 50, runningPollMs: 100, nodesPollMs: 50, exitSettleMs: 500 },
		});
		h = {
			...{ driver, poolId: "gpu-h100x4", accelerator: "H100-80GB", slots: 8, command: posixCommand },
			...{ passTime: () => sleep(20), nowMs: Date.now, restart: async () => driver, cleanup: async () => {} },
			features: { realProcesses: true, checkpointFolder: true },
		};
	});
	afterEach(() => defined(running, "cluster").command("scancel", "--user=root"));
	afterAll(async () => {
		await running?.stop();
		await registry?.close();
	});

	async function start(script: string, spec: Partial<JobSpec> = {}, slots = [0, 1]): Promise<string> {
		const gpus = slots.length / (spec.nodes ?? 1);
		const request = aStart(h, { end: null }, { slots, spec: aSpec({ command: ["sh", "-c", script], gpus, image, ...spec }) });
		await h.driver.start(request);
		return request.attemptId;
	}
	const endOf = async (attemptId: string) => defined((await untilPhase(h, attemptId, "exited")).exit, "an exit");
	const printed = async (attemptId: string, stream: "stdout" | "stderr") =>
		(await readAll(h.driver, attemptId)).flatMap((line) => (line.stream === stream ? [line.text] : []));

	it("runs in the image, with its own GPUs, environment and folders, and ends with its code", async () => {
		const script = 'cat /etc/image; echo "$CUDA_VISIBLE_DEVICES $RATE"; echo "$HOME"; pwd; echo 0.93 >score; exit 7';
		const id = await start(script, { env: { RATE: "3e-4" } });
		await untilPhase(h, id, "exited");
		const [where, told, home, folder = ""] = await printed(id, "stdout");
		expect([where, told, home]).toEqual(["train-2.1", "0,1 3e-4", folder]);
		expect(await endOf(id)).toEqual({ code: 7, signal: null, error: null });
		expect(await readFile(path.join(folder, "score"), "utf8")).toBe("0.93\n");
	});

	it("pulls an image from a registry once for all, even if two nodes need it at once", async () => {
		const spec = { nodes: 2, image: `${registry.host}/acme/train:1.2`, env: { APPTAINER_NOHTTPS: "1" } };
		for (let n = 0; n < 2; n++) {
			const id = await start('echo "$NODE_RANK $FROM_IMAGE $(pwd)"', spec, [0, 4]);
			expect([(await endOf(id)).code, await printed(id, "stderr")]).toEqual([0, expect.anything()]);
			expect((await printed(id, "stdout")).map((line) => line.split(" ").slice(0, 2).join(" ")).toSorted()).toEqual(["0 yes", "1 yes"]);
			if (n === 0) registry.asked.length = 0;
		}
		expect(registry.asked.filter((asked) => asked.includes("/blobs/"))).toEqual([]);
	});

	it.each([1, 2])("is stopped, saves and exits with its code, on %i nodes", async (nodes) => {
		const saves = "trap 'echo saved >\"$SPILLWAY_CHECKPOINT_DIR/$NODE_RANK.txt\"; echo saved; exit 3' TERM";
		const script = `${saves}; echo ${READY}; while :; do sleep 0.05; done`;
		const spec = { nodes, checkpoint: { path: "ckpt", intervalMs: 60_000 } };
		const id = await start(script, spec, nodes === 1 ? [0] : [0, 4]);
		await untilPrinted(h, id, READY);
		if (nodes === 2) while ((await printed(id, "stdout")).filter((line) => line === READY).length < 2) await sleep(50);
		await h.driver.stop(id, 30_000);
		expect((await endOf(id)).code).toBe(3);
		expect(await printed(id, "stdout")).toEqual([...Array(nodes).fill(READY), ...Array(nodes).fill("saved")]);
	});

	it.each([1, 2])("is killed after its grace period if it ignores SIGTERM, on %i nodes", async (nodes) => {
		const id = await start(`trap '' TERM; echo ${READY}; while :; do sleep 0.05; done`, { nodes }, nodes === 1 ? [0] : [0, 4]);
		await untilPrinted(h, id, READY);
		await h.driver.stop(id, 500);
		expect((await endOf(id)).signal).toBe("SIGKILL");
		await vanished(id);
	});

	it("runs on two nodes as ranks of one, and ends with the code of the first rank that fails", async () => {
		// proctrack/linuxproc may miss a container that is starting when its step is killed; a site's cgroups do not.
		const waits = 'if [ "$NODE_RANK" = 0 ]; then : >begun; sleep 60; else until [ -e begun ]; do sleep 0.05; done; fi';
		const id = await start(`echo "$NODE_RANK of $NNODES in $(cat /etc/image)"; ${waits}; exit 5`, { nodes: 2 }, [0, 4]);
		expect((await endOf(id)).code).toBe(5);
		expect((await printed(id, "stdout")).toSorted()).toEqual(["0 of 2 in train-2.1", "1 of 2 in train-2.1"]);
		expect((await printed(id, "stderr")).join("\n")).toContain("rank 1 on");
	});

	it.each([
		["a missing image", { image: "/nonexistent/train.sif" }, /nonexistent\/train\.sif/],
		["a program that the image lacks", { command: ["python3", "train.py"] }, /python3/],
	])("fails with Apptainer's message: %s", async (_case, spec, words) => {
		const id = await start("exit 0", spec);
		expect([127, 255]).toContain((await endOf(id)).code);
		expect((await printed(id, "stderr")).join("\n")).toMatch(words);
	});

	/** Nothing of it is left on the nodes, which are this host. */
	async function vanished(attemptId: string): Promise<void> {
		const observed = defined(await find(h.driver, attemptId), "the attempt");
		expect(observed.phase).toBe("exited");
		const { stdout } = await promisify(execFile)("ps", ["-eo", "args"]);
		expect(stdout.split("\n").filter((line) => line.includes(attemptId) && line.includes("apptainer"))).toEqual([]);
	}
});
