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
				Alert settings
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
				const detail = proposalId === null ? "Takes effect within a minute." : "Turning off the second approver needs an approval.";
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
			title="Alert settings"
			description="Applies to all budgets and teams. The audit log records changes."
			save="Save"
			ready={valid}
			change={save}
			onSubmit={() => save.mutate({ thresholdsPercent: percents, anomalyFloorUsd: floor, secondPerson })}
			onClose={onClose}
		>
			<Field
				label="Budget thresholds (%)"
				htmlFor="thresholds"
				hint="Measured on posted spend. Only the highest threshold crossed is sent."
			>
				<Input id="thresholds" value={thresholds} onChange={(e) => setThresholds(e.target.value)} aria-describedby="thresholds-note" />
			</Field>
			<Field
				label="Flag days above normal by ($)"
				htmlFor="floor"
				hint="And more than 4 median absolute deviations above the median of the same weekday, over at least 4 weeks."
			>
				<Input id="floor" inputMode="decimal" value={floor} onChange={(e) => setFloor(e.target.value)} aria-describedby="floor-note" />
			</Field>
			<CheckField
				label="Require a second approver for caps"
				hint="A platform engineer can request to turn this off; another person must approve."
				checked={secondPerson}
				onChange={(e) => setSecondPerson(e.target.checked)}
			/>
		</FormDialog>
	);
}
