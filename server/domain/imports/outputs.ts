import type { JobFile } from "../job-file.ts";
import { jobSpecSchema } from "../job-schema.ts";
import { problemsOf, withFix } from "../schema/problems.ts";
import type { Finding } from "./types.ts";

export type Output = NonNullable<JobFile["spec"]["outputs"]>[number];

/** An output as written in a script or manifest, not yet validated. */
export interface DeclaredOutput {
	line: number;
	/** A field without a value contains null. */
	entry: Record<string, unknown>;
}

const { outputs: outputsSchema } = jobSpecSchema.shape;

/** The outputs that a job file accepts, in order. Each of the others becomes a question that contains its first problem. */
export function acceptOutputs(declared: readonly DeclaredOutput[], findings: Finding[]): Output[] {
	const accepted: Output[] = [];
	for (const { line, entry } of declared) {
		const list = [...accepted, entry];
		const result = outputsSchema.safeParse(list);
		const subject = `Output ${String(entry["name"] ?? "").slice(0, 60)}`.trimEnd();
		if (result.success) {
			accepted.push(entry as Output);
			findings.push({ line, kind: "carried", subject, text: "" });
			continue;
		}
		const [problem] = problemsOf(result.error, list, outputsSchema);
		const field = problem?.at.slice(1).map(String).join(".") || "outputs";
		const text = problem ? `${field} ${withFix(problem)}`.replace(/[^.?]$/, "$&.") : "Not an output.";
		findings.push({ line, kind: "question", subject, text });
	}
	return accepted;
}
