import { describeError } from "#components/page/error-boundary.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";

interface RemoveDialogProps {
	what: string;
	effect: string;
	change: { isPending: boolean; error: unknown };
	onRemove: () => void;
	onClose: () => void;
}

/** Removes an entry of a list after confirmation. */
export function RemoveDialog({ what, effect, change, onRemove, onClose }: RemoveDialogProps) {
	return (
		<Dialog
			open
			onClose={onClose}
			title={`Remove ${what}?`}
			description={effect}
			actions={
				<>
					<Button onClick={onClose}>Keep</Button>
					<Button variant="danger" busy={change.isPending} onClick={onRemove}>
						Remove
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
