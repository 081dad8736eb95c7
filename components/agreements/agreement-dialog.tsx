import { type ReactNode, useState } from "react";
import { FormDialog } from "#components/page/form-dialog.tsx";
import type { ListChanges } from "./use-lists.ts";

interface AgreementDialogProps<Draft, Item> {
	/** For example "discount". */
	what: string;
	/** Name of the entry being edited; null for a new one. */
	before: string | null;
	/** When the change takes effect. */
	effect: string;
	/** The form fields. */
	first: () => Draft;
	/** The value to submit; null while the form is incomplete. */
	read: (draft: Draft) => Item | null;
	changes: Pick<ListChanges<Item>, "saving" | "put">;
	onClose: () => void;
	fields: (draft: Draft, set: (part: Partial<Draft>) => void) => ReactNode;
}

/** Dialog that adds or edits a discount or commitment. */
export function AgreementDialog<Draft, Item>(props: AgreementDialogProps<Draft, Item>) {
	const { what, before, effect, first, read, changes, onClose, fields } = props;
	const [draft, setDraft] = useState(first);
	const next = read(draft);
	return (
		<FormDialog
			title={before === null ? `Add ${what}` : `Edit ${before}`}
			description={`${effect} The audit log records the change.`}
			save="Save"
			ready={next !== null}
			change={changes.saving}
			onSubmit={() => next !== null && changes.put(next, before, onClose)}
			onClose={onClose}
		>
			{fields(draft, (part) => setDraft((now) => ({ ...now, ...part })))}
		</FormDialog>
	);
}
