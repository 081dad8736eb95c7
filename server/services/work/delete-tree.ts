import { rm } from "node:fs/promises";

/**
 * Deletes a file or folder; a missing one is fine. A file that an upload adds at the same time makes the deletion fail with "not empty", so
 * this retries for about a second.
 */
export function deleteTree(target: string): Promise<void> {
	return rm(target, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
}
