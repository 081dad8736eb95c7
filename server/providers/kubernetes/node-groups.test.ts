import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import type { EmulatedNodeGroup } from "#server/emulators/kubernetes/controllers/autoscaler.ts";
import { aSpec, eventually, find } from "../contract/cluster-harness.ts";
import type { StartAttempt } from "../driver.ts";
import { type EmulatedCluster, startEmulatedCluster } from "../testing/emulated-kubernetes.ts";
import { KubernetesDriver } from "./driver.ts";
import { kubernetesSettingsSchema } from "./settings.ts";

const PRODUCT = "NVIDIA-H100-80GB-HBM3";
const POOL = "nvidia-h100-80gb-hbm3x4";
/** Labels that its nodes have from the start; GPU discovery adds the product label later. */
const BIRTH = { "eks.amazonaws.com/nodegroup": "gpu" };
const site = { passTime: () => sleep(20) };

let cluster: EmulatedCluster | null = null;
const drivers: KubernetesDriver[] = [];
afterEach(async () => {
	for (const driver of drivers.splice(0)) await driver.close({ stopJobs: false, graceMs: 0 });
	await cluster?.stop();
	cluster = null;
});

/** A cluster without GPUs, with a group that may grow to two nodes of four. */
async function open(changes: Partial<EmulatedNodeGroup> = {}, settings: { scaleUpMs?: number } = {}) {
	const shape = { gpus: 4, labels: { ...BIRTH, "nvidia.com/gpu.product": PRODUCT } };
	const nodeGroup = { name: "gpu", shape, maxNodes: 2, joinMs: 100, idleMs: 300, ...changes };
	cluster = await startEmulatedCluster({ nodes: [], nodeGroup });
	const nodeGroups = [{ product: PRODUCT, gpusPerNode: 4, maxNodes: 2, labels: BIRTH }];
	const driver = new KubernetesDriver("home", { ...cluster.settings, nodeGroups, evictionGraceSeconds: 1, ...settings });
	drivers.push(driver);
	const { emulator } = cluster;
	const until = (id: string, phase: string) =>
		eventually(site, `${id} is ${phase}`, async () => {
			const seen = await find(driver, id);
			return seen?.phase === phase && seen;
		});
	const pool = async () => (await driver.observe()).pools[0];
	return { driver, emulator, until, pool };
}

let attempts = 0;
function aRequest(command: string, slots: number[], nodes = 1): StartAttempt {
	attempts += 1;
	const job = `group${attempts}`;
	const spec = { ...aSpec({ command: ["sh", "-c", command], gpus: slots.length / nodes }), nodes };
	return { attemptId: `att_${job}_001`, jobId: `job_${job}`, attemptNo: 1, spec, poolId: POOL, restoreFrom: null, slots };
}

