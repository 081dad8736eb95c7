import { cn } from "#components/ui/cn.ts";
import type { FieldProblem } from "#server/kernel/errors.ts";

/** Splits a line into key, value and comment without a parser. */
const PARTS = /^(\s*(?:- )?)([\w.-]+:(?=\s|$))?(.*?)((?<=^|\s)#.*)?$/s;

type CodeLinesProps = { text: string; problems: readonly FieldProblem[]; activeLine: number | null };

/** Read-only YAML as in the editor: numbered, colored, with problem marks. */
export function CodeLines({ text, problems, activeLine }: CodeLinesProps) {
	return text.split("\n").map((line, i) => {
		const [, indent = "", key = "", value = line, comment = ""] = PARTS.exec(line) ?? [];
		return (
			<span
				// biome-ignore lint/suspicious/noArrayIndexKey: a line is its number.
				key={i}
				className={cn(
					"relative block min-h-5.5 pr-1.5 pl-12.5",
					activeLine === i + 1 && "bg-[color-mix(in_oklab,var(--accent)_7%,transparent)] shadow-[inset_2px_0_var(--accent)]",
				)}
			>
				<span className="tabular absolute left-0 w-7 text-right text-ink-3">{i + 1}</span>
				{problems.some((p) => (p.line ?? 1) === i + 1) && <span className="absolute top-1.75 left-9 size-2 rotate-45 bg-risk" />}
				{indent}
				{key && <span className="text-accent">{key}</span>}
				{value}
				{comment && <span className="text-ink-3">{comment}</span>}
			</span>
		);
	});
}
