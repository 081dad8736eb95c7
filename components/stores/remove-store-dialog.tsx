"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
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
		<Dialog
			open
			onClose={onClose}
			title={`Remove ${name}?`}
			description={`Its files stay readable.${isDefault ? ` New results of ${team} go to Spillway's own folder.` : ""}`}
			actions={
				<>
					<Button onClick={onClose}>Keep</Button>
					<Button variant="danger" busy={remove.isPending} onClick={() => remove.mutate({ id })}>
						Remove
					</Button>
				</>
			}
		>
			{Boolean(remove.error) && (
				<p role="alert" className="text-risk-ink">
					{describeError(remove.error).detail}
				</p>
			)}
		</Dialog>
	);
}
