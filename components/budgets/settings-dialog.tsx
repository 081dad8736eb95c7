"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useReadAgain } from "#components/budgets/use-budget.ts";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { CheckField } from "#components/ui/checkbox.tsx";
import { Field, Input } from "#components/ui/input.tsx";
import { notify } from "#components/ui/toast.tsx";

export function AlertSettings() {
	const [open, setOpen] = useState(false);
	return (
		<>
			<Button size="sm" onClick={() => setOpen(true)}>
				When to tell
			</Button>
			{open && <SettingsDialog onClose={() => setOpen(false)} />}
		</>
	);
}

function SettingsDialog({ onClose }: { onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const readAgain = useReadAgain();
	const { data: settings } = useSuspenseQuery(trpc.budget.settings.queryOptions());
	const [thresholds, setThresholds] = useState(settings.thresholdsPercent.join(", "));
	const [floor, setFloor] = useState(settings.anomalyFloorUsd);
	const [secondPerson, setSecondPerson] = useState(settings.secondPerson);
	const save = useMutation(
		trpc.budget.changeSettings.mutationOptions({
			onSuccess: ({ proposalId }) => {
				for (const queryKey of readAgain) void client.invalidateQueries({ queryKey });
				void client.invalidateQueries({ queryKey: trpc.approval.pathKey() });
				const detail =
					proposalId === null ? "It is looked at with the next minute." : "Doing without a second person waits for one, under Approvals.";
				notify({ tone: "done", title: "Saved", detail });
				onClose();
			},
		}),
	);
	const percents = thresholds
		.split(/[\s,;%]+/)
		.filter(Boolean)
		.map(Number);
	const valid = percents.every((p) => Number.isInteger(p) && p >= 1 && p <= 1_000) && /^\d{1,9}(\.\d{1,2})?$/.test(floor);
	return (
		<FormDialog
			title="When people are told"
			description="For all budgets and teams. Changes are in the audit."
			save="Save"
			ready={valid}
			change={save}
			onSubmit={() => save.mutate({ thresholdsPercent: percents, anomalyFloorUsd: floor, secondPerson })}
			onClose={onClose}
		>
			<Field
				label="Shares of a cap, percent"
				htmlFor="thresholds"
				hint="Posted money counts; of several passed at once the highest is told."
			>
				<Input id="thresholds" value={thresholds} onChange={(e) => setThresholds(e.target.value)} aria-describedby="thresholds-note" />
			</Field>
			<Field
				label="A day is odd from, dollars above the usual"
				htmlFor="floor"
				hint="And more than 4 median absolute deviations above the median of the same weekday, over at least 4 weeks."
			>
				<Input id="floor" inputMode="decimal" value={floor} onChange={(e) => setFloor(e.target.value)} aria-describedby="floor-note" />
			</Field>
			<CheckField
				label="Caps need a second person"
				hint="A change waits until somebody else agrees. To switch this off, a platform engineer asks and somebody else agrees."
				checked={secondPerson}
				onChange={(e) => setSecondPerson(e.target.checked)}
			/>
		</FormDialog>
	);
}
