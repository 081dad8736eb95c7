/** A job's results. The kind only affects how a result is labeled and found. */
export const OUTPUT_KINDS = ["model", "dataset", "report", "file"] as const;
export type OutputKind = (typeof OUTPUT_KINDS)[number];

/** `success`: upload only when the command exits with 0. `always`: also after a failure or an interruption. */
export const OUTPUT_MOMENTS = ["success", "always"] as const;
export type OutputMoment = (typeof OUTPUT_MOMENTS)[number];

/** A result declared by the job: a file or folder uploaded when an attempt ends. */
export interface OutputSpec {
	/** Unique within the job: `model` in `fraud-v142/model`. */
	name: string;
	/** Below the work folder. An absolute path must be a folder; it is created before the command starts. */
	path: string;
	kind: OutputKind;
	when: OutputMoment;
	/** How long the files are kept after the upload, ms; null: until someone deletes them. */
	keepMs: number | null;
	/** A folder of an owned site or a store that receives a copy. Absent: none. */
	to?: string | undefined;
}

/** The environment variable with the absolute path of an output: `model-v2` becomes `SPILLWAY_OUTPUT_MODEL_V2`. */
export function outputVariable(name: string): string {
	return `SPILLWAY_OUTPUT_${name.toUpperCase().replace(/[^A-Z0-9]/g, "_")}`;
}

/** The outputs to upload when an attempt ends. */
export function dueOutputs(outputs: readonly OutputSpec[] | undefined, succeeded: boolean): readonly OutputSpec[] {
	return (outputs ?? []).filter((output) => succeeded || output.when === "always");
}

const ARTIFACT_SCHEME = "artifact:";

/**
 * The address of a stored result as job data. Job files cannot contain it, because it carries the rights of the
 * pipeline that wrote it.
 */
export function artifactUri(artifactId: string): string {
	return `${ARTIFACT_SCHEME}${artifactId}`;
}

/** The id of a stored result, or its folder on an owned site; null for any other address. */
export function artifactOfUri(uri: string): string | null {
	return uri.startsWith(ARTIFACT_SCHEME) ? uri.slice(ARTIFACT_SCHEME.length) : null;
}
