"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrorsOf } from "#components/page/field-errors.ts";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { TextField } from "#components/settings/text-field.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { microToUsdText } from "#server/kernel/money.ts";

export type PricedStore = { id: string; name: string; team: string | null; price: Outputs["store"]["list"]["embeddedPrice"] };

/** Sets a store's prices from now on. */
export function PriceDialog({ store, onClose }: { store: PricedStore; onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const { microUsdPerGiBMonth, microUsdPerGiBEgress } = store.price;
	const [storage, setStorage] = useState(microUsdPerGiBMonth === null ? "" : microToUsdText(microUsdPerGiBMonth));
	const [egress, setEgress] = useState(microUsdPerGiBEgress === null ? "" : microToUsdText(microUsdPerGiBEgress));
	const save = useMutation(
		trpc.store.setPrice.mutationOptions({
			onSuccess: onClose,
			onSettled: () => void client.invalidateQueries({ queryKey: trpc.store.pathKey() }),
		}),
	);
	const errors = fieldErrorsOf(save.error);
	const textOf = (text: string) => (text.trim() === "" ? null : text.trim());
	return (
		<FormDialog
			title={`Prices of ${store.name}`}
			description="As on the provider's bill or your rate card. They hold from now on. Without a price, no cost is shown."
			save="Save"
			ready
			change={{ isPending: save.isPending, error: Object.keys(errors).length > 0 ? null : save.error }}
			onSubmit={() => save.mutate({ id: store.id, usdPerGiBMonth: textOf(storage), usdPerGiBEgress: textOf(egress) })}
			onClose={onClose}
		>
			<TextField
				label="Storage in $ per GiB and month (optional)"
				id="price-storage"
				value={storage}
				onChange={setStorage}
				error={errors["usdPerGiBMonth"]}
			/>
			<TextField
				label="Egress in $ per GiB (optional)"
				id="price-egress"
				value={egress}
				onChange={setEgress}
				error={errors["usdPerGiBEgress"]}
			/>
		</FormDialog>
	);
}
