import { expect, it } from "vitest";
import type { JobSpec } from "#server/domain/job.ts";
import { jobOf, type ManifestInput, podsOf, serviceOf } from "./manifest.ts";
import { kubernetesSettingsSchema } from "./settings.ts";

const spec: JobSpec = {
	...{ name: "j", team: "t", project: null, labels: {}, class: "burst", image: "acme/train:1", command: ["torchrun", "train.py"] },
	...{ env: { SEED: "7", NODE_RANK: "9" }, nodes: 3, resources: { gpus: 8, accelerators: [], cpus: null, memoryGiB: null } },
	...{ duration: { estimateMs: null, maxMs: null }, deadlineMs: null, priority: 50, critical: false, checkpoint: null, data: [] },
};
const input = (changes: Partial<JobSpec> = {}): ManifestInput => ({
	...{ attemptId: "att_1_001", jobId: "job_1", attemptNo: 1, spec: { ...spec, ...changes }, slots: [], siteLabel: "lab", folders: null },
	pool: { id: "p", accelerator: "H100-80GB", resource: "nvidia.com/gpu", gpusPerNode: 8, selector: {}, nodes: [], nodesToCome: 0 },
	settings: kubernetesSettingsSchema.parse({ access: { inCluster: true }, namespace: "spillway" }),
});
const RANK = { fieldRef: { fieldPath: "metadata.annotations['batch.kubernetes.io/job-completion-index']" } };

it("gives the pods of a gang what torchrun reads, as machines in the cloud have it", () => {
	const job = jobOf(input(), { indexed: true, podReplacement: true });
	const env = job.spec?.template.spec?.containers[0]?.env ?? [];
	const given = (name: string) => env.filter((variable) => variable.name === name).map(({ value, valueFrom }) => value ?? valueFrom);
	const master = job.metadata?.name;
	expect(given("MASTER_ADDR")).toEqual([`${master}-0.${master}.spillway.svc`]);
	expect([given("NNODES"), given("NPROC_PER_NODE"), given("WORLD_SIZE"), given("PET_MASTER_PORT")]).toEqual([
		...[["3"], ["8"], ["24"], ["29500"]],
	]);
	// Once, and not as the job file says.
	expect([given("NODE_RANK"), given("PET_NODE_RANK"), given("SEED")]).toEqual([[RANK], [RANK], ["7"]]);
	expect(podsOf(input()).map((pod) => pod.metadata?.annotations?.["batch.kubernetes.io/job-completion-index"])).toEqual(["0", "1", "2"]);
});

it("gives a gang an Indexed Job that is tried once, and a headless service that finds its pods before they are ready", () => {
	const { metadata, spec: job } = jobOf(input(), { indexed: true, podReplacement: true });
	expect(job).toMatchObject({ completionMode: "Indexed", completions: 3, parallelism: 3, backoffLimit: 0, podReplacementPolicy: "Failed" });
	const service = serviceOf("att_1_001", "lab");
	expect(service.spec).toMatchObject({ clusterIP: "None", publishNotReadyAddresses: true });
	expect(job?.template.spec?.subdomain).toBe(service.metadata?.name);
	expect(metadata?.name).toBe(service.metadata?.name);
	expect(job?.template.metadata?.labels).toMatchObject(service.spec?.selector ?? { none: "none" });
});

it("gives a job of one node none of it, and its own variables as they are", () => {
	const job = jobOf(input({ nodes: 1 }), { indexed: true, podReplacement: true });
	const names = job.spec?.template.spec?.containers[0]?.env?.map(({ name }) => name);
	expect(names).toEqual([
		"SEED",
		"NODE_RANK",
		"SPILLWAY_JOB_ID",
		"SPILLWAY_ATTEMPT",
		"SPILLWAY_NODES",
		"SPILLWAY_WORK_DIR",
		"SPILLWAY_CHECKPOINT_DIR",
	]);
});

it("starts a job without an image in its work folder, and one with an image in the image's", () => {
	const folders = { attempt: "/vol/att_1_001", checkpoints: "/vol/att_1_001/checkpoints", mounts: [] };
	const settings = kubernetesSettingsSchema.parse({ access: { inCluster: true }, namespace: "spillway", image: "busybox" });
	const startsIn = (changes: Partial<JobSpec>, more: Partial<ManifestInput> = {}) =>
		jobOf({ ...input({ nodes: 1, ...changes }), settings, ...more }, { indexed: true, podReplacement: true }).spec?.template.spec
			?.containers[0]?.workingDir;
	expect(startsIn({ image: null })).toBe("/spillway");
	expect(startsIn({ image: null }, { folders })).toBe("/vol/att_1_001/work");
	expect(startsIn({ image: "acme/train:1" }, { folders })).toBeUndefined();
});
