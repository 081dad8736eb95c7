import { type ReactNode, useState } from "react";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { Button } from "#components/ui/button.tsx";
import { PanelHeader } from "#components/ui/panel.tsx";
import { AgreementLine } from "./agreement-line.tsx";
import type { ListChanges } from "./use-lists.ts";

interface AgreementsListProps<Line extends { id: string }> {
	title: string;
	sub: string;
	/** Label of the add button. */
	add: string;
	/** Shown while the list is empty. */
	empty: { title: string; text: string };
	lines: readonly Line[];
	/** The text next to and below a line's name. */
	describeLine: (line: Line) => { facts: string; notes: string };
	/** Effect of removing a line. */
	removal: string;
	changes: Pick<ListChanges<never>, "removing" | "drop">;
	csv: { fileName: string; text: (lines: readonly Line[]) => string };
	/** Dialog that adds a line (`line` null) or edits it. */
	form: (line: Line | null, onClose: () => void) => ReactNode;
}

/** List of discounts or commitments, with actions and an add button. */
export function AgreementsList<Line extends { id: string }>(props: AgreementsListProps<Line>) {
	const { title, sub, add, empty, lines, describeLine, removal, changes, csv, form } = props;
	const [open, setOpen] = useState<{ line: Line | null } | null>(null);
	return (
		<>
			<PanelHeader
				title={title}
				sub={sub}
				actions={
					<>
						<Button size="sm" onClick={() => setOpen({ line: null })}>
							{add}
						</Button>
						{lines.length > 0 && <CsvButton size="sm" label={`${title} as CSV`} fileName={csv.fileName} text={() => csv.text(lines)} />}
					</>
				}
			/>
			{lines.length === 0 ? (
				<EmptyState icon="info" title={empty.title}>
					{empty.text}
				</EmptyState>
			) : (
				<ul aria-label={title}>
					{lines.map((line) => (
						<AgreementLine
							key={line.id}
							name={line.id}
							{...describeLine(line)}
							removal={removal}
							busy={changes.removing}
							onChange={() => setOpen({ line })}
							onRemove={(done) => changes.drop(line.id, done)}
						/>
					))}
				</ul>
			)}
			{open && form(open.line, () => setOpen(null))}
		</>
	);
}
