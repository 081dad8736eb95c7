"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog } from "#components/page/confirm-dialog.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Store } from "./store-row.tsx";

/** Removes a store after confirmation: its credentials have to be entered again to add it back. */
export function RemoveStoreDialog({ store: { id, name, team, isDefault }, onClose }: { store: Store; onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const remove = useMutation(
		trpc.store.remove.mutationOptions({
			onSuccess: onClose,
			onSettled: () => void client.invalidateQueries({ queryKey: trpc.store.pathKey() }),
		}),
	);
	return (
		<ConfirmDialog
			title={`Remove ${name}?`}
			description={`Its files stay readable.${isDefault ? ` New results of ${team} go to Spillway's own folder.` : ""}`}
			action="Remove"
			change={remove}
			onConfirm={() => remove.mutate({ id })}
			onClose={onClose}
		/>
	);
}
