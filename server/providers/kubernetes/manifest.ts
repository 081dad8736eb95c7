import type {
	V1Container,
	V1EnvVar,
	V1Job,
	V1Pod,
	V1PodSpec,
	V1Secret,
	V1Service,
	V1Toleration,
	V1Volume,
	V1VolumeMount,
} from "@kubernetes/client-node";
import { gangEnvironment } from "#server/agent/job-environment.ts";
import { outputPathsOf } from "#server/agent/output-files.ts";
import { needsInterconnect } from "#server/domain/interconnect.ts";
import type { JobSpec } from "#server/domain/job.ts";
import type { DeliveredSecrets } from "#server/domain/job-secret.ts";
import { outputVariable } from "#server/domain/output.ts";
import { exportOf, mountPathOf, mountVariable, type SiteMount, sourceFormOf } from "#server/domain/site-mount.ts";
import { DriverError } from "../driver-errors.ts";
import { mountsOfJob } from "../start-rules.ts";
import { KUEUE } from "./kueue.ts";
import { ANNOTATIONS, CONTAINER, FINALIZER, LABELS, objectNameOf, STAYS } from "./names.ts";
import type { AttemptMeta } from "./objects.ts";
import type { KubePool } from "./pools.ts";
import type { ParsedKubernetesSettings, Toleration } from "./settings.ts";

/** Spillway ends a job at its time limit, with the reason. The pod's own limit is only a safety net. */
const LIMIT_SLACK_SECONDS = 600;
/** The default port on which PyTorch's launchers look for the first member of a gang. */
const MASTER_PORT = 29_500;
/** The gang variables that differ between pods. */
const RANKS = new Set(["NODE_RANK", "PET_NODE_RANK", "RANK"]);
const RANK_FIELD = `metadata.annotations['${LABELS.index}']`;
const WORK = "/spillway";
const SECRETS = "/run/spillway/secrets";
/** Prefixes of keys in an attempt's Secret. */
const ENV_KEY = "env.";
const FILE_KEY = "file.";

export interface ManifestInput {
	attemptId: string;
	jobId: string;
	attemptNo: number;
	spec: JobSpec;
	pool: KubePool;
	slots: number[];
	settings: ParsedKubernetesSettings;
	siteLabel: string;
	/** Path of the attempt's data and checkpoints below the site's volume. null without a volume. */
	folders: { attempt: string; checkpoints: string; mounts: { path: string; folder: string }[] } | null;
}

/**
 * A Job that runs an attempt once. The server retries nothing and does not replace a deleted pod, because Spillway decides
 * whether and where an attempt is repeated.
 */
export function jobOf(input: ManifestInput, server: { indexed: boolean; podReplacement: boolean }): V1Job {
	const { spec, settings } = input;
	const name = objectNameOf(input.attemptId);
	return {
		apiVersion: "batch/v1",
		kind: "Job",
		metadata: {
			name,
			labels: { ...labelsOf(input), ...(settings.queue === undefined ? {} : { [LABELS.queue]: settings.queue }) },
			annotations: annotationsOf(input),
		},
		spec: {
			parallelism: spec.nodes,
			completions: spec.nodes,
			backoffLimit: 0,
			...(server.indexed ? { completionMode: "Indexed" } : {}),
			...(server.podReplacement ? { podReplacementPolicy: "Failed" } : {}),
			// Kueue starts it.
			...(settings.queue === undefined ? {} : { suspend: true }),
			template: {
				metadata: {
					labels: labelsOf(input),
					annotations: { ...annotationsOf(input), ...STAYS, ...topologyAnnotation(input) },
					finalizers: [FINALIZER],
				},
				spec: podSpecOf(input, name),
			},
		},
	};
}

