import { describeError } from "#components/page/error-boundary.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";

interface ConfirmDialogProps {
	/** A question, such as "Delete models?". */
	title: string;
	/** What the action does to other things. */
	description: string;
	/** Label of the button that does it, such as "Delete". */
	action: string;
	/** The mutation: its error is shown, and the dialog stays open. */
	change: { isPending: boolean; error: unknown };
	onConfirm: () => void;
	onClose: () => void;
}

/** Asks before something is removed. */
export function ConfirmDialog({ title, description, action, change, onConfirm, onClose }: ConfirmDialogProps) {
	return (
		<Dialog
			open
			onClose={onClose}
			title={title}
			description={description}
			actions={
				<>
					<Button onClick={onClose}>Keep</Button>
					<Button variant="danger" busy={change.isPending} onClick={onConfirm}>
						{action}
					</Button>
				</>
			}
		>
			{Boolean(change.error) && (
				<p role="alert" className="text-risk-ink">
					{describeError(change.error).detail}
				</p>
			)}
		</Dialog>
	);
}
