import { SpillwayError } from "../../../kernel/errors.ts";
import { formatDuration, SECOND_MS } from "../../../kernel/units.ts";
import type { JobFile } from "../../job-file.ts";
import { JOB_LIMITS } from "../../job-schema.ts";
import type { Output } from "../outputs.ts";
import { plainName } from "../plain-name.ts";
import type { Finding, ImportContext, Imported } from "../types.ts";
import { KINDS, type Workload } from "./kinds.ts";
import { type Manifest, readManifests } from "./manifest.ts";
import { OUTPUTS_ANNOTATION, readOutputs } from "./outputs.ts";

/**
 * Converts manifests to jobs, one for each workload in the text: Job, PyTorchJob, TrainJob, JobSet and Pod. Everything
 * that is not carried over becomes a finding, and unknown fields become questions, so that nothing is silently
 * dropped.
 * @throws SpillwayError `invalid_input` for YAML that cannot be read (with its line) or without a workload,
 * `payload_too_large`
 */
export function importKubernetes(text: string, context: ImportContext): Imported {
	if (text.length > JOB_LIMITS.documentBytes)
		throw new SpillwayError(
			"payload_too_large",
			`The manifest has ${text.length} characters; at most ${JOB_LIMITS.documentBytes} are allowed.`,
		);
	const findings: Finding[] = [];
	const documents: JobFile[] = [];
	for (const manifest of readManifests(text, findings)) {
		if ("message" in manifest)
			throw new SpillwayError("invalid_input", `The YAML cannot be read at line ${manifest.line}: ${manifest.message}.`, {
				fields: [{ path: "", message: manifest.message, line: manifest.line, column: 1 }],
			});
		const workload = readWorkload(manifest, context);
		if (!workload) continue;
		documents.push(documentOf(manifest, workload, readOutputs(manifest, findings), context));
		manifest.sayRest();
	}
	if (documents.length === 0)
		throw new SpillwayError("invalid_input", "The text contains no workload.", {
			fix: `Paste a manifest of one of these kinds: ${Object.keys(KINDS).join(", ")}.`,
		});
	return { documents, findings: findings.sort((a, b) => a.line - b.line) };
}

function readWorkload(m: Manifest, context: ImportContext): Workload | null {
	const kind = m.text(["kind"]) ?? "";
	const read = KINDS[kind];
	if (!read) {
		m.say(
			["kind"],
			"question",
			kind === "" ? "Document without a kind" : kind,
			`Not a supported workload, so it was not imported. Supported kinds: ${Object.keys(KINDS).join(", ")}.`,
		);
		return null;
	}
	m.say(["kind"], "carried", kind);
	m.ignore(["apiVersion"]);
	m.ignore(["status"]);
	return read(m, context);
}

function documentOf(m: Manifest, { pod, nodes, maxMs }: Workload, outputs: readonly Output[], context: ImportContext): JobFile {
	const metadata = readMetadata(m, context);
	if (pod.gpus === null) m.say(["kind"], "changed", "No GPUs requested", "Jobs need at least 1 GPU, so 1 is requested.");
	const { image, command, env, cpus, memoryGiB, accelerators, interconnect } = pod;
	return {
		apiVersion: "spillway/v1",
		kind: "Job",
		metadata,
		spec: {
			...(image === null ? {} : { image }),
			command,
			...(Object.keys(env).length === 0 ? {} : { env }),
			nodes,
			...(interconnect && { interconnect }),
			resources: {
				gpus: pod.gpus ?? 1,
				...(accelerators.length === 0 ? {} : { accelerators }),
				...(cpus === null ? {} : { cpus }),
				...(memoryGiB === null ? {} : { memoryGiB }),
			},
			...(maxMs === null ? {} : { duration: { max: formatDuration(Math.max(SECOND_MS, Math.min(maxMs, JOB_LIMITS.durationMs))) } }),
			...(outputs.length > 0 && { outputs: [...outputs] }),
		},
	};
}

const LABEL = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

/** Name, team and labels of a manifest. */
export function readMetadata(m: Manifest, context: ImportContext): JobFile["metadata"] {
	const generated = m.text(["metadata", "generateName"]);
	const written = m.text(["metadata", "name"]) ?? generated ?? (m.text(["kind"]) ?? "job").toLowerCase();
	const name = plainName(written);
	m.say(
		["metadata", generated === null ? "name" : "generateName"],
		name === written ? "carried" : "changed",
		`Name ${written}`,
		name === written ? "" : `The job is named ${name}.`,
	);
	const namespace = m.text(["metadata", "namespace"]);
	const known = namespace !== null && (context.teams.length === 0 || context.teams.includes(plainName(namespace)));
	if (namespace !== null && known) m.say(["metadata", "namespace"], "carried", `Team ${plainName(namespace)}`);
	else
		m.say(
			["metadata", "namespace"],
			"question",
			`Namespace ${namespace ?? ""}`,
			`You are not in a team of this name, so the job belongs to ${context.team}.`,
		);
	const labels: Record<string, string> = {};
	for (const key of m.keys(["metadata", "labels"])) {
		const value = m.text(["metadata", "labels", key]) ?? "";
		const plain = plainName(key.replaceAll("/", "."));
		labels[plain] = value;
		m.say(
			["metadata", "labels", key],
			plain === key && LABEL.test(key) ? "carried" : "changed",
			`Label ${key}`,
			plain === key ? "" : `Kept as ${plain}.`,
		);
	}
	const annotations = ["metadata", "annotations"];
	const others = m.keys(annotations).filter((key) => key !== OUTPUTS_ANNOTATION);
	const dropped = m.has([...annotations, OUTPUTS_ANNOTATION]) ? others.map((key) => [...annotations, key]) : [annotations];
	for (const path of dropped) m.say(path, "dropped", "Annotations", "They configure the cluster's own controllers.");
	for (const key of [
		"uid",
		"resourceVersion",
		"generation",
		"creationTimestamp",
		"managedFields",
		"ownerReferences",
		"finalizers",
		"selfLink",
	])
		m.ignore(["metadata", key]);
	const team = namespace !== null && known ? plainName(namespace) : context.team;
	return { name, team, ...(Object.keys(labels).length === 0 ? {} : { labels }) };
}
