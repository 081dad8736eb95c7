import { spawnSync } from "node:child_process";

/** Where Debian installs Slurm's programs; not every root's path contains its daemons. */
export const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

const PROGRAMS = ["munged", "slurmctld", "slurmd", "slurmrestd", "scontrol", "setpriv", "mknod", "setsid"];
const ACCOUNTING_PROGRAMS = ["slurmdbd", "sacctmgr", "sacct", "mariadbd", "mariadb", "mariadb-install-db"];

/** Why a real Slurm cannot be started here, as a message; null if it can. */
export function whyNoSlurm(): string | null {
	if (process.getuid?.() !== 0) return "a real Slurm of several nodes is started as root, and this is another user";
	const missing = notFound(PROGRAMS);
	if (missing.length === 0) return null;
	return `${missing.join(", ")} not found; on Debian: apt-get install --no-install-recommends slurmctld slurmd slurmrestd slurm-client slurm-wlm-jwt-plugin munge`;
}

/** The same for one with slurmdbd. */
export function whyNoAccounting(): string | null {
	const missing = notFound(ACCOUNTING_PROGRAMS);
	const install = "apt-get install --no-install-recommends slurmdbd mariadb-server";
	return whyNoSlurm() ?? (missing.length === 0 ? null : `${missing.join(", ")} not found; on Debian: ${install}`);
}

/** The same for one with nodes that run images by Apptainer. */
export function whyNoApptainer(): string | null {
	const missing = notFound(["apptainer", "busybox"]);
	return whyNoSlurm() ?? (missing.length === 0 ? null : `${missing.join(", ")} not found; Debian 14 has apptainer`);
}

function notFound(programs: readonly string[]): string[] {
	const env = { PATH: SYSTEM_PATH } as unknown as NodeJS.ProcessEnv;
	return programs.filter((name) => spawnSync("/bin/sh", ["-c", 'command -v "$1"', "sh", name], { env }).status !== 0);
}
