"use client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Field, Input, Select } from "#components/ui/input.tsx";
import { startHere } from "#components/ui/show-modal.ts";
import type { SavedView } from "./saved-views.ts";

type ViewDialogProps = {
	/** null: a new view. */
	view: SavedView | null;
	/** The part of the list's URL that it stores. */
	query: string;
	onClose: () => void;
	onSaved: (view: SavedView) => Promise<void>;
};

/** Name of a view and who sees it. */
export function ViewDialog({ view, query, onClose, onSaved }: ViewDialogProps) {
	const trpc = useTRPC();
	const { data: teams } = useSuspenseQuery(trpc.team.names.queryOptions());
	const [name, setName] = useState(view?.name ?? "");
	const [team, setTeam] = useState(view?.team ?? "");
	const create = useMutation(trpc.view.create.mutationOptions({ onSuccess: onSaved }));
	const update = useMutation(trpc.view.update.mutationOptions({ onSuccess: onSaved }));
	const fields = { name: name.trim(), team: team === "" ? null : team };
	return (
		<FormDialog
			title={view ? "Rename or share view" : "Save view"}
			description="Keeps filters, sort order and columns."
			save={view ? "Save" : "Save view"}
			ready={fields.name !== ""}
			change={view ? update : create}
			onSubmit={() => (view ? update.mutate({ id: view.id, ...fields }) : create.mutate({ ...fields, query }))}
			onClose={onClose}
		>
			<Field label="Name" htmlFor="view-name">
				<Input
					ref={startHere}
					id="view-name"
					maxLength={60}
					autoComplete="off"
					value={name}
					onChange={(event) => setName(event.currentTarget.value)}
				/>
			</Field>
			<Field label="Visible to" htmlFor="view-team">
				<Select id="view-team" value={team} onChange={(event) => setTeam(event.currentTarget.value)}>
					<option value="">Only me</option>
					{teams.map((id) => (
						<option key={id} value={id}>
							Me and team {id}
						</option>
					))}
				</Select>
			</Field>
		</FormDialog>
	);
}
