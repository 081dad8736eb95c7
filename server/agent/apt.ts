import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

/**
 * Installs packages of the machine's distribution.
 * @throws Error with apt's message, or the signal's reason
 */
export async function aptInstall(packages: readonly string[], signal: AbortSignal): Promise<void> {
	const apt = (...args: string[]): Promise<unknown> =>
		execute("apt-get", ["-qq", "-o", "DPkg::Lock::Timeout=120", ...args], {
			signal,
			env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
		});
	await apt("update");
	await apt("install", "-y", "--no-install-recommends", ...packages);
}
