import { Field, Select } from "#components/ui/input.tsx";
import type { DiscountDraft } from "./discount-draft.ts";
import { CloudField, DaysFields, TextField } from "./fields.tsx";

/** Form fields of a discount. */
export function DiscountFields({ draft, set }: { draft: DiscountDraft; set: (part: Partial<DiscountDraft>) => void }) {
	return (
		<>
			<TextField
				label="Name"
				id="discount-id"
				value={draft.id}
				onChange={(id) => set({ id })}
				hint="Letters, digits and hyphens. Shown on every discounted price."
			/>
			<CloudField id="discount-site" value={draft.siteId} onChange={(siteId) => set({ siteId })} />
			<div className="grid gap-3 md:grid-cols-2">
				<Field label="Applies to" htmlFor="discount-capacity">
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
					label="Discount (%)"
					id="discount-percent"
					value={draft.percent}
					onChange={(percent) => set({ percent })}
					hint="More than 0, less than 100, such as 12.5."
				/>
			</div>
			<TextField
				label="Instance families"
				id="discount-families"
				value={draft.instanceFamilies}
				onChange={(instanceFamilies) => set({ instanceFamilies })}
				hint="Comma-separated patterns, such as p5. Leave empty for all types."
			/>
			<TextField
				label="Regions"
				id="discount-regions"
				value={draft.regions}
				onChange={(regions) => set({ regions })}
				hint="Such as aws:us-*. Leave empty for all regions."
			/>
			<DaysFields
				prefix="discount"
				from={draft.from}
				to={draft.to}
				toHint="First day without the discount. Leave empty for no end."
				onChange={set}
			/>
			<TextField
				label="Source"
				id="discount-source"
				value={draft.source}
				onChange={(source) => set({ source })}
				hint="Contract, email or agreement number."
			/>
		</>
	);
}
