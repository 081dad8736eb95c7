// Real servers for some tests, from Debian's packages. If one cannot be installed, its tests report that.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { runToEnd } from "./run.mjs";

/** Programs that indicate an installed server, and the packages that contain it. */
const SERVERS = {
	Slurm: {
		programs: ["/usr/sbin/slurmctld", "/usr/sbin/slurmd", "/usr/sbin/slurmrestd", "/usr/sbin/munged"],
		packages: ["slurmctld", "slurmd", "slurmrestd", "slurm-client", "slurm-wlm-jwt-plugin", "munge"],
	},
	podman: { programs: ["/usr/bin/podman", "/usr/sbin/runc", "/bin/busybox"], packages: ["podman", "runc", "busybox-static"] },
	pytest: { programs: ["/usr/bin/python3", "/usr/bin/pytest-3"], packages: ["python3-pytest"] },
	mypy: { programs: ["/usr/bin/mypy"], packages: ["mypy"] },
	rclone: { programs: ["/usr/bin/rclone"], packages: ["rclone"] },
};

/** Slow mirrors cost only the tests that need them, not the whole run. */
const INSTALL_TIMEOUT_MS = 120_000;

/** Names of the servers that are not installed. */
export function missingServers() {
	return Object.keys(SERVERS).filter((name) => !SERVERS[name].programs.every((program) => existsSync(program)));
}

/** A message why nothing can be installed here; undefined if installing is possible. */
export function whyNotInstall() {
	if (process.env.SPILLWAY_TEST_INSTALL === "0") return "SPILLWAY_TEST_INSTALL is 0";
	if (process.getuid?.() !== 0) return "only root can install it and start it with several nodes";
	if (spawnSync("sh", ["-c", "command -v apt-get"]).status !== 0) return "there is no apt-get";
	return undefined;
}

/**
 * Installs a server's packages without recommended packages.
 * @param {string} name one of `missingServers()`
 * @param {{signal: AbortSignal, update: (detail: string) => void}} options
 * @returns {Promise<string | undefined>} a human-readable reason when it could not be installed
 */
export async function installServer(name, { signal, update }) {
	const apt = (...args) =>
		runToEnd(["apt-get", "-qq", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20", ...args], {
			env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
			signal: AbortSignal.any([signal, AbortSignal.timeout(INSTALL_TIMEOUT_MS)]),
			what: "apt-get failed",
			todo: "install the packages by hand, or do without those tests.",
			onLine: update,
		});
	const install = () => apt("install", "-y", "--no-install-recommends", ...SERVERS[name].packages);
	try {
		// A new image has no package lists or outdated ones.
		await install().catch(async () => {
			signal.throwIfAborted();
			await apt("update");
			await install();
		});
		return undefined;
	} catch (error) {
		signal.throwIfAborted();
		return error.detail?.split("\n").at(-1) || error.message;
	}
}
