import { readFile } from "node:fs/promises";
import { afterEach, describe, expect, it } from "vitest";
import { convertForeignJob } from "#server/domain/imports/adoption.ts";
import { defined } from "#server/kernel/assert.ts";
import { eventually } from "../contract/cluster-harness.ts";
import { type EmulatedCluster, startEmulatedCluster, THEIR_NAMESPACE } from "../testing/emulated-kubernetes.ts";
import { theirJobs } from "../testing/their-jobs.ts";
import { KubernetesDriver } from "./driver.ts";
import type { KubernetesQueue } from "./queue.ts";

const MARK = "adp_1";
const RAN = { outcome: "succeeded", exitCode: 0, comment: "ran in the cloud as job_1: exit code 0" } as const;
const clock = { passTime: () => new Promise<void>((resolve) => setTimeout(resolve, 10)) };

describe("jobs of others on Kubernetes", () => {
	let cluster: EmulatedCluster;
	let driver: KubernetesDriver;
	let theirs: ReturnType<typeof theirJobs>;
	let queue: KubernetesQueue;

	async function open(options: Parameters<typeof startEmulatedCluster>[0] = {}): Promise<void> {
		cluster = await startEmulatedCluster(options);
		driver = new KubernetesDriver("lab", { ...cluster.settings, adoptFrom: [THEIR_NAMESPACE] });
		theirs = theirJobs(cluster.emulator);
		queue = defined(driver.queue, "queue");
	}
	/** A job that uses every GPU, so that the next has to wait. */
	async function full(): Promise<void> {
		const first = await theirs.submit({ gpus: 8, runs: "long" });
		await eventually(clock, "all GPUs are taken", async () => (await queue.look(first)).state === "running");
	}
	const foreign = async (id: string) => (await driver.observe()).foreign?.jobs.find((job) => job.id === id);

	afterEach(async () => {
		await driver.close({ stopJobs: false, graceMs: 0 });
		await cluster.stop();
	});

	it("leaves a job that Kueue or another controller starts to that controller", async () => {
		await open();
		await full();
		const kueue = await theirs.submit({ gpus: 8, runs: "briefly", optIn: true, labels: { "kueue.x-k8s.io/queue-name": "gpus" } });
		const owned = theirs.submitted({ gpus: 8, runs: "briefly", optIn: true });
		cluster.emulator.store.update("jobs", {
			...owned,
			metadata: { ...owned.metadata, ownerReferences: [{ apiVersion: "jobset.x-k8s.io/v1alpha2", kind: "JobSet", name: "set", uid: "u" }] },
		});
		for (const [id, manager] of [
			[kueue, "Kueue"],
			[owned.metadata.uid ?? "", "JobSet set"],
		] as const) {
			expect(await queue.hold(id, MARK)).toMatchObject({ state: "waiting", holdMark: null });
			expect(theirs.byId(id).spec.suspend).toBe(false);
			expect((await queue.readScript(id)).obstacles).toEqual([`${manager} controls when it starts, so it is not adopted.`]);
			await eventually(clock, "it is seen", async () => (await foreign(id))?.optIn === null);
		}
	});

	it("reports one that Kueue has not admitted as pending, because it starts by itself, and one that its owner suspended as held", async () => {
		await open();
		await full();
		const queued = await theirs.submit({ gpus: 8, runs: "briefly", labels: { "kueue.x-k8s.io/queue-name": "gpus" } });
		const own = await theirs.submit({ gpus: 8, runs: "briefly" });
		for (const id of [queued, own]) await theirs.hold(id);
		const seen = async (id: string) => {
			const job = await foreign(id);
			return job && [job.state, job.waitingReason];
		};
		await eventually(clock, "Kueue's is seen", async () => (await seen(queued))?.[1] === "Kueue");
		expect(await seen(queued)).toEqual(["waiting", "Kueue"]);
		await eventually(clock, "the owner's is seen", async () => (await seen(own))?.[1] === "Suspended");
		expect(await seen(own)).toEqual(["held", "Suspended"]);
	});

	it("accepts only true as the label's value", async () => {
		await open();
		await full();
		const [yes, no, none] = [
			await theirs.submit({ gpus: 4, runs: "long", optIn: true }),
			await theirs.submit({ gpus: 4, runs: "long", labels: { "spillway.dev/adopt": "false" } }),
			await theirs.submit({ gpus: 4, runs: "long" }),
		];
		for (const id of [yes, no, none]) await eventually(clock, "it is seen", () => foreign(id));
		expect(await Promise.all([yes, no, none].map(async (id) => (await foreign(id))?.optIn))).toEqual(["true", null, null]);
	});

	it("reads a manifest that can be converted to a cloud job", async () => {
		await open();
		await full();
		const id = await theirs.submit({ gpus: 4, runs: "briefly", optIn: true });
		const facts = await eventually(clock, "it waits", () => foreign(id));
		const context = { team: "research", teams: [], acceleratorsNamed: () => [], zoneOffsetMinutes: 0, email: null, nowMs: 0 };
		const made = convertForeignJob(await queue.readScript(id), facts, context);
		expect(made).toMatchObject({
			spec: { image: "busybox", command: ["true", "for", "the", "thesis"], nodes: 1, resources: { gpus: 4 }, team: "research" },
		});
	});

	it("gives a finished job the condition that its own end would have set, and its outcome for its owner", async () => {
		await open();
		await full();
		const [good = "", bad = ""] = [await theirs.submit({ gpus: 8, runs: "briefly" }), await theirs.submit({ gpus: 8, runs: "briefly" })];
		for (const id of [good, bad]) expect(await queue.hold(id, MARK)).toMatchObject({ state: "held", holdMark: MARK });
		expect(await queue.finish(good, RAN)).toMatchObject({ state: "over", startedAtMs: null, end: { outcome: "succeeded", exitCode: 0 } });
		const failed = { outcome: "failed", exitCode: 3, comment: "ran in the cloud as job_2: exit code 3" } as const;
		expect(await queue.finish(bad, failed)).toMatchObject({ state: "over", end: { outcome: "failed", exitCode: 3 } });
		const conditions = (id: string) => theirs.byId(id).status.conditions?.map((c) => [c.type, c.reason, c.message]);
		expect(conditions(good)).toContainEqual(["Complete", "RanElsewhere", RAN.comment]);
		expect(conditions(bad)).toContainEqual(["Failed", "RanElsewhere", failed.comment]);
		expect(theirs.byId(good).metadata.annotations).not.toHaveProperty("spillway.dev/held-for");
		await eventually(clock, "they have left the queue", async () => !(await foreign(good)) && !(await foreign(bad)));
		expect(cluster.emulator.store.list("pods", THEIR_NAMESPACE).filter((p) => /thesis-[23]/.test(p.metadata.name))).toEqual([]);
	});

	it("counts it as ended without that condition too, until its owner resumes it", async () => {
		await open();
		await full();
		const id = await theirs.submit({ gpus: 8, runs: "briefly" });
		await queue.hold(id, MARK);
		cluster.emulator.faults.add({ method: "PATCH", path: /\/status$/, times: 6, does: { status: 422 } });
		expect(await queue.finish(id, RAN)).toMatchObject({ state: "over", end: { outcome: "succeeded" } });
		expect(theirs.byId(id).status.conditions ?? []).toEqual([]);
		cluster.emulator.suspend(theirs.byId(id).metadata.name, false, THEIR_NAMESPACE);
		expect((await queue.look(id)).state).toBe("waiting");
	});

	it("writes that condition again when it was rejected or its response was lost", async () => {
		await open();
		await full();
		const [refused, lost] = [await theirs.submit({ gpus: 8, runs: "briefly" }), await theirs.submit({ gpus: 8, runs: "briefly" })];
		for (const id of [refused, lost]) await queue.hold(id, MARK);
		const types = (id: string) => theirs.byId(id).status.conditions?.map(({ type }) => type) ?? [];
		cluster.emulator.faults.add({ method: "PATCH", path: /\/status$/, times: 2, does: { status: 422 } });
		await queue.finish(refused, RAN);
		expect(types(refused)).toContain("Complete");
		cluster.emulator.faults.add({ method: "PATCH", path: /\/status$/, times: 1, does: { cut: true } });
		await expect(queue.finish(lost, RAN)).rejects.toMatchObject({ kind: "transient" });
		expect(types(lost)).not.toContain("Complete");
		await queue.finish(lost, { outcome: "failed", exitCode: 9, comment: "another time" });
		expect(types(lost)).toContain("Complete");
		expect(await queue.look(lost)).toMatchObject({ state: "over", end: { outcome: "succeeded", exitCode: 0 } });
	});

	it("holds nothing on a server that cannot suspend Jobs, and reports the version that can", async () => {
		await open({ minor: 20 });
		await full();
		const id = await theirs.submit({ gpus: 8, runs: "briefly" });
		await expect(queue.hold(id, MARK)).rejects.toMatchObject({
			kind: "invalid_request",
			message: expect.stringContaining("requires 1.22 or newer"),
		});
		await expect(queue.check()).rejects.toMatchObject({ kind: "invalid_request" });
		expect(await queue.look(id)).toMatchObject({ state: "waiting", holdMark: null });
	});

	it("continues as a site without the rights for it, and reports that when used", async () => {
		await open({ roles: await readFile("docs/providers/kubernetes-rbac.yaml", "utf8") });
		await expect(queue.check()).rejects.toMatchObject({ kind: "unauthorized" });
		const id = await theirs.submit({ gpus: 4, runs: "long", optIn: true });
		expect(await eventually(clock, "it is seen", () => foreign(id))).toMatchObject({ optIn: null });
	});
});
