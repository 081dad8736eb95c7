"use client";
import { cn } from "#components/ui/cn.ts";
import type { LineRun, PolicyChange } from "./params.ts";
import { SentenceText } from "./sentence-text.tsx";

const KIND = { added: "added", removed: "removed", changed: "changed", moved: "moved" } as const;
const AROUND = 2;

/** Changes by rule, next to a line diff. */
export function DiffView({ changes, lines }: { changes: readonly PolicyChange[] | null; lines: readonly LineRun[] }) {
	const same = lines.every((run) => run.kind === "same");
	if (same) return <p className="text-ink-3">No differences.</p>;
	return (
		<div className="grid gap-3">
			<Changes changes={changes} />
			<TextDiff lines={lines} />
		</div>
	);
}

export function Changes({ changes }: { changes: readonly PolicyChange[] | null }) {
	if (changes === null) return <p className="text-ink-3">One version is not a valid policy; only lines are compared.</p>;
	if (changes.length === 0) return <p className="text-ink-3">Only whitespace, comments or field order differ.</p>;
	return (
		<ul aria-label="Changes by rule" className="grid gap-2">
			{changes.map((c) => (
				<li key={`${c.kind}/${c.group}/${c.id}`} className="grid gap-x-3 md:grid-cols-[9rem_minmax(0,1fr)]">
					<span>
						<b className="font-strong [overflow-wrap:anywhere]">{c.id}</b> <span className="text-xs text-ink-3">{KIND[c.kind]}</span>
					</span>
					<span className="grid gap-0.5">
						{c.before && c.kind !== "moved" && (
							<del className="text-ink-3 decoration-line-strong">{c.before.sentence.map((s) => s.text).join("")}</del>
						)}
						{c.after && <SentenceText sentence={c.after.sentence} className="text-ink-2" />}
					</span>
				</li>
			))}
		</ul>
	);
}

const LOOK = {
	same: "",
	removed: "bg-[color-mix(in_oklab,var(--risk)_10%,transparent)]",
	added: "bg-[color-mix(in_oklab,var(--carbon)_14%,transparent)]",
} as const;
const SIGN = { same: " ", removed: "−", added: "+" } as const;

function TextDiff({ lines }: { lines: readonly LineRun[] }) {
	return (
		<section
			// biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
			tabIndex={0}
			aria-label="Line diff"
			className="max-h-80 overflow-auto rounded-md border bg-sunken"
		>
			<pre className="w-max min-w-full py-1.5 font-mono text-xs leading-5">
				{lines.flatMap((run, i) =>
					shown(run, i === 0, i === lines.length - 1).map((line) => <Line key={`${run.kind}${line.n}`} kind={run.kind} {...line} />),
				)}
			</pre>
		</section>
	);
}

function Line({ kind, n, text }: { kind: LineRun["kind"]; n: number; text: string | null }) {
	if (text === null) return <span className="block px-3 text-ink-3 select-none">⋯</span>;
	return (
		<code className={cn("block pr-3", LOOK[kind])}>
			<span aria-hidden className="inline-block w-10 pr-2 text-right text-ink-2 select-none">
				{n}
			</span>
			<span className="inline-block w-4 text-ink-3">{SIGN[kind]}</span>
			{text}
			{"\n"}
		</code>
	);
}

/** Unchanged lines are shown only next to changes. */
function shown(run: LineRun, first: boolean, last: boolean): { n: number; text: string | null }[] {
	const start = run.kind === "removed" ? run.oldLine : run.newLine;
	const all = run.lines.map((text, i) => ({ n: start + i, text: text as string | null }));
	if (run.kind !== "same" || all.length <= 2 * AROUND + 1) return all;
	const gap = { n: start + AROUND, text: null };
	return [...(first ? [] : all.slice(0, AROUND)), gap, ...(last ? [] : all.slice(-AROUND))];
}
