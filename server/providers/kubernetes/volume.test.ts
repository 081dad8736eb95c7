import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { parseJobDocument } from "#server/domain/job-file.ts";
import type { StartAttempt } from "../driver.ts";
import { SiteVolume } from "./volume.ts";

const ID = "att_01kaaaaaaaaaaaaaaaaaaaaaaa_001";
let folder = "";
beforeEach(async () => {
	folder = await mkdtemp(path.join(tmpdir(), "spillway-volume-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const request: StartAttempt = {
	...{ attemptId: ID, jobId: "job_01kaaaaaaaaaaaaaaaaaaaaaaa", attemptNo: 1, poolId: "gpu", slots: [0], restoreFrom: null },
	spec: parseJobDocument({
		apiVersion: "spillway/v1",
		kind: "Job",
		metadata: { name: "a", team: "research" },
		spec: { command: ["true"], nodes: 1, resources: { gpus: 1 }, duration: { estimate: "1m", max: "10m" } },
	}),
};

it("one response of the cluster without a submitted job means nothing; three over half a minute mean that it is lost", async () => {
	const volume = new SiteVolume({ folder, mountPath: "/spillway", source: { hostPath: folder } }, async () => {});
	await volume.handOver(request);
	const none = new Set<string>();
	expect(await volume.others(new Set([ID]), 0)).toEqual([]);
	expect(await volume.others(none, 1_000)).toEqual([]);
	expect(await volume.others(none, 20_000)).toEqual([]);
	expect(await volume.others(new Set([ID]), 30_000)).toEqual([]);
	expect(await volume.others(none, 31_000)).toEqual([]);
	expect(await volume.others(none, 45_000)).toEqual([]);
	expect(await volume.others(none, 61_000)).toMatchObject([{ poolId: "gpu", observation: { attemptId: ID, phase: "lost" } }]);
	await volume.forget(ID);
	await expect(access(path.join(folder, ID))).rejects.toThrow("ENOENT");
	await volume.close();
});
