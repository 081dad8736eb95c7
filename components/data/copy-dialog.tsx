import { useState } from "react";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { TextField } from "#components/settings/text-field.tsx";
import { entryErrorsOf, withCopy } from "./lists.ts";
import type { DataSets } from "./use-data-sets.ts";

/** Lists a copy of a data set. */
export function CopyDialog({ sets, onClose }: { sets: DataSets; onClose: () => void }) {
	const [copy, setCopy] = useState({ set: "", at: "", uri: "", readUri: "" });
	const [freshDays, setFreshDays] = useState("");
	const { readUri, ...listed } = copy;
	const errors = entryErrorsOf(sets.change.error);
	const field = (name: keyof typeof copy) => ({
		...{ id: `copy-${name}`, value: copy[name], error: errors[name] },
		onChange: (value: string) => setCopy((now) => ({ ...now, [name]: value.trim() })),
	});
	return (
		<FormDialog
			title="Add copy"
			description="A job near a copy reads that copy, without staging and egress."
			save="Save"
			ready={Object.values(listed).every((text) => text !== "")}
			change={{ isPending: sets.change.isPending, error: Object.values(errors).some(Boolean) ? null : sets.change.error }}
			onSubmit={() =>
				sets.save(
					(lists) => withCopy(lists, { ...listed, ...(readUri && { readUri }), ...(freshDays && { freshDays: Number(freshDays) }) }),
					onClose,
				)
			}
			onClose={onClose}
		>
			<TextField {...field("set")} label="Data set" hint="The address in job files, such as s3://acme/claims." />
			<TextField {...field("at")} label="Place" hint="Region such as aws:eu-west-1, or an owned site." />
			<TextField {...field("uri")} label="Address there" />
			<TextField
				{...field("readUri")}
				label="Address for the scheduler (optional)"
				hint="With it, Spillway copies from here to stores elsewhere, and charges egress."
			/>
			<TextField
				id="copy-freshDays"
				value={freshDays}
				error={errors.freshDays}
				onChange={(value) => setFreshDays(value.trim())}
				label="Days that copies stay current (optional)"
				hint="1 to 365, for data that does not change. Without it, each later job updates the copies that Spillway made."
			/>
		</FormDialog>
	);
}
