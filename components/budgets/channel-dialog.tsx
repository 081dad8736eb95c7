"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { addressesOf, nameOrNull } from "#components/budgets/channel-changes.ts";
import { DigestField, NameField, PipelineField, TargetField, TeamField, TopicFields } from "#components/budgets/channel-fields.tsx";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Inputs } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { CopyId } from "#components/ui/copy-id.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { SegmentedControl } from "#components/ui/segmented.tsx";
import { type ChannelTopic, DEFAULT_TOPICS } from "#server/domain/alert.ts";
import type { ChannelDigest } from "#server/domain/channel-digest.ts";

type Kind = Inputs["channel"]["create"]["kind"];
const KINDS = [
	{ value: "email", label: "Email" },
	{ value: "slack", label: "Slack-compatible" },
	{ value: "teams", label: "Microsoft Teams" },
	{ value: "webhook", label: "Webhook" },
	{ value: "cloudevents", label: "CloudEvents" },
] as const;

export function AddChannel() {
	const [open, setOpen] = useState(false);
	return (
		<>
			<Button size="sm" icon="plus" onClick={() => setOpen(true)}>
				Add channel
			</Button>
			{open && <ChannelDialog onClose={() => setOpen(false)} />}
		</>
	);
}

function ChannelDialog({ onClose }: { onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const create = useMutation(
		trpc.channel.create.mutationOptions({
			onSuccess: ({ signingKey }) => {
				void client.invalidateQueries({ queryKey: trpc.channel.pathKey() });
				if (signingKey === null) onClose();
			},
		}),
	);
	const [kind, setKind] = useState<Kind>("email");
	const [name, setName] = useState("");
	const [target, setTarget] = useState("");
	const [team, setTeam] = useState("");
	const [pipeline, setPipeline] = useState("");
	const [digest, setDigest] = useState<ChannelDigest>("immediate");
	const [topics, setTopics] = useState<readonly ChannelTopic[]>(DEFAULT_TOPICS);
	const submit = () => {
		const common = { name, topics: [...topics], team: nameOrNull(team), pipeline: nameOrNull(pipeline), digest };
		create.mutate(kind === "email" ? { kind, ...common, recipients: addressesOf(target) } : { kind, ...common, url: target.trim() });
	};
	if (create.data?.signingKey) return <KeyDialog signingKey={create.data.signingKey} onClose={onClose} />;
	return (
		<FormDialog
			title="Add channel"
			description="Webhook URLs are encrypted and never shown again."
			save="Add"
			ready={name.trim() !== "" && target.trim() !== "" && topics.length > 0}
			change={create}
			onSubmit={submit}
			onClose={onClose}
		>
			<SegmentedControl label="Kind" name="channel-kind" value={kind} options={KINDS} onChange={setKind} />
			<NameField value={name} onChange={setName} />
			<TargetField kind={kind} value={target} onChange={setTarget} />
			<TeamField value={team} onChange={setTeam} />
			<PipelineField value={pipeline} onChange={setPipeline} />
			<DigestField value={digest} onChange={setDigest} />
			<TopicFields value={topics} onChange={setTopics} />
		</FormDialog>
	);
}

function KeyDialog({ signingKey, onClose }: { signingKey: string; onClose: () => void }) {
	return (
		<Dialog
			open
			onClose={onClose}
			title="Webhook signing key"
			description="Use it to verify that messages come from Spillway. It is shown only once; you can replace it later."
			actions={
				<Button variant="primary" onClick={onClose}>
					I saved it
				</Button>
			}
		>
			<p className="break-all">
				<CopyId value={signingKey} />
			</p>
			<p className="mt-2 text-xs text-ink-3">Verification is described in docs/budgets.md.</p>
		</Dialog>
	);
}
