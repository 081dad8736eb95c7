"use client";
import { useState } from "react";
import { StoreDialog } from "#components/stores/store-dialog.tsx";
import { Button } from "#components/ui/button.tsx";
import { SkipButton } from "./skip-button.tsx";
import { Step, type StepState } from "./step.tsx";
import { useSetupSettled } from "./use-setup.ts";

type StoreStepProps = { state: StepState; names: readonly string[]; teams: readonly string[] };

/** Where a team's results and checkpoints are kept. */
export function StoreStep({ state, names, teams }: StoreStepProps) {
	const onSettled = useSetupSettled();
	const [isAdding, setIsAdding] = useState(false);
	const close = () => {
		setIsAdding(false);
		onSettled();
	};
	return (
		<Step no={6} title="Results and checkpoints" summary={names.length > 0 ? names.slice(0, 5).join(", ") : undefined} state={state}>
			{state === "done" ? null : (
				<>
					<p className="text-pretty text-ink-2">
						Without a store, they are kept in Spillway's own folder. A bucket or a mounted folder suits larger models.
					</p>
					<div className="flex flex-wrap items-center gap-2">
						<Button variant="primary" disabled={teams.length === 0} onClick={() => setIsAdding(true)}>
							Add store
						</Button>
						{state === "open" && <SkipButton step="store" />}
						{teams.length === 0 && <span className="text-ink-3">A store belongs to a team: add the team first.</span>}
					</div>
					{isAdding && <StoreDialog teams={teams} onClose={close} />}
				</>
			)}
		</Step>
	);
}
