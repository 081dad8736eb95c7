import { cn } from "#components/ui/cn.ts";
import { Icon, type IconName } from "#components/ui/icon.tsx";
import type { Step } from "./use-check.ts";

const MARK: Record<Step["outcome"], { icon: IconName; word: string; tone: string }> = {
	passed: { icon: "check", word: "passed", tone: "text-ok-ink" },
	failed: { icon: "x", word: "failed", tone: "text-risk-ink" },
	unknown: { icon: "question", word: "unknown", tone: "text-ink-3" },
	skipped: { icon: "more", word: "skipped", tone: "text-ink-3" },
};

/** Check steps as they arrive; announced by screen readers. */
export function CheckList({ steps, running }: { steps: readonly Step[]; running: boolean }) {
	return (
		<ol aria-label="Check steps" aria-live="polite" aria-busy={running} className="grid gap-2.5">
			{steps.map((step) => {
				const { icon, word, tone } = MARK[step.outcome];
				return (
					<li key={step.id} className="flex gap-2.5">
						<Icon name={icon} className={cn("mt-0.5 size-4 flex-none", tone)} />
						<div className="min-w-0">
							<p className="font-medium">
								{step.title} <span className={cn("font-book", tone)}>{word}</span>
							</p>
							<p className="text-pretty break-words text-ink-2">{step.found}</p>
							{step.fix && <p className="text-xs text-pretty text-ink-3">Fix: {step.fix}</p>}
						</div>
					</li>
				);
			})}
			{running && <li className="text-ink-3">Checking…</li>}
		</ol>
	);
}
