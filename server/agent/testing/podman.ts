import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

const PODMAN = "/usr/bin/podman";
const UNSHARE = "/usr/bin/unshare";

/** Settings that make podman keep everything in the test's folder and accept images from a registry without TLS. */
export function podmanEnvironment(folder: string, registryHost: string): Record<string, string> {
	mkdirSync(folder, { recursive: true });
	const file = (name: string, lines: string[]): string => {
		writeFileSync(path.join(folder, name), `${lines.join("\n")}\n`);
		return path.join(folder, name);
	};
	const storage = `graphroot = "${folder}/storage"\nrunroot = "${folder}/run"`;
	return {
		CONTAINERS_STORAGE_CONF: file("storage.conf", ["[storage]", 'driver = "vfs"', storage]),
		CONTAINERS_REGISTRIES_CONF: file("registries.conf", ["[[registry]]", `location = "${registryHost}"`, "insecure = true"]),
		CONTAINERS_CONF: file("containers.conf", [
			"[containers]",
			// Even root may not be allowed to raise limits.
			'default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]',
			"[engine]",
			'runtime = "runc"',
			'cgroup_manager = "cgroupfs"',
			'events_logger = "none"',
			`tmp_dir = "${folder}/libpod"`,
		]),
	};
}

/** Why no container can run here, as a message; null if podman works. */
export function whyNoPodman(): string | null {
	if (process.getuid?.() !== 0) return "only root can run podman as the agent does";
	if (![PODMAN, "/bin/busybox"].every(existsSync)) return "podman, runc and busybox-static are not installed";
	// Some sandboxes have the program but block its system calls.
	const answer = spawnSync(UNSHARE, ["--mount", "--pid", "--uts", "--fork", "true"], { encoding: "utf8" });
	return answer.status === 0 ? null : `namespaces are forbidden here: ${answer.stderr.trim()}`;
}
