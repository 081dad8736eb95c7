import type { ReactNode } from "react";
import { Chip } from "#components/ui/chip.tsx";

export type StepState = "open" | "done" | "skipped";

const TEXT: Record<StepState, string> = { open: "Open", done: "Done", skipped: "Skipped" };
const TONE = { open: "warn", done: "ok", skipped: "neutral" } as const;

type StepProps = {
	no: number;
	title: string;
	/** Shown next to the title once done. */
	summary?: ReactNode;
	state: StepState;
	children: ReactNode;
};

/** One step of the set-up. */
export function Step({ no, title, summary, state, children }: StepProps) {
	return (
		<section aria-labelledby={`step-${no}`} className="rounded-xl border bg-panel">
			<div className="flex flex-wrap items-center gap-x-2.5 gap-y-1 px-5 py-3.5">
				<h2 id={`step-${no}`} className="text-sm font-semibold">
					{no}. {title}
				</h2>
				{summary && <span className="text-ink-3">{summary}</span>}
				<span className="ml-auto">
					<Chip tone={TONE[state]}>{TEXT[state]}</Chip>
				</span>
			</div>
			{children && <div className="grid gap-4 border-t px-5 py-4">{children}</div>}
		</section>
	);
}
