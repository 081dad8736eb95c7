import { expect, it } from "vitest";
import { podSchema } from "./objects.ts";
import { podStateOf } from "./observe-attempt.ts";

const META = { attemptId: "att_1", jobId: "job_1", attemptNo: 1, poolId: "p", slots: [0], nodes: 1, command: "train" };
const around = { nowMs: Date.parse("2026-11-22T08:10:00Z"), isNodeReady: () => true, nodeLostAfterMs: 60_000 };

/** A pod of which the kubelet says that its container ended so. */
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
	["killed by somebody else", { exitCode: 137, reason: "Error" }, { code: null, signal: "SIGKILL", error: null }],
	["an end of its own", { exitCode: 3, reason: "Error" }, { code: 3, signal: null, error: null }],
	[
		"a program that is not there",
		{ exitCode: 128, reason: "StartError", message: "exec: no such file" },
		{ code: null, signal: null, error: 'the command "train" could not be started: exec: no such file', failedAt: "start" },
	],
])("takes %s for what it is", (_what, terminated, exit) => {
	expect(podStateOf(ended(terminated), META, around)).toMatchObject({ kind: "over", cause: "ended", exit });
});
