import { createHash } from "node:crypto";

/** The span id of a step: derived, so that a repeated export and the job itself name the same span. */
export function spanIdOf(jobId: string, key: string): string {
	return createHash("sha256").update(`${jobId}/${key}`).digest("hex").slice(0, 16);
}