/** The same as plain pods, for servers that immediately replace a deleted pod of a Job, or have no completion index. */
export function podsOf(input: ManifestInput): V1Pod[] {
	const name = objectNameOf(input.attemptId);
	return Array.from({ length: input.spec.nodes }, (_, index) => {
		const spec = podSpecOf(input, name);
		const env: V1Container["env"] = [{ name: "JOB_COMPLETION_INDEX", value: String(index) }];
		return {
			apiVersion: "v1",
			kind: "Pod",
			metadata: {
				name: `${name}-${index}`,
				labels: { ...labelsOf(input), [LABELS.index]: String(index) },
				// As Indexed Jobs set it on their pods.
				annotations: { ...annotationsOf(input), ...STAYS, [LABELS.index]: String(index) },
				finalizers: [FINALIZER],
			},
			spec: { ...spec, hostname: `${name}-${index}`, containers: spec.containers.map((c) => ({ ...c, env: [...env, ...(c.env ?? [])] })) },
		};
	});
}

/** Gives the pods of a gang DNS names, even before they are ready. */
export function serviceOf(attemptId: string, siteLabel: string): V1Service {
	const name = objectNameOf(attemptId);
	const labels = { [LABELS.site]: siteLabel, [LABELS.attempt]: name };
	return {
		apiVersion: "v1",
		kind: "Service",
		metadata: { name, labels },
		spec: { clusterIP: "None", publishNotReadyAddresses: true, selector: { [LABELS.attempt]: name } },
	};
}

/** The attempt's secrets; its pods reference the keys that they use. */
export function secretOf(attemptId: string, siteLabel: string, { env, files }: DeliveredSecrets): V1Secret {
	const name = objectNameOf(attemptId);
	const entries = [
		...Object.entries(env).map(([key, value]) => [`${ENV_KEY}${key}`, value]),
		...Object.entries(files).map(([key, value]) => [`${FILE_KEY}${key}`, value]),
	];
	return {
		apiVersion: "v1",
		kind: "Secret",
		metadata: {
			name,
			labels: { "app.kubernetes.io/managed-by": "spillway", [LABELS.site]: siteLabel, [LABELS.attempt]: name },
		},
		type: "Opaque",
		immutable: true,
		stringData: Object.fromEntries(entries),
	};
}

function secretVariables({ secrets = [] }: JobSpec, name: string): V1EnvVar[] {
	return secrets.flatMap((ref) =>
		"env" in ref ? [{ name: ref.env, valueFrom: { secretKeyRef: { name, key: `${ENV_KEY}${ref.env}` } } }] : [],
	);
}

/** Secret files as a volume in memory. With `runAs`, its group reads them; without it, the container's user is unknown. */
function secretVolumeOf({ secrets = [] }: JobSpec, settings: ParsedKubernetesSettings, name: string) {
	const items = secrets.flatMap((ref) => ("file" in ref ? [{ key: `${FILE_KEY}${ref.file}`, path: ref.file }] : []));
	if (items.length === 0) return { volumes: [], mounts: [] };
	const defaultMode = settings.runAs === undefined ? 0o444 : 0o440;
	return {
		volumes: [{ name: "secrets", secret: { secretName: name, items, defaultMode } }],
		mounts: [{ name: "secrets", mountPath: SECRETS, readOnly: true }],
	};
}

function labelsOf({ attemptId, siteLabel }: ManifestInput): Record<string, string> {
	return { "app.kubernetes.io/managed-by": "spillway", [LABELS.site]: siteLabel, [LABELS.attempt]: objectNameOf(attemptId) };
}

function annotationsOf({ attemptId, jobId, attemptNo, pool, slots, spec }: ManifestInput): Record<string, string> {
	const command = (spec.command[0] ?? "").slice(0, 200);
	const secret = (spec.secrets ?? []).length > 0;
	const meta: AttemptMeta = {
		attemptId,
		jobId,
		attemptNo,
		poolId: pool.id,
		slots,
		nodes: spec.nodes,
		command,
		...(secret && { secret }),
		...(spec.mounts && { mounts: true }),
	};
	return { [ANNOTATIONS.attempt]: JSON.stringify(meta) };
}

