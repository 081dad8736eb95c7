export const BREAK_KINDS = [
	"changed_line",
	"changed_seal",
	"missing_line",
	"missing_seal",
	"unsealed_line",
	"sealed_twice",
	"cut_tail",
] as const;
export type BreakKind = (typeof BREAK_KINDS)[number];

/** The problem, in one sentence; the same on the page, in the log and on the command line. */
export function breakSentence(broken: { kind: BreakKind; sequence: number | null; auditId: number | null }): string {
	const [seal, line] = [`seal ${broken.sequence}`, `line ${broken.auditId}`];
	switch (broken.kind) {
		case "changed_line":
			return `${upper(line)} is not what ${seal} was made of: the line was changed after it was sealed, or the seal's time, line number or hash was.`;
		case "changed_seal":
			return `${upper(seal)}, of ${line}, has another hash than it was made with: the next seal was made over the true one.`;
		case "missing_line":
			return `${upper(line)} no longer exists: ${seal} was made of it.`;
		case "missing_seal":
			return `${upper(seal)} no longer exists: the numbers of the chain have a hole there.`;
		case "unsealed_line":
			return `${upper(line)} is older than a minute and has no seal: its seal was removed, the line was written past the sealer, or no scheduler leads.`;
		case "sealed_twice":
			return `${upper(line)} has two seals; the later one is ${seal}.`;
		case "cut_tail":
			return `The remembered head is not in the chain, which ends with ${seal}: its tail was cut off or written again after the head was noted.`;
	}
}

function upper(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}
