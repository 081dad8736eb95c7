"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ImportDialog } from "#components/settings/import-dialog.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { notify } from "#components/ui/toast.tsx";

/** Imports a CSV file of exchange rates. */
export function ImportRatesDialog({ onClose }: { onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const save = useMutation(
		trpc.currency.importRates.mutationOptions({
			onSettled: () => {
				void client.invalidateQueries({ queryKey: trpc.currency.pathKey() });
				void client.invalidateQueries({ queryKey: trpc.spend.pathKey() });
			},
			onSuccess: ({ currencies, added, replaced, unchanged }) => {
				notify({
					tone: "done",
					title: `Imported rates for ${currencies.join(", ")}`,
					detail: `${added} new, ${replaced} replaced, ${unchanged} unchanged`,
				});
				onClose();
			},
		}),
	);
	return (
		<ImportDialog
			title="Import exchange rates"
			description="CSV with date,currency,rate (units for one US dollar), or the ECB's eurofxref files."
			what="rates"
			placeholder="ECB reference rates"
			hint="Shown in reports."
			save={save}
			onClose={onClose}
		/>
	);
}
