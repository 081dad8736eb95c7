"use client";
import { useState } from "react";
import { ConfirmDialog } from "#components/page/confirm-dialog.tsx";
import { CachesPanel } from "./caches-panel.tsx";
import { CopyDialog } from "./copy-dialog.tsx";
import { LinksPanel } from "./links-panel.tsx";
import { ListedCopiesPanel } from "./listed-copies-panel.tsx";
import { copiesOf, type ListedCopy, withoutCopy, withoutStore } from "./lists.ts";
import { SharingPanel } from "./sharing-panel.tsx";
import { DataStoreDialog } from "./store-dialog.tsx";
import { StoredCopiesPanel } from "./stored-copies-panel.tsx";
import { DataStoresPanel } from "./stores-panel.tsx";
import { useDataSets } from "./use-data-sets.ts";

type Open = { form: "copy" | "store" } | { copy: ListedCopy } | { store: string };

/** Copies of data sets, stores for copies, what was copied there or would save egress, caches, and link speeds. `canChange`: the user can change the lists. */
export function DataPanels({ canChange }: { canChange: boolean }) {
	const sets = useDataSets();
	const { data, change, save } = sets;
	const [open, setOpen] = useState<Open | null>(null);
	const show = (next: Open) => {
		change.reset();
		setOpen(next);
	};
	const close = () => setOpen(null);
	const changes = <Item,>(form: "copy" | "store", removal: (item: Item) => Open) =>
		canChange ? { onAdd: () => show({ form }), onRemove: (item: Item) => show(removal(item)) } : null;
	const remove = { action: "Remove", change, onClose: close };
	return (
		<div className="grid gap-4">
			<ListedCopiesPanel copies={copiesOf(data)} change={changes("copy", (copy: ListedCopy) => ({ copy }))} />
			<DataStoresPanel stores={data.stores} change={changes("store", (store: string) => ({ store }))} />
			<StoredCopiesPanel copies={data.stored} />
			<SharingPanel sets={data.sharing} />
			<CachesPanel caches={data.caches} />
			<LinksPanel links={data.inbound} />
			{open && "form" in open && open.form === "copy" && <CopyDialog sets={sets} onClose={close} />}
			{open && "form" in open && open.form === "store" && <DataStoreDialog sets={sets} onClose={close} />}
			{open && "copy" in open && (
				<ConfirmDialog
					{...remove}
					title={`Remove the copy at ${open.copy.at}?`}
					description={`Jobs there read ${open.copy.set} from elsewhere. The files stay.`}
					onConfirm={() => save((lists) => withoutCopy(lists, open.copy), close)}
				/>
			)}
			{open && "store" in open && (
				<ConfirmDialog
					{...remove}
					title={`Remove the store in ${open.store}?`}
					description="Data is no longer copied ahead to this place."
					onConfirm={() => save((lists) => withoutStore(lists, open.store), close)}
				/>
			)}
		</div>
	);
}
