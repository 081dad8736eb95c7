"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ImportDialog } from "#components/settings/import-dialog.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { notify } from "#components/ui/toast.tsx";

/** Imports a CSV file of list prices. */
export function ImportPricesDialog({ onClose }: { onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const save = useMutation(
		trpc.offer.importPrices.mutationOptions({
			onSettled: () => void client.invalidateQueries({ queryKey: trpc.offer.pathKey() }),
			onSuccess: ({ providers, added, replaced, unchanged, older, ignored }) => {
				notify({
					tone: "done",
					title: `Imported prices of ${providers.join(", ")}`,
					detail: `${added} new, ${replaced} replaced, ${unchanged} unchanged, ${older} older, ${ignored} ignored. They apply within minutes.`,
				});
				onClose();
			},
		}),
	);
	return (
		<ImportDialog
			title="Import list prices"
			description="CSV with provider, instance_type, region, capacity_type, usd_per_hour and as_of."
			what="prices"
			placeholder="AWS price list"
			hint="Shown with each offer."
			save={save}
			onClose={onClose}
		/>
	);
}
