import { Field, Select } from "#components/ui/input.tsx";
import type { DiscountDraft } from "./discount-draft.ts";
import { CloudField, DaysFields, TextField } from "./fields.tsx";

/** What a discount is filled in by. */
export function DiscountFields({ draft, set }: { draft: DiscountDraft; set: (part: Partial<DiscountDraft>) => void }) {
	return (
		<>
			<TextField
				label="Name"
				id="discount-id"
				value={draft.id}
				onChange={(id) => set({ id })}
				hint="Letters, digits, hyphens; on every price that it is in."
			/>
			<CloudField id="discount-site" value={draft.siteId} onChange={(siteId) => set({ siteId })} />
			<div className="grid gap-3 md:grid-cols-2">
				<Field label="On" htmlFor="discount-capacity">
					<Select
						id="discount-capacity"
						value={draft.capacityType}
						onChange={(e) => set({ capacityType: e.target.value === "spot" ? "spot" : "on_demand" })}
					>
						<option value="on_demand">On demand</option>
						<option value="spot">Spot</option>
					</Select>
				</Field>
				<TextField
					label="Percent off the list"
					id="discount-percent"
					value={draft.percent}
					onChange={(percent) => set({ percent })}
					hint="Above 0 and below 100, such as 12.5."
				/>
			</div>
			<TextField
				label="Instance families"
				id="discount-families"
				value={draft.instanceFamilies}
				onChange={(instanceFamilies) => set({ instanceFamilies })}
				hint="Patterns as in a policy with commas between them, such as p5. Empty: every type."
			/>
			<TextField
				label="Regions"
				id="discount-regions"
				value={draft.regions}
				onChange={(regions) => set({ regions })}
				hint="Such as aws:us-*. Empty: every region."
			/>
			<DaysFields
				prefix="discount"
				from={draft.from}
				to={draft.to}
				toHint="The first day without it. Empty: no end is agreed."
				onChange={set}
			/>
			<TextField
				label="Where it is written"
				id="discount-source"
				value={draft.source}
				onChange={(source) => set({ source })}
				hint="A contract, an e-mail, an agreement's number."
			/>
		</>
	);
}
