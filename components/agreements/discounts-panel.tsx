"use client";
import { LABELS } from "#server/domain/vocabulary.ts";
import { AgreementDialog } from "./agreement-dialog.tsx";
import { AgreementsList } from "./agreements-list.tsx";
import { describeDiscount, discountDraft, readDiscount } from "./discount-draft.ts";
import { DiscountFields } from "./discount-fields.tsx";
import { discountsCsv } from "./export-csv.ts";
import { useClouds } from "./fields.tsx";
import { useDiscounts } from "./use-lists.ts";

/** What was agreed with the clouds off their list prices. */
export function DiscountsPanel() {
	const clouds = useClouds();
	const { lines, changes } = useDiscounts();
	return (
		<AgreementsList
			title="Agreed discounts"
			sub="off the clouds' list prices"
			add="Add a discount"
			empty={{
				title: "No discount is on record",
				text: "Decisions, quotes and budgets go by the list prices. What a contract takes off them is added here.",
			}}
			lines={lines}
			tell={(line) => ({
				facts: `${line.percent}% off ${LABELS[line.capacityType].toLowerCase()} on ${line.siteId}`,
				notes: describeDiscount(line),
			})}
			removal="Prices are the list's again from the next decision on. What is charged stays, and machines that run keep their price."
			changes={changes}
			csv={{ fileName: "spillway-discounts.csv", text: discountsCsv }}
			form={(line, onClose) => (
				<AgreementDialog
					what="discount"
					before={line?.id ?? null}
					effect="It counts from the next decision on. Machines that run keep the price that they were launched at."
					first={() => discountDraft(line, clouds[0]?.id ?? "")}
					read={(draft) => readDiscount(draft, line)}
					changes={changes}
					onClose={onClose}
					fields={(draft, set) => <DiscountFields draft={draft} set={set} />}
				/>
			)}
		/>
	);
}
