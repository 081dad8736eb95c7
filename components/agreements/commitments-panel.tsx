"use client";
import { useState } from "react";
import { EmptyState } from "#components/page/states.tsx";
import { Button } from "#components/ui/button.tsx";
import { PanelHeader } from "#components/ui/panel.tsx";
import { AgreementLine } from "./agreement-line.tsx";
import { CommitmentDialog } from "./commitment-dialog.tsx";
import { type CommitmentLine, describeCommitment } from "./commitment-draft.ts";
import { useCommitments } from "./use-lists.ts";

/** What was bought ahead. */
export function CommitmentsPanel() {
	const { lines, remove } = useCommitments();
	const [form, setForm] = useState<{ line: CommitmentLine | null } | null>(null);
	const without = (id: string) => ({ next: { items: lines.filter((item) => item.id !== id) }, seen: { items: lines } });
	return (
		<>
			<PanelHeader
				title="Reserved and committed"
				sub="bought ahead"
				actions={
					<Button size="sm" onClick={() => setForm({ line: null })}>
						Add a commitment
					</Button>
				}
			/>
			{lines.length === 0 ? (
				<EmptyState icon="info" title="Nothing is bought ahead">
					Machines are launched on demand and on spot. What an account has reserved or committed to is added here.
				</EmptyState>
			) : (
				<ul aria-label="Reserved and committed">
					{lines.map((line) => (
						<AgreementLine
							key={line.id}
							name={line.id}
							facts={`${line.instances} × ${line.instanceType} on ${line.siteId}`}
							notes={describeCommitment(line)}
							removal="New machines are launched at their own price. What is charged stays. It cannot go while machines stand on it."
							busy={remove.isPending}
							onChange={() => setForm({ line })}
							onRemove={(done) => remove.mutate(without(line.id), { onSettled: done })}
						/>
					))}
				</ul>
			)}
			{form && <CommitmentDialog line={form.line} onClose={() => setForm(null)} />}
		</>
	);
}
