"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { addressesOf, type ChannelDraft, changesOf, draftOf } from "#components/budgets/channel-changes.ts";
import { DigestField, NameField, PipelineField, TargetField, TeamField, TopicFields } from "#components/budgets/channel-fields.tsx";
import type { Channel } from "#components/budgets/params.ts";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Field, Input } from "#components/ui/input.tsx";
import { isSigned } from "#server/domain/alert.ts";

/** Edits a channel except its kind. Unchanged fields stay; the webhook URL and key are never sent to the browser. */
export function EditChannelDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [draft, setDraft] = useState(() => draftOf(channel));
	const set = (part: Partial<ChannelDraft>) => setDraft({ ...draft, ...part });
	const update = useMutation(
		trpc.channel.update.mutationOptions({
			onSuccess: () => {
				void client.invalidateQueries({ queryKey: trpc.channel.pathKey() });
				onClose();
			},
		}),
	);
	const changes = changesOf(channel, draft);
	const incomplete =
		draft.name.trim() === "" || draft.topics.length === 0 || (channel.kind === "email" && addressesOf(draft.target).length === 0);
	return (
		<FormDialog
			title={`Edit ${channel.name}`}
			description="The audit log records the change. Pending deliveries use the new address."
			save="Save"
			ready={!incomplete && changes !== null}
			change={update}
			onSubmit={() => changes !== null && update.mutate(changes)}
			onClose={onClose}
		>
			<NameField value={draft.name} onChange={(name) => set({ name })} />
			<TargetField kind={channel.kind} kept value={draft.target} onChange={(target) => set({ target })} />
			{isSigned(channel.kind) && (
				<Field label="New signing key" htmlFor="channel-key" hint="At least 16 characters. Leave empty to keep the current key.">
					<Input
						id="channel-key"
						value={draft.signingKey}
						autoComplete="off"
						onChange={(e) => set({ signingKey: e.target.value })}
						aria-describedby="channel-key-note"
					/>
				</Field>
			)}
			<TeamField value={draft.team} onChange={(team) => set({ team })} />
			<PipelineField value={draft.pipeline} onChange={(pipeline) => set({ pipeline })} />
			<DigestField value={draft.digest} onChange={(digest) => set({ digest })} />
			<TopicFields value={draft.topics} onChange={(topics) => set({ topics })} />
		</FormDialog>
	);
}
