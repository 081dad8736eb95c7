import path from "node:path";
import type { SlurmJob } from "./mapper.ts";

interface Called {
	/** The script's file; empty without a file (`--wrap`, standard input). */
	file: string;
	/** The arguments as one line, separated by spaces; null: the cluster does not report them. */
	line: string | null;
}

/**
 * How a batch script was called. Up to 22.05, Slurm reports its file and its arguments as one line; from 23.02 on only the file,
 * and from REST version v0.0.44 (25.11) on also the sbatch command line. Source: Slurm's changelog of 23.02, and servers of
 * 22.05, 24.11 and 26.05.
 * @param release the cluster's version, e.g. `22.05.8`; null: not reported
 */
export function calledAs({ command, submitLine }: Pick<SlurmJob, "command" | "submitLine">, release: string | null): Called {
	if (command === "") return { file: "", line: "" };
	if (release !== null && reportsBoth(release)) {
		const end = command.indexOf(" ");
		return end < 0 ? { file: command, line: "" } : { file: command.slice(0, end), line: command.slice(end + 1) };
	}
	return { file: command, line: argumentsIn(submitLine, path.basename(command)) };
}

function reportsBoth(release: string): boolean {
	const [major = 0, minor = 0] = release.split(".").map(Number);
	return major < 23 || (major === 23 && minor < 2);
}

/** The text after the script's name; null if the name is missing or occurs twice. */
function argumentsIn(line: string, name: string): string | null {
	const words = line.split(" ");
	const places = words.flatMap((word, i) => (path.basename(word) === name ? [i] : []));
	return places.length === 1 ? words.slice((places[0] ?? 0) + 1).join(" ") : null;
}

const OF_A_SHELL = /^#! *\S*\/(?:env +)?(?:ba|da|k|z|)sh\b/;
/**
 * `$1`, `$@`, `$*`, `$#`, the same in braces, by indirection (`${!i}`), and commands that consume arguments, such as `for x; do`.
 */
const READS =
	/\$(?:[1-9@*#]|\{(?:[1-9@*]|#[}1-9@*]|![1-9@*#]|!\w+\}))|\b(?:shift|getopts?|BASH_ARGV|argv)\b|\b(?:for|select)\s+\w+\s*(?:;\s*)?do\b/;

/** Whether the script could behave differently with other arguments. Assumed for anything that is not a shell script. */
export function canReadArguments(script: string): boolean {
	return !OF_A_SHELL.test(script) || READS.test(script);
}
