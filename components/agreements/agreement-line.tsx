import { type ReactNode, useState } from "react";
import { Button, IconButton } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";

interface AgreementLineProps {
	name: string;
	/** Next to the name. */
	facts: ReactNode;
	/** Below the name. */
	notes: ReactNode;
	/** Effect of removing the entry. */
	removal: string;
	busy: boolean;
	onChange: () => void;
	/** Calls `done` after the removal. */
	onRemove: (done: () => void) => void;
}

/** One discount or commitment with its actions. */
export function AgreementLine({ name, facts, notes, removal, busy, onChange, onRemove }: AgreementLineProps) {
	const [asked, setAsked] = useState(false);
	return (
		<li className="hairline-b flex flex-wrap items-center gap-x-3 gap-y-1.5 px-4 py-2.5 last:border-b-0">
			<div className="min-w-0 flex-1 basis-72">
				<p className="flex flex-wrap items-center gap-2">
					<b className="font-semibold">{name}</b>
					<span className="text-ink-2">{facts}</span>
				</p>
				<p className="text-xs text-pretty break-words text-ink-3">{notes}</p>
			</div>
			<span className="flex items-center gap-1.5">
				<Button size="sm" onClick={onChange} aria-label={`Edit ${name}`}>
					Edit
				</Button>
				<IconButton size="sm" icon="x" label={`Remove ${name}`} onClick={() => setAsked(true)} />
			</span>
			<Dialog
				open={asked}
				onClose={() => setAsked(false)}
				title={`Remove ${name}?`}
				description={removal}
				actions={
					<>
						<Button onClick={() => setAsked(false)}>Keep</Button>
						<Button variant="danger" busy={busy} onClick={() => onRemove(() => setAsked(false))}>
							Remove
						</Button>
					</>
				}
			/>
		</li>
	);
}
