import { describe, expect, it } from "vitest";
import { podSchema } from "./objects.ts";
import { type AttemptFacts, mountProblemOf, noRoomOf, observationOf, podStateOf, unpreparedPodOf, waitOf } from "./observe-attempt.ts";

const META = { attemptId: "att_1", jobId: "job_1", attemptNo: 1, poolId: "p", slots: [0], nodes: 1, command: "train" };
const around = { nowMs: Date.parse("2026-11-22T08:10:00Z"), isNodeReady: () => true, nodeLostAfterMs: 60_000 };

/** A pod with a container that ended like this, by the kubelet's report. */
const ended = (terminated: { exitCode: number; reason: string; message?: string }) =>
	podSchema.parse({
		metadata: { name: "x", namespace: "spillway" },
		spec: { nodeName: "a", containers: [] },
		status: {
			phase: terminated.exitCode === 0 ? "Succeeded" : "Failed",
			containerStatuses: [
				{ state: { terminated: { ...terminated, startedAt: "2026-11-22T08:00:00Z", finishedAt: "2026-11-22T08:05:00Z" } } },
			],
		},
	});

it.each([
	["OOMKilled", { exitCode: 137, reason: "OOMKilled" }, { code: null, signal: "SIGKILL", error: null, outOfMemory: true }],
	["killed by someone else", { exitCode: 137, reason: "Error" }, { code: null, signal: "SIGKILL", error: null }],
	["its own exit", { exitCode: 3, reason: "Error" }, { code: 3, signal: null, error: null }],
	[
		"a missing program",
		{ exitCode: 128, reason: "StartError", message: "exec: no such file" },
		{ code: null, signal: null, error: 'the command "train" could not be started: exec: no such file', failedAt: "start" },
	],
])("takes %s for what it is", (_what, terminated, exit) => {
	expect(podStateOf(ended(terminated), META, around)).toMatchObject({ kind: "over", cause: "ended", exit });
});

describe("an attempt that is withdrawn because no node arrived", () => {
	const askedAt = "2026-11-22T08:09:00Z";
	const seen = (pod: ReturnType<typeof podSchema.parse>) => {
		const verdict = { atMs: Date.parse(askedAt), error: "no node came", failedAt: "room" as const };
		const facts: AttemptFacts = { ...{ meta: META, job: null, pods: [pod], asJob: false, createdAtMs: 0, stop: null }, verdict };
		return observationOf(facts, around);
	};
	const deleted = { name: "x", namespace: "spillway", deletionTimestamp: askedAt, deletionGracePeriodSeconds: 1 };

	it("never ran, and there was no capacity for it", () => {
		const pod = podSchema.parse({ metadata: deleted, spec: { containers: [] }, status: { phase: "Pending" } });
		expect(seen(pod)).toMatchObject({ phase: "lost", startedAtMs: null, noRoom: "no node came" });
	});

	it("has its own end if a node arrived after all and it ended before it was asked to", () => {
		expect(seen(ended({ exitCode: 0, reason: "Completed" }))).toMatchObject({ phase: "exited", exit: { code: 0 } });
	});

	it("is lost, and not unplaced, if it had started by then", () => {
		const terminated = { exitCode: 143, reason: "Error", startedAt: "2026-11-22T08:08:59Z", finishedAt: "2026-11-22T08:09:01Z" };
		const status = { phase: "Failed", containerStatuses: [{ state: { terminated } }] };
		const one = seen(podSchema.parse({ metadata: deleted, spec: { nodeName: "a", containers: [] }, status }));
		expect(one).toMatchObject({ phase: "lost", startedAtMs: Date.parse("2026-11-22T08:08:59Z") });
		expect(one.noRoom).toBeUndefined();
	});
});

it("distinguishes Karpenter's message for a pod without a node from the scheduler's, which has the same reason", () => {
	const message = "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.";
	const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }];
	const pod = podSchema.parse({
		metadata: { name: "x", namespace: "spillway" },
		spec: { containers: [] },
		status: { phase: "Pending", conditions },
	});
	const about = { kind: "Pod", name: "x", uid: "1" };
	const scheduler = { about, warning: true, reason: "FailedScheduling", message, atMs: 2 };
	const karpenter = {
		...scheduler,
		message: 'Failed to schedule pod, all available instance types exceed limits for nodepool: "gpu"',
		atMs: 1,
	};
	const wait = (unplaced: (typeof scheduler)[]) => waitOf({ pods: [pod] }, { queued: [], unplaced });
	expect(wait([scheduler])).toEqual({ reason: "Unschedulable", detail: message });
	expect(wait([scheduler, karpenter])).toEqual({ reason: "FailedScheduling", detail: karpenter.message });
});

it.each([
	["max node group size reached", "1 max node group size reached", true],
	["in backoff", "2 node(s) didn't match Pod's node affinity/selector, 1 in backoff after failed scale-up", true],
	["the cluster's maximum number of nodes", "max total nodes in cluster reached", true],
	["a cluster-wide limit", '1 exceeded quota: "cluster-wide", resources: cpu', true],
	["a cluster-wide limit, in the older wording", "1 max cluster cpu, nvidia.com/gpu limit reached", true],
	["a limit that passes soon", "1 not ready for scale-up", false],
])("stops waiting if cluster-autoscaler reports %s", (_what, why, gives) => {
	const metadata = { name: "x", namespace: "spillway", creationTimestamp: "2026-11-22T08:09:59Z" };
	const pod = podSchema.parse({ metadata, spec: { containers: [] }, status: { phase: "Pending" } });
	const facts: AttemptFacts = { meta: META, job: null, pods: [pod], asJob: true, createdAtMs: 0, stop: null, verdict: null };
	const message = `pod didn't trigger scale-up: ${why}`;
	const says = [{ about: { kind: "Pod", name: "x", uid: "1" }, warning: false, reason: "NotTriggerScaleUp", message, atMs: 1 }];
	const error = `no node available for pod x: ${message}`;
	expect(noRoomOf(facts, says, { nowMs: around.nowMs, patienceMs: 60_000 })).toEqual(gives ? { error, failedAt: "room" } : null);
});

it("gives up on a job when its node cannot mount a volume within the time for start problems, and on no job without mounts", () => {
	const pod = podSchema.parse({
		metadata: { name: "x", namespace: "spillway", creationTimestamp: "2026-11-22T08:00:00Z" },
		spec: { nodeName: "a", containers: [] },
		status: { phase: "Pending", containerStatuses: [{ state: { waiting: { reason: "ContainerCreating" } } }] },
	});
	const facts = (mounts: boolean): AttemptFacts => ({
		...{ meta: { ...META, ...(mounts && { mounts }) }, job: null, pods: [pod], asJob: false, createdAtMs: 0, stop: null, verdict: null },
	});
	expect(unpreparedPodOf(facts(true), around, 300_000)).toBe(pod);
	expect(unpreparedPodOf(facts(true), around, 900_000)).toBeNull();
	expect(unpreparedPodOf(facts(false), around, 300_000)).toBeNull();
	const event = (reason: string, message: string) => ({
		about: { kind: "Pod", name: "x", uid: "1" },
		reason,
		message,
		warning: true,
		atMs: 0,
	});
	const mountFailed = event("FailedMount", "mount.nfs: access denied by server");
	expect(mountProblemOf(pod, [event("Pulling", "image"), mountFailed])).toEqual({
		error: "pod x cannot start: FailedMount: mount.nfs: access denied by server",
		failedAt: "staging",
	});
	expect(mountProblemOf(pod, [event("Pulling", "image")])).toBeNull();
});
