import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { recordEvent } from "#server/emulators/kubernetes/controllers/record-event.ts";
import { defined } from "#server/kernel/assert.ts";
import { aSpec, eventually, find, readAll } from "../contract/cluster-harness.ts";
import type { StartAttempt } from "../driver.ts";
import { type EmulatedCluster, startEmulatedCluster } from "../testing/emulated-kubernetes.ts";
import { KubernetesDriver } from "./driver.ts";
import type { KubernetesSettings } from "./settings.ts";

const POOL = "nvidia-h100-80gb-hbm3x4";
const RUNS = ["sh", "-c", "echo ready; while :; do sleep 0.02; done"];
const site = { passTime: () => sleep(20) };

let cluster: EmulatedCluster | null = null;
const drivers: KubernetesDriver[] = [];
afterEach(async () => {
	for (const driver of drivers.splice(0)) await driver.close({ stopJobs: false, graceMs: 0 });
	await cluster?.stop();
	cluster = null;
});

async function open(options: Parameters<typeof startEmulatedCluster>[0] = {}, changes: Partial<KubernetesSettings> = {}) {
	cluster = await startEmulatedCluster(options);
	const { emulator, settings } = cluster;
	const again = () => {
		const driver = new KubernetesDriver("home", { ...settings, evictionGraceSeconds: 1, answerTimeoutMs: 20_000, ...changes });
		drivers.push(driver);
		return driver;
	};
	const driver = again();
	const until = (id: string, phase: string) =>
		eventually(site, `${id} is ${phase}`, async () => {
			const seen = await find(driver, id);
			return seen?.phase === phase && seen;
		});
	const run = async (changes: Partial<StartAttempt> = {}) => {
		const request = aRequest(changes);
		await driver.start(request);
		await until(request.attemptId, "running");
		return request.attemptId;
	};
	const podOf = (id: string) =>
		defined(emulator.pods().find((p) => p.metadata.annotations?.["spillway.dev/attempt"]?.includes(id))?.metadata.name, "pod");
	return { emulator, driver, again, until, run, podOf };
}

let attempts = 0;
function aRequest(changes: Partial<StartAttempt> = {}): StartAttempt {
	attempts += 1;
	const slots = changes.slots ?? [0];
	const job = `unlucky${attempts}`;
	const spec = aSpec({ command: RUNS, gpus: slots.length });
	return { attemptId: `att_${job}_001`, jobId: `job_${job}`, attemptNo: 1, spec, poolId: POOL, restoreFrom: null, ...changes, slots };
}

