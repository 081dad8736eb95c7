"use client";
import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { useAfterChange } from "#components/statements/use-change.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { Field, Input } from "#components/ui/input.tsx";

/** For who closes months: when that happens without them. */
export function ClosingDay({ day }: { day: number }) {
	const [open, setOpen] = useState(false);
	return (
		<>
			<Button size="sm" onClick={() => setOpen(true)}>
				Set the day
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
			onSuccess: ({ day: set }) => after.done(`Months are closed on day ${set}`),
		}),
	);
	const chosen = /^\d{1,2}$/.test(text.trim()) ? Number(text) : Number.NaN;
	return (
		<FormDialog
			title="When months are closed"
			description="On this day the month before is closed, unless somebody has closed it, and its statements go to every channel that hears of them. The change is in the audit."
			save="Save"
			ready={chosen >= 1 && chosen <= 28}
			change={save}
			onSubmit={() => save.mutate({ day: chosen })}
			onClose={onClose}
		>
			<Field
				label="Day of the month, 1 to 28"
				htmlFor={id}
				hint="Late enough for the clouds' bills of the month, which come in its first days."
			>
				<Input id={id} inputMode="numeric" value={text} onChange={(e) => setText(e.target.value)} aria-describedby={`${id}-note`} />
			</Field>
		</FormDialog>
	);
}
