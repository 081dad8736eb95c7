import { readYaml } from "../../read-yaml.ts";
import { acceptOutputs, type Output } from "../outputs.ts";
import type { Finding } from "../types.ts";
import type { Manifest } from "./manifest.ts";
import type { Path } from "./pod.ts";

export const OUTPUTS_ANNOTATION = "spillway.dev/outputs";
const PATH = ["metadata", "annotations", OUTPUTS_ANNOTATION];

/** The outputs that a workload declares: the list of a job file's `outputs`, as YAML or JSON in an annotation. */
export function readOutputs(m: Manifest, findings: Finding[]): Output[] {
	if (!m.has(PATH)) return [];
	const entries = listOf(m.text(PATH) ?? "");
	const line = m.line(PATH);
	if (entries !== null) {
		m.ignore(PATH);
		return acceptOutputs(
			entries.map((entry) => ({ line, entry })),
			findings,
		);
	}
	m.say(PATH, "question", OUTPUTS_ANNOTATION, "Not a list of outputs. Use for example [{ name: model, path: out/model, kind: model }].");
	return [];
}

/** Ignores the metadata of a pod template, except outputs that are declared there by mistake. */
export function ignoreTemplateMetadata(m: Manifest, path: Path): void {
	const annotation = [...path, "annotations", OUTPUTS_ANNOTATION];
	if (m.has(annotation)) m.say(annotation, "question", OUTPUTS_ANNOTATION, "Move it to the metadata of the workload.");
	m.ignore(path);
}

function listOf(text: string): Record<string, unknown>[] | null {
	const list: unknown = readYaml(text).doc?.toJS();
	return Array.isArray(list) && list.every(isObject) ? list : null;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
