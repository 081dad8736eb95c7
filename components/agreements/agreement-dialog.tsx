import { type ReactNode, useState } from "react";
import { FormDialog } from "#components/page/form-dialog.tsx";
import type { ListChanges } from "./use-lists.ts";

interface AgreementDialogProps<Draft, Item> {
	/** "discount" */
	what: string;
	/** The name of the one that is changed; null: a new one. */
	before: string | null;
	/** From when on it counts. */
	effect: string;
	/** What the fields are filled with. */
	first: () => Draft;
	/** What is sent, null while something is missing. */
	read: (draft: Draft) => Item | null;
	changes: Pick<ListChanges<Item>, "saving" | "put">;
	onClose: () => void;
	fields: (draft: Draft, set: (part: Partial<Draft>) => void) => ReactNode;
}

/** A new agreement, or another text of one. */
export function AgreementDialog<Draft, Item>(props: AgreementDialogProps<Draft, Item>) {
	const { what, before, effect, first, read, changes, onClose, fields } = props;
	const [draft, setDraft] = useState(first);
	const next = read(draft);
	return (
		<FormDialog
			title={before === null ? `Add a ${what}` : `Change ${before}`}
			description={`${effect} The change is in the audit.`}
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
