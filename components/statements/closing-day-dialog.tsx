"use client";
import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { useAfterChange } from "#components/statements/use-change.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { Field, Input } from "#components/ui/input.tsx";

/** Setting for automatic closing. */
export function ClosingDay({ day }: { day: number }) {
	const [open, setOpen] = useState(false);
	return (
		<>
			<Button size="sm" onClick={() => setOpen(true)}>
				Set closing day
			</Button>
			{open && <ClosingDayDialog day={day} onClose={() => setOpen(false)} />}
		</>
	);
}

function ClosingDayDialog({ day, onClose }: { day: number; onClose: () => void }) {
	const id = useId();
	const trpc = useTRPC();
	const [text, setText] = useState(String(day));
	const after = useAfterChange(onClose);
	const save = useMutation(
		trpc.statement.changeClosingDay.mutationOptions({
			onSuccess: ({ day: set }) => after.done(`Closes automatically on day ${set}`),
		}),
	);
	const chosen = /^\d{1,2}$/.test(text.trim()) ? Number(text) : Number.NaN;
	return (
		<FormDialog
			title="Automatic closing"
			description="The previous month closes on this day unless already closed, and statements are sent to subscribed channels. The audit log records changes."
			save="Save"
			ready={chosen >= 1 && chosen <= 28}
			change={save}
			onSubmit={() => save.mutate({ day: chosen })}
			onClose={onClose}
		>
			<Field label="Day of the month, 1 to 28" htmlFor={id} hint="Leave time for cloud bills, which arrive in the first days of the month.">
				<Input id={id} inputMode="numeric" value={text} onChange={(e) => setText(e.target.value)} aria-describedby={`${id}-note`} />
			</Field>
		</FormDialog>
	);
}
