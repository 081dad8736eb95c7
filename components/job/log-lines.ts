import type { LogPage } from "#components/trpc/outputs.ts";

export type LogLine = LogPage["lines"][number];

/** Terminal colors and cursor moves: CSI and OSC sequences, and single escapes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character
const ANSI = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what is left of them is not shown
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** Plain text of a line: without escape sequences, and only the last state of an overwritten line. */
export function plainLine(text: string): string {
	const last = text.replace(/\r+$/, "").split("\r").at(-1) ?? "";
	return last.replace(ANSI, "").replace(CONTROL, "");
}

/** Loaded part of an attempt's log. */
export type LogState = {
	lines: readonly LogLine[];
	/** Lines stored so far; those before `lines[0]` are not loaded. */
	total: number;
	complete: boolean;
};

/** Appends a page, ignoring lines already present. */
export function withPage(before: LogState | undefined, page: LogPage): LogState {
	const last = before?.lines.at(-1)?.number ?? 0;
	const fresh = page.lines.filter((line) => line.number > last).map((line) => ({ ...line, text: plainLine(line.text) }));
	return { lines: before ? [...before.lines, ...fresh] : fresh, total: Math.max(page.total, before?.total ?? 0), complete: page.complete };
}

/** Prepends earlier lines. */
export function withEarlier(before: LogState, page: LogPage): LogState {
	const first = before.lines[0]?.number ?? Number.MAX_SAFE_INTEGER;
	const earlier = page.lines.filter((line) => line.number < first).map((line) => ({ ...line, text: plainLine(line.text) }));
	return { ...before, lines: [...earlier, ...before.lines] };
}

/** Indexes of matching lines in order, case-insensitive; none for an empty query. */
export function findLines(lines: readonly LogLine[], wanted: string): number[] {
	const text = wanted.trim().toLowerCase();
	if (text === "") return [];
	return lines.flatMap((line, index) => (line.text.toLowerCase().includes(text) ? [index] : []));
}

/** Index of the last line written by then; the first line before that, null without lines. Lines are in order of time. */
export function lineAt(lines: readonly LogLine[], atMs: number): number | null {
	let [low, high] = [0, lines.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (Date.parse(lines[middle]?.at ?? "") <= atMs) low = middle + 1;
		else high = middle;
	}
	return lines.length === 0 ? null : Math.max(0, low - 1);
}

/** Log file text: time, stream unless stdout, and line. */
export function logFile(lines: readonly LogLine[]): string {
	return lines.map((l) => `${l.at} ${l.stream === "stdout" ? "" : `[${l.stream}] `}${plainLine(l.text)}\n`).join("");
}
