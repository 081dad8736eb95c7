"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { addressesOf, type ChannelDraft, changesOf, draftOf } from "#components/budgets/channel-changes.ts";
import { NameField, TargetField, TeamField, TopicFields } from "#components/budgets/channel-fields.tsx";
import type { Channel } from "#components/budgets/params.ts";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { Field, Input } from "#components/ui/input.tsx";

/** Everything of a channel but its kind; what is not touched stays, the address of a webhook and its key unseen. */
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
	const submit = (event: SubmitEvent) => {
		event.preventDefault();
		if (changes !== null) update.mutate(changes);
	};
	return (
		<Dialog
			open
			onClose={onClose}
			title={`Change ${channel.name}`}
			description="The change is in the audit. What waits to be sent goes to the new address."
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button variant="primary" type="submit" form="edit-channel" busy={update.isPending} disabled={incomplete || changes === null}>
						Save
					</Button>
				</>
			}
		>
			<form id="edit-channel" onSubmit={submit} className="grid gap-3">
				<NameField value={draft.name} onChange={(name) => set({ name })} />
				<TargetField kind={channel.kind} kept value={draft.target} onChange={(target) => set({ target })} />
				{channel.kind === "webhook" && (
					<Field label="New signing key" htmlFor="channel-key" hint="At least 16 characters. Empty: the key stays.">
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
				<TopicFields value={draft.topics} onChange={(topics) => set({ topics })} />
				{update.error && (
					<p role="alert" className="text-risk-ink">
						{describeError(update.error).detail}
					</p>
				)}
			</form>
		</Dialog>
	);
}