function podSpecOf(input: ManifestInput, name: string): V1PodSpec {
	const { spec, pool, settings, folders } = input;
	const { gpus, cpus, memoryGiB } = spec.resources;
	const memory = memoryGiB === null ? {} : { memory: `${Math.ceil(memoryGiB * 1024)}Mi` };
	const gpu = gpus === 0 ? {} : { [pool.resource]: String(gpus) };
	const maxSeconds = spec.duration.maxMs === null ? null : Math.ceil(spec.duration.maxMs / 1_000) + LIMIT_SLACK_SECONDS;
	const image = spec.image ?? settings.image;
	if (image === undefined) {
		const what = `the job has no image, and the site has no default image; set an image for the job, or "image" in the site's settings`;
		throw new DriverError("invalid_request", `attempt ${input.attemptId} cannot start: ${what}`);
	}
	const storage = storageOf(input);
	const secretFiles = secretVolumeOf(spec, settings, name);
	const shared = sharedVolumesOf(mountsOfJob(spec, settings.mounts, "the Kubernetes site"));
	const gang = spec.nodes === 1 ? [] : gangVariables(input, name);
	return {
		restartPolicy: "Never",
		// The command is then not process 1, which ignores signals without a handler.
		shareProcessNamespace: true,
		enableServiceLinks: false,
		automountServiceAccountToken: false,
		terminationGracePeriodSeconds: settings.evictionGraceSeconds,
		...(maxSeconds === null ? {} : { activeDeadlineSeconds: maxSeconds }),
		...(Object.keys(pool.selector).length === 0 ? {} : { nodeSelector: pool.selector }),
		...(settings.tolerations.length === 0 ? {} : { tolerations: settings.tolerations.map(given) }),
		...affinityOf(input, name),
		...(settings.serviceAccount === undefined ? {} : { serviceAccountName: settings.serviceAccount }),
		...(settings.priorityClass === undefined ? {} : { priorityClassName: settings.priorityClass }),
		...(settings.imagePullSecrets.length === 0 ? {} : { imagePullSecrets: settings.imagePullSecrets.map((secret) => ({ name: secret })) }),
		...(settings.runAs === undefined
			? {}
			: { securityContext: { runAsUser: settings.runAs.user, runAsGroup: settings.runAs.group, fsGroup: settings.runAs.group } }),
		...(spec.nodes === 1 ? {} : { subdomain: name }),
		containers: [
			{
				name: CONTAINER,
				image,
				command: spec.command.map(literal),
				// As elsewhere, a job's own image starts in its WORKDIR. Paths of a job without an image are relative to its work folder.
				...(spec.image === null ? { workingDir: workFolderOf(folders) } : {}),
				env: [
					...Object.entries(environmentOf(input, folders))
						.filter(([key]) => !gang.some((variable) => variable.name === key))
						.map(([key, value]) => ({ name: key, value: literal(value) })),
					...gang,
					...secretVariables(spec, name),
				],
				resources: {
					requests: { ...gpu, ...memory, ...(cpus === null ? {} : { cpu: String(cpus) }) },
					limits: { ...gpu, ...memory },
				},
				volumeMounts: [...storage.mounts, ...secretFiles.mounts, ...shared.mounts],
				terminationMessagePolicy: "File",
			},
		],
		volumes: [...storage.volumes, ...secretFiles.volumes, ...shared.volumes],
	};
}

