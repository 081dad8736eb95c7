"use client";
import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { SegmentedControl } from "#components/ui/segmented.tsx";
import type { MoveDestination } from "#server/domain/vocabulary.ts";

const DESTINATIONS = [
	{ value: "home", label: "Owned GPUs" },
	{ value: "cloud", label: "Cloud" },
] as const;

type Props = { title: string; first: MoveDestination; pending: boolean; onClose: () => void; onMove: (to: MoveDestination) => void };

/** Asks where running jobs should continue. */
export function MoveDialog({ title, first, pending, onClose, onMove }: Props) {
	const [to, setTo] = useState(first);
	return (
		<Dialog
			open
			onClose={onClose}
			title={title}
			description="From the next checkpoint, once there is a place that the policy and budgets allow."
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button variant="primary" busy={pending} onClick={() => onMove(to)}>
						Move
					</Button>
				</>
			}
		>
			<SegmentedControl label="Where to continue" name="move-to" value={to} options={DESTINATIONS} onChange={setTo} />
		</Dialog>
	);
}
