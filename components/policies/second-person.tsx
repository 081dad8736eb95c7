"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { CheckField } from "#components/ui/checkbox.tsx";
import { notify } from "#components/ui/toast.tsx";

/** Second-approver setting. */
export function SecondPersonSetting() {
	const trpc = useTRPC();
	const { data: settings } = useSuspenseQuery(trpc.policy.settings.queryOptions());
	const [open, setOpen] = useState(false);
	return (
		<>
			<Button size="sm" onClick={() => setOpen(true)}>
				Second approver: {settings.secondPerson ? "on" : "off"}
			</Button>
			{open && <SettingDialog before={settings.secondPerson} onClose={() => setOpen(false)} />}
		</>
	);
}

function SettingDialog({ before, onClose }: { before: boolean; onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [secondPerson, setSecondPerson] = useState(before);
	const save = useMutation(
		trpc.policy.changeSettings.mutationOptions({
			onSuccess: ({ proposalId }) => {
				void client.invalidateQueries({ queryKey: trpc.policy.pathKey() });
				void client.invalidateQueries({ queryKey: trpc.approval.pathKey() });
				const title = secondPerson ? "Second approver required" : "Second approver no longer required";
				if (proposalId === null) notify({ tone: "done", title });
				else notify({ tone: "done", title: "Needs approval from another platform engineer", detail: "See Approvals." });
				onClose();
			},
		}),
	);
	return (
		<FormDialog
			title="Publishing"
			description="Applies to all policies. Turning it off also needs another platform engineer."
			save="Save"
			ready={secondPerson !== before}
			change={save}
			onSubmit={() => save.mutate({ secondPerson })}
			onClose={onClose}
		>
			<CheckField
				label="Require a second approver"
				hint="Changes need approval from another platform engineer."
				checked={secondPerson}
				onChange={(event) => setSecondPerson(event.target.checked)}
			/>
		</FormDialog>
	);
}
