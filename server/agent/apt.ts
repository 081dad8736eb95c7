import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** apt does not wait for a lock on its package lists, so installations are one after another. */
let installing: Promise<void> = Promise.resolve();

/**
 * Installs packages of the machine's distribution.
 * @throws Error with apt's message, or the signal's reason
 */
export function aptInstall(packages: readonly string[], signal: AbortSignal): Promise<void> {
	const installed = installing.then(() => install(packages, signal));
	installing = installed.catch(() => {});
	return installed;
}

async function install(packages: readonly string[], signal: AbortSignal): Promise<void> {
	const apt = (...args: string[]): Promise<unknown> =>
		execute("apt-get", ["-qq", "-o", "DPkg::Lock::Timeout=120", ...args], {
			signal,
			env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
		});
	await apt("update");
	await apt("install", "-y", "--no-install-recommends", ...packages);
}
