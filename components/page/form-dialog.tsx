import { type ReactNode, useId } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";

type FormDialogProps = {
	title: string;
	description: string;
	/** Main button label; Enter in a field submits too. */
	save: string;
	/** True if the form can be submitted. */
	ready: boolean;
	/** The mutation: disables the button while pending and shows its error below the fields. */
	change: { isPending: boolean; error: unknown };
	onSubmit: () => void;
	onClose: () => void;
	/** The fields. */
	children: ReactNode;
};

/** Dialog with a form, cancel and submit. Stays open on errors. */
export function FormDialog({ title, description, save, ready, change, onSubmit, onClose, children }: FormDialogProps) {
	const id = useId();
	return (
		<Dialog
			open
			onClose={onClose}
			title={title}
			description={description}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button variant="primary" type="submit" form={id} busy={change.isPending} disabled={!ready}>
						{save}
					</Button>
				</>
			}
		>
			<form
				id={id}
				className="grid gap-3"
				onSubmit={(event) => {
					event.preventDefault();
					if (ready) onSubmit();
				}}
			>
				{children}
				{Boolean(change.error) && (
					<p role="alert" className="text-risk-ink">
						{describeError(change.error).detail}
					</p>
				)}
			</form>
		</Dialog>
	);
}
