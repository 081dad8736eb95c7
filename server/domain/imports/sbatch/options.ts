/**
 * The options of sbatch by their long names, from Slurm 24.11's sbatch(1), which includes those of 22.05, and Pyxis'
 * own. `value`: whether a value follows. Abbreviations work as in getopt_long.
 */
export interface SbatchOption {
	name: string;
	short?: string;
	value: "needed" | "optional" | "none";
	/** Why a job here does not need it; absent: it is read (import-sbatch.ts). */
	dropped?: string;
}

const PLACING = "A placement hint for the cluster. A cloud instance runs only this job; on the cluster, Spillway chooses the slots.";
const SUBMITTING = "Affects the sbatch command, not the job.";
const SITE = "Applies only to the cluster's own accounting.";
const TUNING = "Configures the cluster's Slurm daemons.";
const PINNED = "Pinning a node would keep the job off all other sites. If the node stands for a GPU model, set an accelerator instead.";

const option = (name: string, value: SbatchOption["value"], more: { short?: string; dropped?: string } = {}): SbatchOption => ({
	name,
	value,
	...more,
});
const dropped = (names: readonly string[], value: SbatchOption["value"], why: string): SbatchOption[] =>
	names.map((name) => option(name, value, { dropped: why }));

export const SBATCH_OPTIONS: readonly SbatchOption[] = [
	option("account", "needed", { short: "A" }),
	option("array", "needed", { short: "a" }),
	option("begin", "needed", { short: "b" }),
	option("chdir", "needed", { short: "D" }),
	option("comment", "needed"),
	option("constraint", "needed", { short: "C" }),
	option("container", "needed"),
	option("container-image", "needed"),
	option("container-mounts", "needed"),
	option("container-workdir", "needed"),
	option("cpus-per-gpu", "needed"),
	option("cpus-per-task", "needed", { short: "c" }),
	option("deadline", "needed"),
	option("dependency", "needed", { short: "d" }),
	option("error", "needed", { short: "e" }),
	option("exclude", "needed", { short: "x", dropped: PINNED }),
	option("exclusive", "optional"),
	option("export", "needed"),
	option("export-file", "needed"),
	option("gpus", "needed", { short: "G" }),
	option("gpus-per-node", "needed"),
	option("gpus-per-socket", "needed"),
	option("gpus-per-task", "needed"),
	option("gres", "needed"),
	option("hold", "none", { short: "H" }),
	option("input", "needed", { short: "i" }),
	option("job-name", "needed", { short: "J" }),
	option("licenses", "needed", { short: "L" }),
	option("mail-type", "needed"),
	option("mail-user", "needed"),
	option("mem", "needed"),
	option("mem-per-cpu", "needed"),
	option("mem-per-gpu", "needed"),
	option("mincpus", "needed"),
	option("nice", "optional"),
	option("no-requeue", "none"),
	option("nodelist", "needed", { short: "w", dropped: PINNED }),
	option("nodefile", "needed", { short: "F", dropped: PINNED }),
	option("nodes", "needed", { short: "N" }),
	option("ntasks", "needed", { short: "n" }),
	option("ntasks-per-gpu", "needed"),
	option("ntasks-per-node", "needed"),
	option("open-mode", "needed"),
	option("output", "needed", { short: "o" }),
	option("partition", "needed", { short: "p" }),
	option("priority", "needed"),
	option("qos", "needed", { short: "q" }),
	option("requeue", "none"),
	option("reservation", "needed"),
	option("signal", "needed"),
	option("switches", "needed"),
	option("time", "needed", { short: "t" }),
	option("time-min", "needed"),
	option("tmp", "needed"),
	option("tres-per-task", "needed"),
	option("wckey", "needed"),
	option("wrap", "needed"),
	...dropped(
		["gpu-bind", "tres-bind", "mem-bind", "hint", "ntasks-per-socket", "ntasks-per-core", "segment", "prefer", "gres-flags"],
		"needed",
		PLACING,
	),
	...dropped(["sockets-per-node", "cores-per-socket", "threads-per-core", "batch", "cluster-constraint"], "needed", PLACING),
	option("distribution", "needed", { short: "m", dropped: PLACING }),
	option("extra-node-info", "needed", { short: "B", dropped: PLACING }),
	option("core-spec", "needed", { short: "S", dropped: PLACING }),
	option("overcommit", "none", { short: "O", dropped: PLACING }),
	option("oversubscribe", "none", { short: "s", dropped: PLACING }),
	option("no-kill", "optional", { short: "k", dropped: PLACING }),
	...dropped(["contiguous", "use-min-nodes", "spread-job"], "none", PLACING),
	...dropped(["thread-spec", "wait-all-nodes", "delay-boot", "acctg-freq", "cpu-freq", "gpu-freq", "network", "power"], "needed", TUNING),
	...dropped(["profile", "bb", "bbf", "resv-ports", "mcs-label", "extra", "container-id"], "needed", TUNING),
	...dropped(["propagate", "get-user-env"], "optional", TUNING),
	...dropped(["reboot", "stepmgr"], "none", TUNING),
	...dropped(["uid", "gid"], "needed", "Jobs run as the user set by the site's driver or the instance."),
	option("clusters", "needed", { short: "M", dropped: SITE }),
	...dropped(["kill-on-invalid-dep"], "needed", SITE),
	...dropped(["parsable", "test-only", "ignore-pbs"], "none", SUBMITTING),
	option("quiet", "none", { short: "Q", dropped: SUBMITTING }),
	option("verbose", "none", { short: "v", dropped: SUBMITTING }),
	option("wait", "none", { short: "W", dropped: SUBMITTING }),
	option("help", "none", { short: "h", dropped: SUBMITTING }),
	option("usage", "none", { dropped: SUBMITTING }),
	option("version", "none", { short: "V", dropped: SUBMITTING }),
	...dropped(
		["container-name", "container-save", "container-env"],
		"needed",
		"A Pyxis cache or setting on the cluster's nodes; each attempt starts from the image.",
	),
	...dropped(
		["container-mount-home", "no-container-mount-home", "container-remap-root", "no-container-remap-root"],
		"none",
		"The container does not mount the cluster's home directory, and runs as configured in the image.",
	),
	...dropped(
		["container-entrypoint", "no-container-entrypoint", "container-writable", "container-readonly"],
		"none",
		"The container is writable and its entry point is not run, as with Pyxis by default.",
	),
];

/** The exact option, or the only one with this prefix; null if there is none, a list if there are several. */
export function longOption(word: string): SbatchOption | readonly string[] | null {
	const exact = SBATCH_OPTIONS.find((o) => o.name === word);
	if (exact) return exact;
	const begun = SBATCH_OPTIONS.filter((o) => o.name.startsWith(word));
	if (begun.length === 1) return begun[0] ?? null;
	return begun.length > 1 ? begun.map((o) => o.name) : null;
}

export function shortOption(letter: string): SbatchOption | null {
	return SBATCH_OPTIONS.find((o) => o.short === letter) ?? null;
}
