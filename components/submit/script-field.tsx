import { cn } from "#components/ui/cn.ts";
import type { Finding } from "./group-findings.ts";

const BARS: Record<Finding["kind"], string> = { question: "bg-risk", dropped: "bg-ink-3", changed: "bg-cloud", carried: "" };

type ScriptFieldProps = { text: string; marks: ReadonlyMap<number, Finding["kind"]>; onChange: (text: string) => void };

/** A text field with line numbers and a status bar per line. */
export function ScriptField({ text, marks, onChange }: ScriptFieldProps) {
	const same =
		"col-start-1 row-start-1 py-2.5 font-mono text-xs leading-5.5 wrap-anywhere whitespace-pre-wrap [font-variant-ligatures:none]";
	return (
		<div className="grid min-h-80 flex-1 overflow-auto bg-sunken has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-focus">
			<div aria-hidden className={cn(same, "min-w-0")}>
				{text.split("\n").map((line, i) => {
					const kind = marks.get(i + 1);
					return (
						<span
							// biome-ignore lint/suspicious/noArrayIndexKey: a line is its number.
							key={i}
							className={cn(
								"relative block min-h-5.5 pr-3 pl-12.5",
								kind === "question" && "bg-risk-soft",
								kind === "dropped" && "text-ink-3",
							)}
						>
							{kind && <span className={cn("absolute top-0 bottom-0 left-0 w-0.5", BARS[kind])} />}
							<span className="tabular absolute left-0 w-9 text-right text-ink-3">{i + 1}</span>
							{line}
						</span>
					);
				})}
			</div>
			<textarea
				aria-label="Batch script or manifest"
				spellCheck={false}
				value={text}
				placeholder="Paste a #SBATCH script, or a Job, PyTorchJob, TrainJob or JobSet manifest"
				onChange={(event) => onChange(event.currentTarget.value)}
				className={cn(
					same,
					"z-1 min-w-0 resize-none overflow-hidden bg-transparent pr-3 pl-12.5 caret-ink outline-none",
					text !== "" && "text-transparent",
				)}
			/>
		</div>
	);
}
