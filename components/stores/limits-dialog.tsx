"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrorsOf } from "#components/page/field-errors.ts";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { TextField } from "#components/settings/text-field.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";

export type TeamUse = Outputs["store"]["list"]["teams"][number];

/** Sets a team's quota and retention of results. */
export function LimitsDialog({ use, onClose }: { use: TeamUse; onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [quota, setQuota] = useState(use.quotaGiB === null ? "" : String(use.quotaGiB));
	const [keep, setKeep] = useState(use.keepDays === null ? "" : String(use.keepDays));
	const save = useMutation(
		trpc.store.limits.mutationOptions({
			onSuccess: onClose,
			onSettled: () => void client.invalidateQueries({ queryKey: trpc.store.pathKey() }),
		}),
	);
	const errors = fieldErrorsOf(save.error);
	const numberOf = (text: string) => (text.trim() === "" ? null : Number(text));
	return (
		<FormDialog
			title={`Limits of ${use.team}`}
			description="Uploads beyond the quota fail with that reason. Results past their time are deleted; their record stays."
			save="Save"
			ready
			change={{ isPending: save.isPending, error: Object.keys(errors).length > 0 ? null : save.error }}
			onSubmit={() => save.mutate({ team: use.team, quotaGiB: numberOf(quota), keepDays: numberOf(keep) })}
			onClose={onClose}
		>
			<TextField label="Quota in GiB (optional)" id="limit-quota" value={quota} onChange={setQuota} error={errors["quotaGiB"]} />
			<TextField label="Days kept (optional)" id="limit-keep" value={keep} onChange={setKeep} error={errors["keepDays"]} />
		</FormDialog>
	);
}
