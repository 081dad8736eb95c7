import type { LogPage } from "#components/trpc/outputs.ts";

export type LogLine = LogPage["lines"][number];

/** Colours and cursor moves of a terminal: CSI and OSC sequences, and single escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character
const ANSI = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what is left of them is not shown
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** A line as text: no escape sequences, and of a line that was written over only what was last. */
export function plainLine(text: string): string {
	const last = text.replace(/\r+$/, "").split("\r").at(-1) ?? "";
	return last.replace(ANSI, "").replace(CONTROL, "");
}

/** What is known of one attempt's log. */
export type LogState = {
	lines: readonly LogLine[];
	/** Lines stored so far; those before the first of `lines` are not loaded. */
	total: number;
	complete: boolean;
};

/** A page put behind what is there. Lines that are there already are not taken twice. */
export function withPage(before: LogState | undefined, page: LogPage): LogState {
	const last = before?.lines.at(-1)?.number ?? 0;
	const fresh = page.lines.filter((line) => line.number > last).map((line) => ({ ...line, text: plainLine(line.text) }));
	return { lines: before ? [...before.lines, ...fresh] : fresh, total: Math.max(page.total, before?.total ?? 0), complete: page.complete };
}

/** Earlier lines put before what is there. */
export function withEarlier(before: LogState, page: LogPage): LogState {
	const first = before.lines[0]?.number ?? Number.MAX_SAFE_INTEGER;
	const earlier = page.lines.filter((line) => line.number < first).map((line) => ({ ...line, text: plainLine(line.text) }));
	return { ...before, lines: [...earlier, ...before.lines] };
}

/** Indexes of the lines that hold the text, in order; none for an empty text. Case does not matter. */
export function findLines(lines: readonly LogLine[], wanted: string): number[] {
	const text = wanted.trim().toLowerCase();
	if (text === "") return [];
	return lines.flatMap((line, index) => (line.text.toLowerCase().includes(text) ? [index] : []));
}

/** As a file: time, stream where it is not the command's own output, text. */
export function logFile(lines: readonly LogLine[]): string {
	return lines.map((l) => `${l.at} ${l.stream === "stdout" ? "" : `[${l.stream}] `}${plainLine(l.text)}\n`).join("");
}
