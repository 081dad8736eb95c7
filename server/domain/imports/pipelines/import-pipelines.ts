import { SpillwayError } from "../../../kernel/errors.ts";
import { JOB_LIMITS } from "../../job-schema.ts";
import { readManifests } from "../kubernetes/manifest.ts";
import type { Finding, ImportContext } from "../types.ts";
import { ARGO_KINDS, readArgo } from "./argo.ts";
import { isKubeflow, readKubeflow } from "./kubeflow.ts";
import type { PipelineDocument } from "./steps.ts";

export const PIPELINE_SOURCES = ["argo", "kubeflow"] as const;

export interface ImportedPipelines {
	kind: (typeof PIPELINE_SOURCES)[number];
	documents: PipelineDocument[];
	/** In line order. */
	findings: Finding[];
}

/**
 * Converts Argo Workflows and compiled Kubeflow pipelines (both forms of the SDK) to pipelines. Everything that is not
 * carried over becomes a finding.
 * @throws SpillwayError `invalid_input` for YAML that cannot be read (with its line) or without a workflow,
 * `payload_too_large`
 */
export function importPipelines(text: string, context: ImportContext): ImportedPipelines {
	if (text.length > JOB_LIMITS.documentBytes)
		throw new SpillwayError(
			"payload_too_large",
			`The file has ${text.length} characters; at most ${JOB_LIMITS.documentBytes} are allowed.`,
		);
	const findings: Finding[] = [];
	const documents: PipelineDocument[] = [];
	let kind: ImportedPipelines["kind"] = "argo";
	for (const m of readManifests(text, findings)) {
		if ("message" in m)
			throw new SpillwayError("invalid_input", `The YAML cannot be read at line ${m.line}: ${m.message}.`, {
				fields: [{ path: "", message: m.message, line: m.line, column: 1 }],
			});
		if (isKubeflow(m)) {
			kind = "kubeflow";
			documents.push(readKubeflow(m, context));
		} else if (ARGO_KINDS.includes(m.text(["kind"]) ?? "")) documents.push(readArgo(m, context));
		else if (m.has(["platforms"]))
			m.say(["platforms"], "question", "Cluster settings", "The cluster's secrets, volumes and labels do not exist elsewhere.");
		else m.say(["kind"], "question", m.text(["kind"]) ?? "Document without a kind", "Not a workflow, so it was not imported.");
		m.sayRest();
	}
	if (documents.length === 0)
		throw new SpillwayError("invalid_input", "The text contains no workflow.", {
			fix: `Send a manifest of one of these kinds: ${ARGO_KINDS.join(", ")}, or a compiled Kubeflow pipeline.`,
		});
	return { kind, documents, findings: withoutRepeats(findings) };
}

/** A template used by several steps is read and reported for each of them. */
function withoutRepeats(findings: readonly Finding[]): Finding[] {
	const unique = new Map(findings.map((finding) => [JSON.stringify(finding), finding]));
	return [...unique.values()].sort((a, b) => a.line - b.line);
}