/** Keeps the pods of a gang on nodes with one value of the site's label. With Kueue, its annotation does that. */
function affinityOf({ spec, settings: { topologyKey, queue } }: ManifestInput, name: string): Pick<V1PodSpec, "affinity"> {
	if (topologyKey === undefined || queue !== undefined || !needsInterconnect(spec)) return {};
	const term = { topologyKey, labelSelector: { matchLabels: { [LABELS.attempt]: name } } };
	return { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
}

/** Kueue's topology-aware scheduling reads it from the pods. */
function topologyAnnotation({ spec, settings: { topologyKey, queue } }: ManifestInput): Record<string, string> {
	if (topologyKey === undefined || queue === undefined || !needsInterconnect(spec)) return {};
	return { [`${KUEUE}/podset-required-topology`]: topologyKey };
}

/** Drops undefined fields. */
function given(toleration: Toleration): V1Toleration {
	return Object.fromEntries(Object.entries(toleration).filter(([, value]) => value !== undefined));
}

/** Kubernetes expands `$(NAME)`; the command and its environment are escaped to stay literal. */
function literal(text: string): string {
	return text.replaceAll("$", "$$$$");
}

function workFolderOf(folders: ManifestInput["folders"]): string {
	return folders === null ? WORK : `${folders.attempt}/work`;
}

function environmentOf(input: ManifestInput, folders: ManifestInput["folders"]): Record<string, string> {
	const { spec, jobId, attemptNo } = input;
	const work = workFolderOf(folders);
	const outputs = Object.entries(outputPathsOf(work, spec.outputs)).map(([name, path]) => [outputVariable(name), path]);
	return {
		...spec.env,
		SPILLWAY_JOB_ID: jobId,
		SPILLWAY_ATTEMPT: String(attemptNo),
		SPILLWAY_NODES: String(spec.nodes),
		SPILLWAY_WORK_DIR: work,
		...((spec.secrets ?? []).some((ref) => "file" in ref) && { SPILLWAY_SECRETS_DIR: SECRETS }),
		...Object.fromEntries(outputs),
		...Object.fromEntries((spec.mounts ?? []).map((name) => [mountVariable(name), mountPathOf(name)])),
		SPILLWAY_CHECKPOINT_DIR: folders === null ? (spec.checkpoint?.path ?? `${WORK}/checkpoints`) : folders.checkpoints,
	};
}

/**
 * The rendezvous variables of torchrun and similar launchers, as on cloud machines. A pod's rank is its Kubernetes completion
 * index.
 */
function gangVariables({ spec, settings }: ManifestInput, name: string): V1EnvVar[] {
	const master = { address: `${name}-0.${name}.${settings.namespace}.svc`, port: MASTER_PORT };
	const known = gangEnvironment({ rank: 0, nodes: spec.nodes, master, gpusPerNode: spec.resources.gpus });
	return Object.entries(known).map(([key, value]) =>
		RANKS.has(key) ? { name: key, valueFrom: { fieldRef: { fieldPath: RANK_FIELD } } } : { name: key, value },
	);
}

/** Shared memory without a size limit, as data loaders need, and the attempt's part of the site's volume. */
function storageOf({ spec, settings, folders, attemptId }: ManifestInput): { volumes: V1Volume[]; mounts: V1VolumeMount[] } {
	const shm = { volumes: [{ name: "shm", emptyDir: { medium: "Memory" } }], mounts: [{ name: "shm", mountPath: "/dev/shm" }] };
	const { volume } = settings;
	if (!volume || !folders) {
		const paths = [WORK, ...(spec.checkpoint ? [spec.checkpoint.path] : [])];
		return {
			volumes: [...shm.volumes, ...paths.map((_, i) => ({ name: `scratch-${i}`, emptyDir: {} }))],
			mounts: [...shm.mounts, ...paths.map((mountPath, i) => ({ name: `scratch-${i}`, mountPath }))],
		};
	}
	const source =
		"claim" in volume.source
			? { persistentVolumeClaim: { claimName: volume.source.claim } }
			: { hostPath: { path: volume.source.hostPath } };
	const below = (folder: string) => `${attemptId}${folder.slice(folders.attempt.length)}`;
	const seen = [{ path: folders.attempt, folder: folders.attempt }, ...folders.mounts];
	return {
		volumes: [...shm.volumes, { name: "site", ...source }],
		mounts: [...shm.mounts, ...seen.map(({ path, folder }) => ({ name: "site", mountPath: path, subPath: below(folder) }))],
	};
}

/** The site's file systems that the job requests, at /mnt/<name>. */
function sharedVolumesOf(mounts: readonly SiteMount[]): { volumes: V1Volume[]; mounts: V1VolumeMount[] } {
	return {
		volumes: mounts.map((mount, i) => ({ name: `mount-${i}`, ...volumeSourceOf(mount) })),
		mounts: mounts.map(({ name, readOnly }, i) => ({ name: `mount-${i}`, mountPath: mountPathOf(name), readOnly })),
	};
}

function volumeSourceOf({ source, readOnly }: SiteMount): Omit<V1Volume, "name"> {
	switch (sourceFormOf(source)) {
		case "folder":
			// Without the type, a node that lacks the folder would give the pod an empty one.
			return { hostPath: { path: source, type: "Directory" } };
		case "claim":
			return { persistentVolumeClaim: { claimName: source.slice("pvc:".length), readOnly } };
		case "export":
			return { nfs: { ...exportOf(source), readOnly } };
	}
}