describe("a group of nodes that the cluster's autoscaler adds", () => {
	it("accepts a job without any node, grows for it, reports it meanwhile, and shrinks afterwards", async () => {
		const { driver, until, pool } = await open({ joinMs: 1_500 });
		expect(await pool()).toEqual({
			...{ id: POOL, accelerator: "H100-80GB", nodes: 2, nodesToCome: 2, gpusPerNode: 4, unavailableSlots: [] },
		});
		const mayEnd = path.join(mkdtempSync(path.join(os.tmpdir(), "spillway-group-")), "may-end");
		onTestFinished(() => rmSync(path.dirname(mayEnd), { recursive: true, force: true }));
		const request = aRequest(`while [ ! -e ${mayEnd} ]; do sleep 0.05; done`, [0, 1, 2, 3]);
		await driver.start(request);
		const waiting = await eventually(site, "it says so", async () => {
			const seen = await find(driver, request.attemptId);
			return seen?.clusterWait?.reason === "TriggeredScaleUp" && seen;
		});
		expect(waiting.clusterWait?.detail).toBe("pod triggered scale-up: [{gpu 0->1 (max: 2)}]");
		// Everything that is not held is free: the node that would be added next.
		expect(await pool()).toMatchObject({ nodesToCome: 2, unavailableSlots: [] });
		await until(request.attemptId, "running");
		expect(await pool()).toMatchObject({ nodes: 2, nodesToCome: 1 });
		writeFileSync(mayEnd, "");
		expect((await until(request.attemptId, "exited")).exit?.code).toBe(0);
		await driver.forget(request.attemptId);
		await eventually(site, "it shrinks", async () => (await pool())?.nodesToCome === 2);
	});

	it("grows by two for a gang of two", async () => {
		const { driver, until, pool } = await open();
		const request = aRequest("sleep 0.2", [0, 1, 2, 3, 4, 5, 6, 7], 2);
		await driver.start(request);
		expect((await until(request.attemptId, "exited")).exit?.code).toBe(0);
		expect(await pool()).toMatchObject({ nodes: 2 });
	});

	it("that does not grow returns the job: it was never run, and there was no capacity for it", async () => {
		const { driver, until, emulator, pool } = await open({ isDry: true }, { scaleUpMs: 2_000 });
		const request = aRequest("exit 0", [0]);
		await driver.start(request);
		const alone = await eventually(site, "no others are to wait for one there", async () => {
			const seen = await pool();
			return seen?.noneComes === true && seen;
		});
		expect(alone).toMatchObject({ nodesToCome: 2, unavailableSlots: expect.arrayContaining([1, 2, 3, 4, 5, 6, 7]) });
		const lost = await until(request.attemptId, "lost");
		expect(lost).toMatchObject({
			startedAtMs: null,
			exit: null,
			noRoom: expect.stringMatching(/^no node available for pod sw-\S+ within 2 s: 0\/0 nodes/),
		});
		await eventually(site, "it is tried again later", async () => {
			const again = await pool();
			return again?.noneComes === undefined && again?.unavailableSlots.length === 0;
		});
		await driver.forget(request.attemptId);
		expect(await find(driver, request.attemptId)).toBeUndefined();
		await eventually(site, "nothing of it is left", async () => emulator.pods().length === 0 && emulator.jobs().length === 0);
	});

	it("that is at its maximum returns the job immediately, and its existing node stays", async () => {
		const { driver, until, pool } = await open({ maxNodes: 1 });
		const [first, second] = [aRequest("while :; do sleep 0.02; done", [0, 1, 2, 3]), aRequest("exit 0", [4, 5, 6, 7])];
		await driver.start(first);
		await until(first.attemptId, "running");
		await driver.start(second);
		expect(await until(second.attemptId, "lost")).toMatchObject({
			startedAtMs: null,
			noRoom: expect.stringMatching(/^no node available for pod sw-\S+: pod didn't trigger scale-up: 1 max node group size reached$/),
		});
		expect(await pool()).toMatchObject({ nodes: 2, nodesToCome: 1, noneComes: true, unavailableSlots: [4, 5, 6, 7] });
		expect((await find(driver, first.attemptId))?.phase).toBe("running");
	});

	it("keeps its node while a job runs there: the pod is marked as not evictable", async () => {
		const { driver, until, emulator } = await open();
		const request = aRequest("while :; do sleep 0.02; done", [0]);
		await driver.start(request);
		await until(request.attemptId, "running");
		expect(emulator.pods()[0]?.metadata.annotations).toMatchObject({
			...{ "cluster-autoscaler.kubernetes.io/safe-to-evict": "false", "karpenter.sh/do-not-disrupt": "true" },
		});
	});
});

describe("the setting nodeGroups", () => {
	const access = { server: "https://127.0.0.1:1", tokenFile: "/token" };
	const parse = (nodeGroups: unknown) => kubernetesSettingsSchema.safeParse({ access, namespace: "spillway", nodeGroups });
	const group = { product: PRODUCT, gpusPerNode: 8, maxNodes: 4 };

	it("rejects a pool that two groups would share, and invalid sizes", () => {
		expect(parse([group]).success).toBe(true);
		expect(parse([group, { ...group, maxNodes: 2 }]).error?.issues[0]?.message).toContain("twice");
		expect(parse([group, { ...group, product: PRODUCT.toLowerCase() }]).error?.issues[0]?.message).toContain("twice");
		expect(parse([{ ...group, maxNodes: 0 }]).success).toBe(false);
		expect(parse([{ ...group, gpusPerNode: 1.5 }]).success).toBe(false);
	});

	it("of an unknown product is reported as a mistake in the settings", async () => {
		cluster = await startEmulatedCluster({ nodes: [] });
		const driver = new KubernetesDriver("home", { ...cluster.settings, nodeGroups: [{ ...group, product: "Something-New" }] });
		drivers.push(driver);
		await expect(driver.observe()).rejects.toMatchObject({
			...{ kind: "invalid_request", message: expect.stringContaining('unknown product "Something-New" in "nodeGroups"') },
		});
	});
});
