"use client";
import { useState } from "react";
import { EmptyState } from "#components/page/states.tsx";
import { Button } from "#components/ui/button.tsx";
import { PanelHeader } from "#components/ui/panel.tsx";
import { LABELS } from "#server/domain/vocabulary.ts";
import { AgreementLine } from "./agreement-line.tsx";
import { DiscountDialog } from "./discount-dialog.tsx";
import { type DiscountLine, describeDiscount } from "./discount-draft.ts";
import { useDiscounts } from "./use-lists.ts";

/** What was agreed with the clouds off their list prices. */
export function DiscountsPanel() {
	const { lines, items, remove } = useDiscounts();
	const [form, setForm] = useState<{ line: DiscountLine | null } | null>(null);
	const without = (id: string) => ({ next: { items: items.filter((item) => item.id !== id) }, seen: { items } });
	return (
		<>
			<PanelHeader
				title="Agreed discounts"
				sub="off the clouds' list prices"
				actions={
					<Button size="sm" onClick={() => setForm({ line: null })}>
						Add a discount
					</Button>
				}
			/>
			{lines.length === 0 ? (
				<EmptyState icon="info" title="No discount is on record">
					Decisions, quotes and budgets go by the list prices. What a contract takes off them is added here.
				</EmptyState>
			) : (
				<ul aria-label="Agreed discounts">
					{lines.map((line) => (
						<AgreementLine
							key={line.id}
							name={line.id}
							facts={`${line.percent}% off ${LABELS[line.capacityType].toLowerCase()} on ${line.siteId}`}
							notes={describeDiscount(line)}
							removal="Prices are the list's again from the next decision on. What is charged stays, and machines that run keep their price."
							busy={remove.isPending}
							onChange={() => setForm({ line })}
							onRemove={(done) => remove.mutate(without(line.id), { onSettled: done })}
						/>
					))}
				</ul>
			)}
			{form && <DiscountDialog line={form.line} onClose={() => setForm(null)} />}
		</>
	);
}
