import { useState } from "react";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { TextField } from "#components/settings/text-field.tsx";
import { CheckField } from "#components/ui/checkbox.tsx";
import { entryErrorsOf, withStore } from "./lists.ts";
import type { DataSets } from "./use-data-sets.ts";

/** Adds a store for copies of a region or an owned site, or replaces it. */
export function DataStoreDialog({ sets, onClose }: { sets: DataSets; onClose: () => void }) {
	const [store, setStore] = useState({ at: "", uri: "", writeUri: "", usdPerGiBMonth: "" });
	const { at, uri, writeUri, usdPerGiBMonth } = store;
	const errors = entryErrorsOf(sets.change.error);
	const field = (name: keyof typeof store) => ({
		...{ id: `store-${name}`, value: store[name], error: errors[name] },
		onChange: (value: string) => setStore((now) => ({ ...now, [name]: value.trim() })),
	});
	const [share, setShare] = useState(false);
	const price = usdPerGiBMonth === "" ? undefined : Number(usdPerGiBMonth);
	return (
		<FormDialog
			title="Add store for copies"
			description="Data is copied there before GPUs are billed in the region, or before slots are held at the site."
			save="Save"
			ready={at !== "" && uri !== ""}
			change={{ isPending: sets.change.isPending, error: Object.values(errors).some(Boolean) ? null : sets.change.error }}
			onSubmit={() =>
				sets.save(
					(lists) =>
						withStore(lists, {
							...{ at, uri, ...(writeUri && { writeUri }), ...(share && { share }) },
							...(price !== undefined && { usdPerGiBMonth: price }),
						}),
					onClose,
				)
			}
			onClose={onClose}
		>
			<TextField {...field("at")} label="Place" hint="Region such as aws:eu-west-1, or an owned site." />
			<TextField
				{...field("uri")}
				label="Folder"
				hint="As machines there read it. At an owned site also a folder, such as file:///stage."
			/>
			<TextField
				{...field("writeUri")}
				label="Folder for writing (optional)"
				hint="As the scheduler writes it, such as rclone://stage/folder."
			/>
			<TextField {...field("usdPerGiBMonth")} label="Storage in $ per GiB and month (optional)" />
			<CheckField
				label="Copy data for later jobs"
				hint="Needs the price, and days that copies of the data set stay current. Made when a copy saves more egress than it costs."
				checked={share}
				onChange={(event) => setShare(event.currentTarget.checked)}
			/>
		</FormDialog>
	);
}
