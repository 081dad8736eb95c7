import type { StudyResult } from "#components/plan/format-plan.ts";
import { formatCount } from "#components/ui/format-number.ts";
import { PanelHeader } from "#components/ui/panel.tsx";

/** Every constant with its source, and what could not be read. */
export function AssumptionsPanel({ result: { assessment, comparison } }: { result: StudyResult }) {
	const { badRows, notes } = assessment.history;
	return (
		<div className="min-w-0 pb-4">
			<PanelHeader title="Assumptions" sub="with their sources" />
			<dl className="grid gap-2 px-4">
				{comparison.assumptions.map(({ name, value, source }) => (
					<div key={name} className="grid gap-x-3 sm:grid-cols-[8.5rem_minmax(0,1fr)]">
						<dt className="text-ink-3">{name}</dt>
						<dd className="text-pretty wrap-anywhere">
							{value} <span className="text-xs text-ink-3">{source}</span>
						</dd>
					</div>
				))}
			</dl>
			{(badRows.count > 0 || notes.withoutGpus > 0 || notes.neverStarted > 0) && (
				<div className="mt-3 grid gap-1 border-t px-4 pt-3 text-ink-2">
					<p>
						Left out: {formatCount(badRows.count)} unreadable rows, {formatCount(notes.withoutGpus)} without GPUs,{" "}
						{formatCount(notes.neverStarted)} never started.
					</p>
					{badRows.first.slice(0, 5).map(({ line, message }) => (
						<p key={line} className="text-xs text-ink-3">
							Line {line}: {message}
						</p>
					))}
				</div>
			)}
		</div>
	);
}
