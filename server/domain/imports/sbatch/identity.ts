import { plainName } from "../plain-name.ts";
import type { Finding, ImportContext } from "../types.ts";
import type { Directive } from "./read-script.ts";

export interface Identity {
	name: string;
	team: string;
	project: string | null;
	labels: Record<string, string>;
}

/** The job's owner and name. */
export function readIdentity(last: ReadonlyMap<string, Directive>, context: ImportContext, findings: Finding[]): Identity {
	const labels: Record<string, string> = {};
	const named = last.get("job-name");
	const name = plainName(named?.value ?? "sbatch");
	if (!named) findings.push({ line: 1, kind: "changed", subject: "No name", text: `The job is named ${name}.` });
	else if (name === named.value) findings.push({ line: named.line, kind: "carried", subject: `Name ${name}`, text: "" });
	else
		findings.push({
			line: named.line,
			kind: "changed",
			subject: `Name ${named.value.slice(0, 60)}`,
			text: `The job is named ${name}. Names contain only letters, digits, ".", "_" and "-".`,
		});
	const keep = (option: string, key: string, what: string): void => {
		const d = last.get(option);
		if (!d) return;
		// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what a label may not have
		labels[key] = d.value.replace(/[\u0000-\u001f\u007f]/g, " ").slice(0, 256);
		findings.push({
			line: d.line,
			kind: "changed",
			subject: `${what} ${d.value.slice(0, 60)}`,
			text: `Kept as the label ${key}; the policy decides placement and order.`,
		});
	};
	keep("partition", "slurm.partition", "Partition");
	keep("qos", "slurm.qos", "Quality of service");
	keep("comment", "slurm.comment", "Comment");
	keep("reservation", "slurm.reservation", "Reservation");
	const wckey = last.get("wckey");
	if (wckey) findings.push({ line: wckey.line, kind: "carried", subject: `Project ${plainName(wckey.value)}`, text: "" });
	return { name, team: teamOf(last.get("account"), context, findings), project: wckey ? plainName(wckey.value) : null, labels };
}

function teamOf(account: Directive | undefined, context: ImportContext, findings: Finding[]): string {
	if (!account) return context.team;
	const team = plainName(account.value);
	if (context.teams.length === 0 || context.teams.includes(team)) {
		findings.push({ line: account.line, kind: "carried", subject: `Team ${team}`, text: "" });
		return team;
	}
	findings.push({
		...{ line: account.line, kind: "question", subject: `Account ${account.value.slice(0, 60)}` },
		text: `You are not in a team of this name, so the job belongs to ${context.team}. Your teams: ${context.teams.join(", ")}.`,
	});
	return context.team;
}
