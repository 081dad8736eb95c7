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
	/** The statement that is shown was closed, so that the note is of its next version. */
	closed: boolean;
	onClose: () => void;
};

/** Explains a variance in the words of somebody who knows. */
export function NoteDialog({ at, subject, label, text, closed, onClose }: NoteDialogProps) {
	const id = useId();
	const trpc = useTRPC();
	const [value, setValue] = useState(text);
	const after = useAfterChange(onClose);
	const note = useMutation(
		trpc.statement.note.mutationOptions({
			onSuccess: () => after.done("The note is kept"),
			onError: after.failed("The note was not kept"),
		}),
	);
	const empty = value.trim() === "";
	return (
		<Dialog
			open
			onClose={onClose}
			title={`A note on ${label}`}
			description={
				closed
					? "A closed statement stays as it is. The note stands on its next version: close the month again to write it."
					: "It stands on the statement when the month is closed."
			}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button variant="primary" busy={note.isPending} disabled={empty} onClick={() => note.mutate({ ...at, subject, text: value })}>
						Keep the note
					</Button>
				</>
			}
		>
			<Field label="Why it differs" htmlFor={id} hint="Your name is kept with it.">
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
