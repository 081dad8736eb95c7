"use client";
import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useAfterChange } from "#components/statements/use-change.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { Field, Textarea } from "#components/ui/input.tsx";

type NoteDialogProps = {
	at: { month: string; team: string };
	subject: string;
	label: string;
	text: string;
	/** True if the shown statement is closed; the note then appears on its next version. */
	closed: boolean;
	onClose: () => void;
};

/** Explains a variance. */
export function NoteDialog({ at, subject, label, text, closed, onClose }: NoteDialogProps) {
	const id = useId();
	const trpc = useTRPC();
	const [value, setValue] = useState(text);
	const after = useAfterChange(onClose);
	const note = useMutation(
		trpc.statement.note.mutationOptions({
			onSuccess: () => after.done("Note saved"),
			onError: after.failed("Could not save the note"),
		}),
	);
	const empty = value.trim() === "";
	return (
		<Dialog
			open
			onClose={onClose}
			title={`Note on ${label}`}
			description={
				closed
					? "Closed statements are immutable. The note appears on the next version: close the month again."
					: "It appears on the statement when the month is closed."
			}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button variant="primary" busy={note.isPending} disabled={empty} onClick={() => note.mutate({ ...at, subject, text: value })}>
						Save note
					</Button>
				</>
			}
		>
			<Field label="Explanation" htmlFor={id} hint="Saved with your name.">
				<Textarea
					id={id}
					value={value}
					maxLength={2_000}
					rows={4}
					aria-describedby={`${id}-note`}
					onChange={(event) => setValue(event.target.value)}
				/>
			</Field>
		</Dialog>
	);
}
