import { randomBytes } from "node:crypto";
import type { V1Volume } from "@kubernetes/client-node";
import { ApiError } from "./api-error.ts";
import type { ApiObject, JobObject, PodObject, ResourceType } from "./objects.ts";
import { dropLater } from "./wire/check-object.ts";

/**
 * Sets defaults and validates an object when it is created.
 * @throws ApiError Invalid
 */
export function admitted(type: ResourceType, body: ApiObject, options: { namespace: string | null; isOld: boolean }): ApiObject {
	const object = options.isOld ? dropLater(type.kind, body) : body;
	const { metadata } = object;
	const name = metadata.name ?? (metadata.generateName ? `${metadata.generateName}${randomBytes(3).toString("hex").slice(0, 5)}` : "");
	const refuse = (why: string) => {
		throw new ApiError(422, "Invalid", `${type.kind}${type.group ? `.${type.group}` : ""} "${name}" is invalid: ${why}`);
	};
	const max = type.plural === "jobs" || type.plural === "services" ? 63 : 253;
	if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name) || name.length > max) refuse(`metadata.name: Invalid value: ${JSON.stringify(name)}`);
	for (const [key, value] of Object.entries(metadata.labels ?? {})) {
		if (!/^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/.test(value))
			refuse(`metadata.labels: Invalid value: ${JSON.stringify(value)} of ${key}`);
	}
	const named = { ...object, metadata: { ...metadata, name, ...(type.isNamespaced ? { namespace: options.namespace ?? "default" } : {}) } };
	if (type.kind === "Job") return admittedJob(named as JobObject, options.isOld, refuse);
	if (type.kind === "Pod") return admittedPod(named as PodObject, refuse);
	if (type.kind === "Secret") return admittedSecret(named, refuse);
	if (type.kind === "Node") return { spec: {}, status: {}, ...named } as ApiObject;
	return named;
}

type Refuse = (why: string) => void;

/** `stringData` is stored as `data`, and never returned. */
function admittedSecret(
	secret: ApiObject & { data?: Record<string, string>; stringData?: Record<string, string> },
	refuse: Refuse,
): ApiObject {
	const { stringData = {}, data = {}, ...rest } = secret;
	const strange = Object.keys({ ...data, ...stringData }).find((key) => !/^[-._a-zA-Z0-9]{1,253}$/.test(key));
	if (strange !== undefined) refuse(`data[${strange}]: Invalid value: ${JSON.stringify(strange)}`);
	const encoded = Object.entries(stringData).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
	return { ...rest, data: { ...data, ...Object.fromEntries(encoded) } } as ApiObject;
}

function admittedJob(job: JobObject, isOld: boolean, refuse: Refuse): JobObject {
	const { spec } = job;
	if (!["Never", "OnFailure"].includes(spec.template?.spec?.restartPolicy ?? ""))
		refuse('spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"');
	if (spec.completionMode === "Indexed" && spec.completions === undefined)
		refuse("spec.completions: Required value: when completion mode is Indexed");
	if (spec.podReplacementPolicy !== undefined && !["Failed", "TerminatingOrFailed"].includes(spec.podReplacementPolicy))
		refuse("spec.podReplacementPolicy: Unsupported value");
	checkPodSpec(spec.template.spec as PodObject["spec"], refuse);
	const defaults = {
		parallelism: 1,
		completions: 1,
		backoffLimit: 6,
		...(isOld ? {} : { completionMode: "NonIndexed", suspend: false, podReplacementPolicy: "TerminatingOrFailed" }),
	};
	return { ...job, spec: { ...defaults, ...spec }, status: {} };
}

function admittedPod(pod: PodObject, refuse: Refuse): PodObject {
	checkPodSpec(pod.spec, refuse);
	return {
		...pod,
		spec: { ...pod.spec, terminationGracePeriodSeconds: pod.spec.terminationGracePeriodSeconds ?? 30 },
		status: { phase: "Pending" },
	};
}

function checkPodSpec(spec: PodObject["spec"], refuse: Refuse): void {
	if (!spec.containers?.length) refuse("spec.containers: Required value");
	const volumes = new Set((spec.volumes ?? []).map((v) => v.name));
	for (const [i, volume] of (spec.volumes ?? []).entries()) checkVolume(volume, `spec.volumes[${i}]`, refuse);
	for (const { name, image, resources, volumeMounts } of spec.containers) {
		if (!name || !image) refuse("spec.containers[0].image: Required value");
		for (const [key, value] of Object.entries(resources?.requests ?? {})) {
			if (key.includes("/") && resources?.limits?.[key] !== value)
				refuse(`spec.containers[0].resources.requests: must be equal to ${key} limit`);
		}
		const paths = (volumeMounts ?? []).map((m) => m.mountPath);
		if (new Set(paths).size < paths.length) refuse("spec.containers[0].volumeMounts: must be unique");
		const strange = volumeMounts?.find((m) => !volumes.has(m.name));
		if (strange) refuse(`spec.containers[0].volumeMounts[0].name: Not found: ${JSON.stringify(strange.name)}`);
	}
}

/** Validates volumes as a server does: one source each, with its required fields. */
function checkVolume(volume: V1Volume, path: string, refuse: Refuse): void {
	const { name, nfs, hostPath, persistentVolumeClaim: claim, ...others } = volume;
	if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) refuse(`${path}.name: Invalid value: ${JSON.stringify(name)}`);
	const sources = [nfs, hostPath, claim, ...Object.values(others)].filter((source) => source !== undefined);
	if (sources.length === 0) refuse(`${path}: Required value: must specify a volume type`);
	if (sources.length > 1) refuse(`${path}: Forbidden: may not specify more than 1 volume type`);
	if (nfs && !nfs.server) refuse(`${path}.nfs.server: Required value`);
	if (nfs && !nfs.path?.startsWith("/")) refuse(`${path}.nfs.path: Invalid value: ${JSON.stringify(nfs.path)}: must be an absolute path`);
	const folder = nfs?.path ?? hostPath?.path;
	if (hostPath && !folder) refuse(`${path}.hostPath.path: Required value`);
	if (folder?.split("/").includes("..")) refuse(`${path}: Invalid value: ${JSON.stringify(folder)}: must not contain '..'`);
	const types = ["", "DirectoryOrCreate", "Directory", "FileOrCreate", "File", "Socket", "CharDevice", "BlockDevice"];
	if (hostPath && !types.includes(hostPath.type ?? ""))
		refuse(`${path}.hostPath.type: Unsupported value: ${JSON.stringify(hostPath.type)}`);
	if (claim && !claim.claimName) refuse(`${path}.persistentVolumeClaim.claimName: Required value`);
}
