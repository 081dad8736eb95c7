import { expect, it } from "vitest";
import type { JobSpec } from "#server/domain/job.ts";
import { admitted } from "#server/emulators/kubernetes/admission.ts";
import { type ApiObject, RESOURCE_TYPES } from "#server/emulators/kubernetes/objects.ts";
import { checkObject } from "#server/emulators/kubernetes/wire/check-object.ts";
import { defined } from "#server/kernel/assert.ts";
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

it("gives the pods of a gang the variables that torchrun reads, as on cloud machines", () => {
	const job = jobOf(input(), { indexed: true, podReplacement: true });
	const env = job.spec?.template.spec?.containers[0]?.env ?? [];
	const given = (name: string) => env.filter((variable) => variable.name === name).map(({ value, valueFrom }) => value ?? valueFrom);
	const master = job.metadata?.name;
	expect(given("MASTER_ADDR")).toEqual([`${master}-0.${master}.spillway.svc`]);
	expect([given("NNODES"), given("NPROC_PER_NODE"), given("WORLD_SIZE"), given("PET_MASTER_PORT")]).toEqual([
		...[["3"], ["8"], ["24"], ["29500"]],
	]);
	// Once, and not with the job file's value.
	expect([given("NODE_RANK"), given("PET_NODE_RANK"), given("SEED")]).toEqual([[RANK], [RANK], ["7"]]);
	expect(podsOf(input()).map((pod) => pod.metadata?.annotations?.["batch.kubernetes.io/job-completion-index"])).toEqual(["0", "1", "2"]);
});

it("gives a gang an Indexed Job without retries, and a headless service that resolves its pods before they are ready", () => {
	const { metadata, spec: job } = jobOf(input(), { indexed: true, podReplacement: true });
	expect(job).toMatchObject({ completionMode: "Indexed", completions: 3, parallelism: 3, backoffLimit: 0, podReplacementPolicy: "Failed" });
	const service = serviceOf("att_1_001", "lab");
	expect(service.spec).toMatchObject({ clusterIP: "None", publishNotReadyAddresses: true });
	expect(job?.template.spec?.subdomain).toBe(service.metadata?.name);
	expect(metadata?.name).toBe(service.metadata?.name);
	expect(job?.template.metadata?.labels).toMatchObject(service.spec?.selector ?? { none: "none" });
});

