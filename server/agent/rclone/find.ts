import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { aptInstall } from "../apt.ts";
import { StagingError } from "../safe-path.ts";

const PLACES = ["/usr/local/bin/rclone", "/usr/bin/rclone", "/bin/rclone", "/snap/bin/rclone", "/opt/homebrew/bin/rclone"];

async function findRclone(): Promise<string | null> {
	for (const file of PLACES) {
		const there = await access(file, constants.X_OK).then(
			() => true,
			() => false,
		);
		if (there) return file;
	}
	return null;
}

/**
 * Returns the rclone of a host that belongs to the company, where nothing is installed.
 * @throws StagingError if it has none
 */
export async function rcloneOfHost(): Promise<string> {
	const found = await findRclone();
	if (found !== null) return found;
	throw new StagingError("rclone is not installed on the scheduler's host; install it there (on Debian or Ubuntu: apt-get install rclone)");
}

/**
 * Returns the rclone of a machine dedicated to one job, and installs it from the distribution if missing.
 * @throws StagingError
 */
export async function rcloneOfInstance(log: (text: string) => void, signal: AbortSignal): Promise<string> {
	const found = await findRclone();
	if (found !== null) return found;
	log("the image has no rclone; installing it with apt-get");
	try {
		await aptInstall(["rclone", "ca-certificates"], signal);
	} catch (error) {
		signal.throwIfAborted();
		throw new StagingError(`the image has no rclone, and it could not be installed (${firstLine(error)}); use an image that includes it`);
	}
	const installed = await findRclone();
	if (installed === null) throw new StagingError("rclone was installed but is not in PATH; use an image that includes it");
	return installed;
}

function firstLine(error: unknown): string {
	return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}
