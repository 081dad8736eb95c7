import type { PolicyProblem } from "./params.ts";

/** A text replacement suggested by a problem. */
export interface QuickFix {
	label: string;
	insert: string;
	/** Columns of its line, 0-based, end exclusive. */
	from: number;
	to: number;
}

/** Turns "Did you mean X?" and "Write 30s, 30m or 30h." into replacements at the problem's column. */
export function quickFixes(problem: PolicyProblem, line: string): QuickFix[] {
	const from = problem.column - 1;
	const found = /^(?:"[^"]*"|'[^']*'|[^\s,[\]{}:#"'][^\s,[\]{}"']*)/.exec(line.slice(from))?.[0] ?? "";
	const word = found.replace(/:$/, "");
	if (word === "" || problem.fix === null) return [];
	const quote = /^["']/.exec(word)?.[0] ?? "";
	return wordsOf(problem.fix)
		.filter((each) => each !== word && `${quote}${each}${quote}` !== word)
		.map((each) => ({ label: `Use ${each}`, insert: `${quote}${each}${quote}`, from, to: from + word.length }));
}

function wordsOf(fix: string): string[] {
	const meant = /^Did you mean "?([\w.:*/-]+)"?\?/.exec(fix)?.[1];
	if (meant) return [meant];
	const written = /^Write (\d+[a-z]+(?:, \d+[a-z]+)* or \d+[a-z]+)\.$/.exec(fix)?.[1];
	return written ? written.split(/, | or /) : [];
}
