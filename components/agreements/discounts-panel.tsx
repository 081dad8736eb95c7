"use client";
import { LABELS } from "#server/domain/vocabulary.ts";
import { AgreementDialog } from "./agreement-dialog.tsx";
import { AgreementsList } from "./agreements-list.tsx";
import { describeDiscount, discountDraft, readDiscount } from "./discount-draft.ts";
import { DiscountFields } from "./discount-fields.tsx";
import { discountsCsv } from "./export-csv.ts";
import { useClouds } from "./fields.tsx";
import { useDiscounts } from "./use-lists.ts";

/** Negotiated discounts on cloud list prices. */
export function DiscountsPanel() {
	const clouds = useClouds();
	const { lines, changes } = useDiscounts();
	return (
		<AgreementsList
			title="Discounts"
			sub="on cloud list prices"
			add="Add discount"
			empty={{
				title: "No discounts",
				text: "Add negotiated discounts to use them in decisions, quotes and budgets.",
			}}
			lines={lines}
			describeLine={(line) => ({
				facts: `${line.percent}% off ${LABELS[line.capacityType].toLowerCase()} on ${line.siteId}`,
				notes: describeDiscount(line),
			})}
			removal="New decisions use list prices. Past charges and running machines keep their price."
			changes={changes}
			csv={{ fileName: "spillway-discounts.csv", text: discountsCsv }}
			form={(line, onClose) => (
				<AgreementDialog
					what="discount"
					before={line?.id ?? null}
					effect="Applies to new decisions. Running machines keep their launch price."
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
