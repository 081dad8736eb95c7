"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { CheckField } from "#components/ui/checkbox.tsx";
import { notify } from "#components/ui/toast.tsx";

/** Whether a second person agrees to what is published, and the way to change that. */
export function SecondPersonSetting() {
	const trpc = useTRPC();
	const { data: settings } = useSuspenseQuery(trpc.policy.settings.queryOptions());
	const [open, setOpen] = useState(false);
	return (
		<>
			<Button size="sm" onClick={() => setOpen(true)}>
				Second person: {settings.secondPerson ? "on" : "off"}
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
				const title = secondPerson ? "A second person agrees from now on" : "Publishing counts at once from now on";
				if (proposalId === null) notify({ tone: "done", title });
				else notify({ tone: "done", title: "Another platform engineer has to agree", detail: "It waits under Approvals." });
				onClose();
			},
		}),
	);
	return (
		<FormDialog
			title="Publishing and rolling back"
			description="For every policy. Switching it off waits for another platform engineer, too."
			save="Save"
			ready={secondPerson !== before}
			change={save}
			onSubmit={() => save.mutate({ secondPerson })}
			onClose={onClose}
		>
			<CheckField
				label="A second person agrees first"
				hint="A change waits until another platform engineer approves it. Nobody approves their own."
				checked={secondPerson}
				onChange={(event) => setSecondPerson(event.target.checked)}
			/>
		</FormDialog>
	);
}
