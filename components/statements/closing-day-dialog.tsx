"use client";
import { useMutation } from "@tanstack/react-query";
import { type SubmitEvent, useId, useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { useAfterChange } from "#components/statements/use-change.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
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
	const submit = (event: SubmitEvent) => {
		event.preventDefault();
		save.mutate({ day: chosen });
	};
	return (
		<Dialog
			open
			onClose={onClose}
			title="When months are closed"
			description="On this day the month before is closed, unless somebody has closed it, and its statements go to every channel that hears of them. The change is in the audit."
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button variant="primary" type="submit" form={`${id}-form`} busy={save.isPending} disabled={!(chosen >= 1 && chosen <= 28)}>
						Save
					</Button>
				</>
			}
		>
			<form id={`${id}-form`} onSubmit={submit}>
				<Field
					label="Day of the month, 1 to 28"
					htmlFor={id}
					hint="Late enough for the clouds' bills of the month, which come in its first days."
				>
					<Input id={id} inputMode="numeric" value={text} onChange={(e) => setText(e.target.value)} aria-describedby={`${id}-note`} />
				</Field>
				{save.error && (
					<p role="alert" className="mt-3 text-risk-ink">
						{describeError(save.error).detail}
					</p>
				)}
			</form>
		</Dialog>
	);
}
