import { type ReactNode, useId } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";

type FormDialogProps = {
	title: string;
	description: string;
	/** What the main button says; Enter in a field does the same. */
	save: string;
	/** Whether what was filled in can be sent. */
	ready: boolean;
	/** The change that is sent: while it is under way the button waits, and why it failed is told under the fields. */
	change: { isPending: boolean; error: unknown };
	onSubmit: () => void;
	onClose: () => void;
	/** The fields. */
	children: ReactNode;
};

/** A dialog that changes one thing: fields, the way out, and the button that sends them. A failure leaves it open, to be put right. */
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