describe("the API server", () => {
	it("being down makes the site unhealthy and nothing else: jobs keep running, and ends are found afterwards", async () => {
		const { emulator, driver, until, run } = await open();
		const id = await run({ spec: aSpec({ command: ["sh", "-c", "sleep 0.3; exit 6"], gpus: 1 }) });
		await emulator.server.close();
		await expect(driver.observe()).rejects.toMatchObject({ name: "DriverError", kind: "transient" });
		await emulator.server.open();
		expect((await until(id, "exited")).exit).toEqual({ code: 6, signal: null, error: null });
	});

	it("responding with 500, or too late, does not end anything", async () => {
		const { emulator, driver, run } = await open({}, { answerTimeoutMs: 3_000 });
		const id = await run();
		emulator.faults.add({ method: "GET", path: /\/pods\?/, does: { status: 500 }, times: 1 });
		await expect(driver.observe()).rejects.toMatchObject({ kind: "transient", providerCode: "InternalError" });
		emulator.faults.add({ method: "GET", path: /\/jobs\?/, does: { delayMs: 60_000 }, times: 1 });
		await expect(driver.observe()).rejects.toMatchObject({ kind: "transient" });
		expect(await find(driver, id)).toMatchObject({ phase: "running" });
	});

	it("rejecting every change of a Job, as while a webhook of Kueue's is unavailable: running attempts are stopped all the same", async () => {
		const { emulator, driver, until, run } = await open();
		const id = await run();
		emulator.faults.add({ method: "PATCH", path: /\/jobs\//, does: { status: 500 } });
		await driver.stop(id, 1_000);
		expect((await until(id, "exited")).exit).toEqual({ code: null, signal: "SIGTERM", error: null });
		await driver.forget(id);
		await eventually(site, "nothing of it is left", async () => emulator.pods().length === 0 && emulator.jobs().length === 0);
	});

	it("accepting a Job and losing the response: the repeated call finds it, and one pod runs", async () => {
		const { emulator, driver, until } = await open();
		const request = aRequest();
		emulator.faults.add({ method: "POST", path: /jobs$/, does: { cut: true, done: true }, times: 1 });
		await expect(driver.start(request)).rejects.toMatchObject({ kind: "transient" });
		await driver.start(request);
		await until(request.attemptId, "running");
		expect(emulator.pods()).toHaveLength(1);
	});

	it("rejecting the token: the site reports it, and uses a token that was renewed in its file", async () => {
		const { emulator, driver, run } = await open();
		const id = await run();
		emulator.setToken("spillway", false);
		await expect(driver.observe()).rejects.toMatchObject({ kind: "unauthorized", message: expect.stringContaining("renew the token") });
		emulator.setToken("renewed", true);
		await writeFile(defined(cluster, "cluster").tokenFile, "renewed");
		expect(await find(driver, id)).toMatchObject({ phase: "running" });
	});

	it("a token file that holds something else is not sent anywhere", async () => {
		const { driver, emulator } = await open();
		await writeFile(defined(cluster, "cluster").tokenFile, "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1::/usr/sbin:/usr/sbin/nologin\n");
		emulator.setToken("spillway", false);
		await expect(driver.observe()).rejects.toMatchObject({ message: expect.stringContaining("does not contain a bearer token") });
	});

	it("having forgotten the changes since a watch ended (410): nodes are listed again", async () => {
		const { emulator, driver } = await open();
		const free = async () => (await driver.observe()).pools[0]?.unavailableSlots.length;
		expect(await free()).toBe(0);
		await emulator.server.close();
		emulator.cordon("gpu-1", true);
		emulator.store.compact();
		await emulator.server.open();
		await eventually(site, "the cordoned node is seen", async () => (await free().catch(() => 0)) === 4);
		emulator.cordon("gpu-1", false);
		await eventually(site, "changes are followed again", async () => (await free()) === 0);
	});

	it("cutting a watch off: it resumes from its position, without a new listing", async () => {
		const { emulator, driver } = await open();
		await driver.observe();
		emulator.faults.add({ method: "GET", path: /^\/api\/v1\/nodes\?limit/, does: { status: 500 } });
		emulator.server.cutConnections();
		emulator.cordon("gpu-2", true);
		const free = async () => (await driver.observe().catch(() => null))?.pools[0]?.unavailableSlots.length;
		await eventually(site, "the change in between is seen", async () => (await free()) === 4);
	});

	it("rejecting by quota, right or policy is reported by its kind, and nothing is left behind", async () => {
		const { emulator, driver } = await open({ minor: 20 });
		emulator.setQuota(0);
		await expect(driver.start(aRequest())).rejects.toMatchObject({ kind: "quota_exceeded" });
		emulator.setQuota(null);
		emulator.faults.add({ method: "POST", path: /pods$/, does: { status: 422 }, times: 1 });
		await expect(driver.start(aRequest())).rejects.toMatchObject({ kind: "invalid_request" });
		expect((await driver.observe()).attempts).toEqual([]);
	});

	it("with 10,000 pending pods of others is listed in pages, and they hold no GPUs", async () => {
		const { emulator, driver } = await open({}, { answerTimeoutMs: 60_000 });
		const spec = {
			containers: [{ name: "c", image: "i", resources: { limits: { "nvidia.com/gpu": "8" }, requests: { "nvidia.com/gpu": "8" } } }],
			schedulingGates: [{ name: "later" }],
		};
		for (let i = 0; i < 10_000; i++) {
			emulator.create("pods", {
				apiVersion: "v1",
				kind: "Pod",
				metadata: { name: `waits-${i}`, namespace: "others" },
				spec,
				status: { phase: "Pending" },
			});
		}
		let pages = 0;
		const take = emulator.faults.take.bind(emulator.faults);
		emulator.faults.take = (method, url) => {
			if (/^\/api\/v1\/pods\?/.test(url) && !url.includes("watch")) pages += 1;
			return take(method, url);
		};
		expect((await driver.observe()).pools[0]?.unavailableSlots).toEqual([]);
		expect(pages).toBe(20);
	});
});

describe.each([34, 20])("on a server of 1.%i", (minor) => {
	it("a pod that is evicted, preempted or drained is lost and is not restarted automatically", async () => {
		const { emulator, until, run, podOf } = await open({ minor });
		const ids = [await run(), await run({ slots: [1] }), await run({ slots: [2] })];
		emulator.disrupt(podOf(ids[0] ?? ""), "EvictionByEvictionAPI");
		emulator.disrupt(podOf(ids[1] ?? ""), "PreemptionByScheduler");
		emulator.evict(podOf(ids[2] ?? ""));
		for (const id of ids) expect((await until(id, "lost")).exit).toBeNull();
		expect(emulator.pods()).toHaveLength(3);
	});

	it("an eviction is no success, even if the command exits with 0", async () => {
		const { emulator, until, run, podOf } = await open({ minor });
		const command = ["sh", "-c", "trap 'exit 0' TERM; while :; do sleep 0.02; done"];
		const id = await run({ spec: aSpec({ command, gpus: 1 }) });
		await sleep(100);
		emulator.disrupt(podOf(id), "EvictionByEvictionAPI");
		await until(id, "lost");
	});

	it("a pod of a deleted node is lost after its grace period, and the node's GPUs are unavailable", async () => {
		const { emulator, driver, until, run, podOf } = await open({ minor }, { nodeLostAfterMs: 500 });
		const id = await run();
		const node = defined(emulator.pods().find((p) => p.metadata.name === podOf(id))?.spec.nodeName, "node");
		emulator.loseNode(node);
		await until(id, "lost");
		const { pools, nodes } = await driver.observe();
		expect(pools[0]?.unavailableSlots).toHaveLength(4);
		expect(nodes.find((n) => n.name === node)).toMatchObject({ state: "down", reason: expect.stringMatching(/^not ready/) });
		await driver.forget(id);
		expect(await find(driver, id)).toBeUndefined();
	});

	it("an image that cannot be pulled fails the attempt after a time limit, with the cluster's message", async () => {
		const { driver, until } = await open({ minor }, { startProblemsMs: 100 });
		const request = aRequest({ spec: aSpec({ command: RUNS, gpus: 1, image: "missing/train:1" }) });
		await driver.start(request);
		const { exit, startedAtMs } = await until(request.attemptId, "exited");
		expect(startedAtMs).toBeNull();
		expect(exit).toMatchObject({ code: null, failedAt: "image", error: expect.stringContaining("missing/train:1") });
	});

	it("a gang ends as a whole when one member fails", async () => {
		const { emulator, driver, until } = await open({ minor });
		const command = ["sh", "-c", 'test "$JOB_COMPLETION_INDEX" = 1 && { sleep 0.3; exit 9; }; while :; do sleep 0.02; done'];
		const spec = aSpec({ command, gpus: 2, nodes: 2 });
		const request = aRequest({ spec, slots: [0, 1, 4, 5] });
		await driver.start(request);
		expect((await until(request.attemptId, "exited")).exit).toEqual({ code: 9, signal: null, error: null });
		expect(emulator.store.list("services", "spillway")).toHaveLength(1);
		await driver.forget(request.attemptId);
		expect(emulator.store.list("services", "spillway")).toHaveLength(0);
		await eventually(site, "its pods no longer exist", async () => emulator.pods().length === 0);
	});

	it("GPUs that fail, taints and cordons make slots unavailable", async () => {
		const { emulator, driver } = await open({ minor });
		const free = async () => 8 - ((await driver.observe()).pools[0]?.unavailableSlots.length ?? 8);
		expect(await free()).toBe(8);
		await emulator.setHealthyGpus("gpu-1", 3);
		await eventually(site, "one GPU is missing", async () => (await free()) === 7);
		const node = async (name: string) => (await driver.observe()).nodes.find((n) => n.name === name);
		expect(await node("gpu-1")).toMatchObject({ state: "ready", gpus: 4, reason: "3 of its 4 GPUs are healthy" });
		emulator.taint("gpu-2", [{ key: "team", effect: "NoSchedule", value: "other" }]);
		await eventually(site, "the tainted node is out", async () => (await free()) === 3);
		expect(await node("gpu-2")).toMatchObject({ state: "closed", gpus: 4, reason: "taint team=other:NoSchedule" });
		emulator.taint("gpu-2", [{ key: "nvidia.com/gpu", effect: "NoSchedule", value: "present" }]);
		await eventually(site, "the usual taint of GPU nodes is tolerated", async () => (await free()) === 7);
	});
});

describe("behind Spillway's back", () => {
	it("a Job that someone deletes is cancelled there: its end is kept, and it is not run again", async () => {
		const { emulator, until, run } = await open();
		const id = await run();
		emulator.delete("jobs", defined(emulator.jobs()[0], "job").metadata.name);
		expect((await until(id, "exited")).exit).toEqual({ code: null, signal: "SIGTERM", error: null });
	});

	it("a running Job that someone suspends is lost, and does not start again when it is resumed", async () => {
		const { emulator, driver, until, run } = await open();
		const id = await run();
		const { name } = defined(emulator.jobs()[0], "job").metadata;
		emulator.suspend(name, true);
		await until(id, "lost");
		emulator.suspend(name, false);
		await sleep(100);
		expect(emulator.pods()).toHaveLength(1);
		expect(await find(driver, id)).toMatchObject({ phase: "lost" });
		await driver.forget(id);
		await eventually(site, "nothing of it is left", async () => emulator.pods().length === 0 && emulator.jobs().length === 0);
	});

	it("a running Job that is suspended and resumed between two observations is lost all the same, and the restarted one is ended", async () => {
		const { emulator, driver, until, run } = await open();
		const id = await run();
		const { name } = defined(emulator.jobs()[0], "job").metadata;
		emulator.suspend(name, true);
		await eventually(site, "its pod is being deleted", async () => emulator.pods()[0]?.metadata.deletionTimestamp);
		emulator.suspend(name, false);
		await eventually(site, "another pod is made", async () => emulator.pods().length === 2);
		await until(id, "lost");
		expect(emulator.pods().map((pod) => typeof pod.metadata.deletionTimestamp)).toEqual(["string", "string"]);
		await driver.forget(id);
		await eventually(site, "nothing of it is left", async () => emulator.pods().length === 0 && emulator.jobs().length === 0);
	});

	it("a pod that someone deletes is not replaced", async () => {
		const { emulator, until, run, podOf } = await open();
		const id = await run();
		emulator.delete("pods", podOf(id));
		await until(id, "lost");
		expect(emulator.pods()).toHaveLength(1);
	});

	it("GPUs held by pods of others are unavailable, and a job that finds none reports why it waits", async () => {
		const { emulator, driver } = await open();
		const resources = { limits: { "nvidia.com/gpu": "4" }, requests: { "nvidia.com/gpu": "4" } };
		const spec = { nodeName: "gpu-1", containers: [{ name: "c", image: "i", command: RUNS, resources }] };
		await driver.observe();
		emulator.create("pods", {
			apiVersion: "v1",
			kind: "Pod",
			metadata: { name: "theirs", namespace: "default" },
			spec,
			status: { phase: "Pending" },
		});
		await eventually(site, "theirs is counted", async () => (await driver.observe()).pools[0]?.unavailableSlots.length === 4);
		emulator.cordon("gpu-2", true);
		const request = aRequest();
		await driver.start(request);
		const logged = await eventually(site, "the cluster's warning is logged", async () => {
			const lines = await readAll(driver, request.attemptId);
			return lines.find((l) => l.stream === "spillway");
		});
		expect(logged.text).toContain("FailedScheduling");
		const detail = expect.stringContaining("nodes are available");
		expect(await find(driver, request.attemptId)).toMatchObject({ phase: "staging", clusterWait: { reason: "Unschedulable", detail } });
		expect((await driver.observe()).nodes.map((n) => [n.name, n.state, n.reason, n.gpusUsed])).toEqual([
			["gpu-1", "ready", null, 4],
			["gpu-2", "closed", "cordoned", 0],
		]);
	});
});

it("leaves a Job to Kueue, and rejects a queue if there is none", async () => {
	const { emulator, driver, until } = await open({ groups: ["kueue.x-k8s.io"] }, { queue: "research" });
	const request = aRequest();
	await driver.start(request);
	const job = defined(emulator.jobs()[0], "job");
	expect(job.metadata.labels).toMatchObject({ "kueue.x-k8s.io/queue-name": "research" });
	expect(job.spec.suspend).toBe(true);
	expect(await find(driver, request.attemptId)).toMatchObject({ phase: "staging" });
	const logged = async () => (await readAll(driver, request.attemptId)).filter((l) => l.stream === "spillway").map((l) => l.text);
	const { name, uid } = job.metadata;
	const condition = (type: string, status: string, reason: string, message: string) => {
		return { type, status, reason, message, lastTransitionTime: `${new Date().toISOString().slice(0, 19)}Z`, observedGeneration: 1 };
	};
	const waits = "couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu in flavor h100, 1 more needed";
	const workload = emulator.create("workloads", {
		...{ apiVersion: "kueue.x-k8s.io/v1beta1", kind: "Workload" },
		metadata: { name: `job-${name}-0a1b2`, namespace: "spillway", labels: { "kueue.x-k8s.io/job-uid": uid } },
		spec: { active: true, queueName: "research" },
		status: { conditions: [condition("QuotaReserved", "False", "Pending", waits)] },
	} as object);
	const pending = `cluster event Kueue Pending: ${waits}`;
	await eventually(site, "Kueue's reason is logged", async () => (await logged()).includes(pending));
	expect(await logged()).toEqual([pending]);
	expect(await find(driver, request.attemptId)).toMatchObject({ clusterWait: { reason: "Kueue Pending", detail: waits } });
	const admitted = [condition("QuotaReserved", "True", "QuotaReserved", ""), condition("Admitted", "True", "Admitted", "")];
	emulator.store.update("workloads", { ...workload, status: { conditions: admitted } } as typeof workload);
	emulator.suspend(name, false);
	await until(request.attemptId, "running");
	// Its own queue needs the quota again: Kueue suspends the Job, and the attempt is lost, with the reason in its log.
	const evicted = [
		condition("Evicted", "True", "Preempted", "Preempted to accommodate a workload"),
		condition("QuotaReserved", "False", "Pending", "Preempted to accommodate a workload"),
	];
	const [current] = emulator.store.list("workloads", "spillway");
	emulator.store.update("workloads", { ...current, status: { conditions: evicted } } as typeof workload);
	emulator.suspend(name, true);
	await until(request.attemptId, "lost");
	await eventually(site, "Kueue's eviction is logged", async () =>
		(await logged()).includes("cluster event Kueue Preempted: Preempted to accommodate a workload"),
	);
	await cluster?.stop();
	const without = await open({}, { queue: "research" });
	await expect(without.driver.start(aRequest())).rejects.toMatchObject({
		kind: "invalid_request",
		message: expect.stringContaining("no Kueue"),
	});
});

it("reports Kueue's eviction also for a Job of a default queue, after Kueue has recreated its Workload", async () => {
	const { emulator, driver, until, run } = await open({ groups: ["kueue.x-k8s.io"] });
	const id = await run();
	const { name, uid } = defined(emulator.jobs()[0], "job").metadata;
	// As Kueue 0.13.1 leaves it: admitted again for no pods, with the eviction only in its events.
	const workload = emulator.create("workloads", {
		...{ apiVersion: "kueue.x-k8s.io/v1beta1", kind: "Workload" },
		metadata: { name: `job-${name}-0a1b2`, namespace: "spillway", labels: { "kueue.x-k8s.io/job-uid": uid } },
		spec: { active: true, queueName: "default" },
		status: { conditions: [] },
	});
	recordEvent(emulator.store, workload, {
		type: "Normal",
		reason: "EvictedDueToClusterQueueStopped",
		message: "The ClusterQueue is stopped",
	});
	emulator.suspend(name, true);
	await until(id, "lost");
	emulator.suspend(name, false);
	const logged = async () => (await readAll(driver, id)).filter((l) => l.stream === "spillway").map((l) => l.text);
	expect(await logged()).toEqual(["cluster event Kueue ClusterQueueStopped: The ClusterQueue is stopped"]);
});
