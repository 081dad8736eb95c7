import { DollarsField } from "#components/money/dollars-field.tsx";
import { readDollars } from "#components/money/read-dollars.ts";
import { Field, Select } from "#components/ui/input.tsx";
import type { CommitmentDraft } from "./commitment-draft.ts";
import { CloudField, DaysFields, TextField } from "./fields.tsx";

type FieldsProps = { draft: CommitmentDraft; set: (part: Partial<CommitmentDraft>) => void };

/** Form fields of a commitment. */
export function CommitmentFields({ draft, set }: FieldsProps) {
	return (
		<>
			<div className="grid gap-3 md:grid-cols-2">
				<TextField label="Name" id="commitment-id" value={draft.id} onChange={(id) => set({ id })} hint="Letters, digits, hyphens." />
				<Field label="Kind" htmlFor="commitment-kind">
					<Select
						id="commitment-kind"
						value={draft.kind}
						onChange={(e) => set({ kind: e.target.value === "commitment" ? "commitment" : "reservation" })}
					>
						<option value="reservation">Reserved machines</option>
						<option value="commitment">Committed use</option>
					</Select>
				</Field>
			</div>
			<CloudField id="commitment-site" value={draft.siteId} onChange={(siteId) => set({ siteId })} />
			<WhatFields draft={draft} set={set} />
			<div className="grid gap-3 md:grid-cols-2">
				<Dollars label="Upfront ($)" id="commitment-upfront" value={draft.upfrontUsd} onChange={(upfrontUsd) => set({ upfrontUsd })} />
				<Dollars label="Hourly ($)" id="commitment-hourly" value={draft.hourlyUsd} onChange={(hourlyUsd) => set({ hourlyUsd })} />
			</div>
			<DaysFields prefix="commitment" from={draft.from} to={draft.to} toHint="First day after the term." onChange={set} />
		</>
	);
}

/** Which machines, how many and where. */
function WhatFields({ draft, set }: FieldsProps) {
	return (
		<>
			<div className="grid gap-3 md:grid-cols-3">
				<TextField label="Machines" id="commitment-instances" value={draft.instances} onChange={(instances) => set({ instances })} />
				<TextField
					label="Instance type"
					id="commitment-type"
					value={draft.instanceType}
					onChange={(instanceType) => set({ instanceType })}
				/>
				<TextField
					label="Accelerator"
					id="commitment-accelerator"
					value={draft.accelerator}
					onChange={(accelerator) => set({ accelerator })}
				/>
			</div>
			<div className="grid gap-3 md:grid-cols-2">
				<TextField
					label="Region"
					id="commitment-region"
					value={draft.region}
					onChange={(region) => set({ region })}
					hint="Leave empty for any."
				/>
				<TextField
					label="Zone"
					id="commitment-zone"
					value={draft.zone}
					onChange={(zone) => set({ zone })}
					hint="Leave empty for any zone of the region."
				/>
			</div>
			<TextField
				label="Provider ID"
				id="commitment-reservation"
				value={draft.reservation}
				onChange={(reservation) => set({ reservation })}
				hint="Set it if machines must be launched into the reservation. Leave empty if the provider matches them."
			/>
		</>
	);
}

function Dollars(props: { label: string; id: string; value: string; onChange: (typed: string) => void }) {
	const error = readDollars(props.value) === null ? "Dollar amount, such as 12.50" : null;
	return <DollarsField {...props} error={error} hint="Total for all machines." />;
}
