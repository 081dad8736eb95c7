import { rm } from "node:fs/promises";

/**
 * Deletes a file or folder; one that is missing is fine. A file that an upload adds at the same moment makes the folder "not empty",
 * so that is tried again for about a second.
 */
export function deleteTree(target: string): Promise<void> {
	return rm(target, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
}
