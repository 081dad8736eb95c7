import type { JobBehaviour } from "./cluster-harness.ts";

/** The behavior as an argv, for sites that execute real commands. */
export function posixCommand({ print, end, onTerm = "die" }: JobBehaviour): string[] {
	const script: string[] = [];
	if (onTerm === "ignore") script.push("trap '' TERM");
	if (typeof onTerm === "object") script.push(`trap 'exit ${onTerm.exitCode}' TERM`);
	for (const line of print?.stdout ?? []) script.push(`printf '%s\\n' ${quote(line)}`);
	for (const line of print?.stderr ?? []) script.push(`printf '%s\\n' ${quote(line)} >&2`);
	if (end === null) script.push("while :; do sleep 0.02; done");
	else if ("code" in end) script.push(`exit ${end.code}`);
	else script.push(`kill -s ${end.signal.slice(3)} $$`);
	return ["sh", "-c", script.join("\n")];
}

function quote(text: string): string {
	return `'${text.replaceAll("'", `'\\''`)}'`;
}