it("gives a job of one node none of it, and leaves its own variables unchanged", () => {
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

it("starts a job without an image in its work folder, and one with an image in the image's folder", () => {
	const folders = { attempt: "/vol/att_1_001", checkpoints: "/vol/att_1_001/checkpoints", mounts: [] };
	const settings = kubernetesSettingsSchema.parse({ access: { inCluster: true }, namespace: "spillway", image: "busybox" });
	const startsIn = (changes: Partial<JobSpec>, more: Partial<ManifestInput> = {}) =>
		jobOf({ ...input({ nodes: 1, ...changes }), settings, ...more }, { indexed: true, podReplacement: true }).spec?.template.spec
			?.containers[0]?.workingDir;
	expect(startsIn({ image: null })).toBe("/spillway");
	expect(startsIn({ image: null }, { folders })).toBe("/vol/att_1_001/work");
	expect(startsIn({ image: "acme/train:1" }, { folders })).toBeUndefined();
});

const MOUNTS = [
	{ name: "imagenet", type: "nfs", source: "nfs.example.com:/export/imagenet" },
	{ name: "scratch", type: "lustre", source: "pvc:scratch", readOnly: false },
	{ name: "models", type: "local", source: "/data/models" },
] as const;

function withMounts(...mounts: string[]): ManifestInput {
	const made = input({ nodes: 1, mounts });
	const settings = kubernetesSettingsSchema.parse({ access: { inCluster: true }, namespace: "spillway", mounts: MOUNTS });
	return { ...made, settings };
}

it("gives a job the mounts that it requests as volumes at /mnt/<name>, which a server accepts", () => {
	const job = jobOf(withMounts("scratch", "imagenet", "models"), { indexed: true, podReplacement: true });
	const pod = job.spec?.template.spec;
	expect(pod?.volumes?.filter(({ name }) => name.startsWith("mount-"))).toEqual([
		{ name: "mount-0", persistentVolumeClaim: { claimName: "scratch", readOnly: false } },
		{ name: "mount-1", nfs: { server: "nfs.example.com", path: "/export/imagenet", readOnly: true } },
		{ name: "mount-2", hostPath: { path: "/data/models", type: "Directory" } },
	]);
	expect(pod?.containers[0]?.volumeMounts?.filter(({ name }) => name.startsWith("mount-"))).toEqual([
		{ name: "mount-0", mountPath: "/mnt/scratch", readOnly: false },
		{ name: "mount-1", mountPath: "/mnt/imagenet", readOnly: true },
		{ name: "mount-2", mountPath: "/mnt/models", readOnly: true },
	]);
	expect(pod?.containers[0]?.env).toContainEqual({ name: "SPILLWAY_MOUNT_IMAGENET", value: "/mnt/imagenet" });
	checkObject("Job", job);
	const type = defined(
		RESOURCE_TYPES.find(({ kind }) => kind === "Job"),
		"jobs",
	);
	expect(() => admitted(type, job as unknown as ApiObject, { namespace: "spillway", isOld: false })).not.toThrow();
});

it("rejects a mount that the site does not have, and Lustre servers, which pods cannot mount", () => {
	expect(() => jobOf(withMounts("other"), { indexed: true, podReplacement: true })).toThrow("the Kubernetes site has no mount other");
	const mounts = [{ name: "a", type: "lustre", source: "10.0.0.5@tcp:/a" }];
	const settings = { access: { inCluster: true }, namespace: "spillway", mounts };
	expect(kubernetesSettingsSchema.safeParse(settings).error?.issues[0]?.message).toMatch(/pvc:NAME/);
});

it.each([
	[{ nfs: { server: "", path: "/a" } }, /nfs\.server: Required/],
	[{ nfs: { server: "h", path: "a" } }, /absolute path/],
	[{ hostPath: { path: "/a/../b" } }, /must not contain/],
	[{ hostPath: { path: "/a", type: "Folder" } }, /Unsupported value/],
	[{ emptyDir: {}, hostPath: { path: "/a" } }, /more than 1 volume type/],
	[{}, /must specify a volume type/],
])("is tested by an emulator that rejects the volume %j, as a server does", (source, message) => {
	const pod = defined(podsOf(input({ nodes: 1 }))[0], "a pod");
	const spec = { ...pod.spec, volumes: [...(pod.spec?.volumes ?? []), { name: "mount-0", ...source }] };
	const type = defined(
		RESOURCE_TYPES.find(({ kind }) => kind === "Pod"),
		"pods",
	);
	expect(() => admitted(type, { ...pod, spec } as unknown as ApiObject, { namespace: "spillway", isOld: false })).toThrow(message);
});

it("keeps a gang that needs a high-bandwidth interconnect on nodes with one value of the site's label", () => {
	const server = { indexed: true, podReplacement: true };
	const made = (settings: Record<string, unknown>, changes: Partial<JobSpec> = { interconnect: "high" }) => {
		const access = { access: { inCluster: true }, namespace: "spillway" };
		return jobOf({ ...input(changes), settings: kubernetesSettingsSchema.parse({ ...access, ...settings }) }, server);
	};
	const termsOf = (job: ReturnType<typeof made>) =>
		job.spec?.template.spec?.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
	const job = made({ topologyKey: "example.com/rail" });
	const [term] = termsOf(job) ?? [];
	expect(term?.topologyKey).toBe("example.com/rail");
	expect(job.spec?.template.metadata?.labels).toMatchObject(term?.labelSelector?.matchLabels ?? { none: "none" });
	const queued = made({ topologyKey: "example.com/rail", queue: "gpu" });
	expect(termsOf(queued)).toBeUndefined();
	const annotation = { "kueue.x-k8s.io/podset-required-topology": "example.com/rail" };
	expect(queued.spec?.template.metadata?.annotations).toMatchObject(annotation);
	for (const other of [made({}), made({ topologyKey: "example.com/rail" }, {})]) expect(termsOf(other)).toBeUndefined();
});
