"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrorsOf } from "#components/page/field-errors.ts";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { StoreTextField } from "./store-dialog.tsx";
import { STORE_FIELDS } from "./store-fields.ts";
import type { Store } from "./store-row.tsx";

/** Replaces a store's credentials. The current ones are never shown. */
export function CredentialsDialog({ store, onClose }: { store: Store; onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
	const update = useMutation(
		trpc.store.update.mutationOptions({
			onSuccess: onClose,
			onSettled: () => void client.invalidateQueries({ queryKey: trpc.store.pathKey() }),
		}),
	);
	const errors = fieldErrorsOf(update.error);
	const fields = STORE_FIELDS[store.kind].filter(({ at }) => at === "secret");
	const secret = Object.fromEntries(fields.map(({ name }) => [name, texts[name]?.trim() ?? ""]));
	return (
		<FormDialog
			title={`Replace credentials of ${store.name}`}
			description="They are stored encrypted. Check the store afterwards."
			save="Replace"
			ready={Object.values(secret).every((text) => text !== "")}
			change={{ isPending: update.isPending, error: Object.keys(errors).length > 0 ? null : update.error }}
			onSubmit={() => update.mutate({ id: store.id, secret })}
			onClose={onClose}
		>
			{fields.map((field) => (
				<StoreTextField
					key={field.name}
					field={field}
					value={texts[field.name]}
					error={errors[`secret.${field.name}`]}
					onChange={(value) => setTexts((now) => ({ ...now, [field.name]: value }))}
				/>
			))}
		</FormDialog>
	);
}
