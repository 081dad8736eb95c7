import type { Io } from "../io.ts";
import { count } from "./format.ts";
import { styled } from "./style.ts";
import { clean } from "./table.ts";

const MARKS = { question: "?", dropped: "-", changed: "~", carried: "+" } as const;

interface Finding {
	line: number;
	kind: keyof typeof MARKS;
	subject: string;
	text: string;
}

/** The result for one line of a script, after its line number. */
export function findingLine(io: Io, f: Finding): string {
	const mark = styled(io, f.kind === "question" ? "bold" : "dim", MARKS[f.kind]);
	return `${mark} ${String(f.line).padStart(4)}  ${clean(f.subject)}${f.text === "" ? "" : `. ${clean(f.text)}`}\n`;
}

export function findingCounts(findings: readonly Pick<Finding, "kind">[]): string {
	const of = (kind: string): number => findings.filter((f) => f.kind === kind).length;
	return `${of("carried")} carried, ${of("changed")} changed, ${of("dropped")} dropped, ${count(of("question"), "question")}\n`;
}
