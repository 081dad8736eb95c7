"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Inputs } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { CheckField } from "#components/ui/checkbox.tsx";
import { CopyId } from "#components/ui/copy-id.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { Field, Input } from "#components/ui/input.tsx";
import { SegmentedControl } from "#components/ui/segmented.tsx";
import { CHANNEL_TOPICS, type ChannelTopic } from "#server/domain/alert.ts";

export const TOPIC_LABEL: Record<ChannelTopic, string> = {
	budget_threshold: "Shares of a cap",
	budget_forecast_overrun: "Forecast over a cap",
	spend_anomaly: "A team's odd days",
	money_at_risk: "Money at risk",
	billed_unknown: "Billed, unknown",
	ledger_mismatch: "The ledger's check",
	approval_waiting: "A job asks for a yes",
	statement: "Statements",
};

type Kind = Inputs["channel"]["create"]["kind"];
const KINDS = [
	{ value: "email", label: "Mail" },
	{ value: "slack", label: "Slack-compatible" },
	{ value: "webhook", label: "Webhook" },
] as const;

export function AddChannel() {
	const [open, setOpen] = useState(false);
	return (
		<>
			<Button size="sm" icon="plus" onClick={() => setOpen(true)}>
				Add a channel
			</Button>
			{open && <ChannelDialog onClose={() => setOpen(false)} />}
		</>
	);
}

function ChannelDialog({ onClose }: { onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const create = useMutation(trpc.channel.create.mutationOptions());
	const [kind, setKind] = useState<Kind>("email");
	const [name, setName] = useState("");
	const [target, setTarget] = useState("");
	const [team, setTeam] = useState("");
	const [topics, setTopics] = useState<readonly ChannelTopic[]>(CHANNEL_TOPICS);
	const submit = async (event: SubmitEvent) => {
		event.preventDefault();
		const common = { name, topics: [...topics], team: team.trim() === "" ? null : team.trim() };
		try {
			const made = await create.mutateAsync(
				kind === "email"
					? { kind, ...common, recipients: target.split(/[\s,;]+/).filter(Boolean) }
					: { kind, ...common, url: target.trim() },
			);
			void client.invalidateQueries({ queryKey: trpc.channel.pathKey() });
			if (made.signingKey === null) onClose();
		} catch {
			// Told in the dialog.
		}
	};
	if (create.data?.signingKey) return <KeyDialog signingKey={create.data.signingKey} onClose={onClose} />;
	return (
		<Dialog
			open
			onClose={onClose}
			title="Add a channel"
			description="Addresses of webhooks are stored encrypted and never shown again."
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button
						variant="primary"
						type="submit"
						form="add-channel"
						busy={create.isPending}
						disabled={name.trim() === "" || target.trim() === "" || topics.length === 0}
					>
						Add it
					</Button>
				</>
			}
		>
			<form id="add-channel" onSubmit={(event) => void submit(event)} className="grid gap-3">
				<SegmentedControl label="Kind" name="channel-kind" value={kind} options={KINDS} onChange={setKind} />
				<Field label="Name" htmlFor="channel-name">
					<Input id="channel-name" value={name} maxLength={80} onChange={(e) => setName(e.target.value)} />
				</Field>
				<Field
					label={kind === "email" ? "Addresses" : "Address of the webhook"}
					htmlFor="channel-target"
					hint={kind === "email" ? "Several with commas between them." : "https://…; redirects are not followed."}
				>
					<Input id="channel-target" value={target} onChange={(e) => setTarget(e.target.value)} aria-describedby="channel-target-note" />
				</Field>
				<Field label="Only of one team" htmlFor="channel-team" hint="Empty: of all teams, and what is everybody's business.">
					<Input id="channel-team" value={team} onChange={(e) => setTeam(e.target.value)} aria-describedby="channel-team-note" />
				</Field>
				<fieldset className="grid gap-1.5">
					<legend className="mb-1 font-medium text-ink-2">Hears of</legend>
					<div className="grid gap-1.5 md:grid-cols-2">
						{CHANNEL_TOPICS.map((topic) => (
							<CheckField
								key={topic}
								label={TOPIC_LABEL[topic]}
								checked={topics.includes(topic)}
								onChange={(e) => setTopics(e.target.checked ? [...topics, topic] : topics.filter((t) => t !== topic))}
							/>
						))}
					</div>
				</fieldset>
				{create.error && (
					<p role="alert" className="text-risk-ink">
						{describeError(create.error).detail}
					</p>
				)}
			</form>
		</Dialog>
	);
}

function KeyDialog({ signingKey, onClose }: { signingKey: string; onClose: () => void }) {
	return (
		<Dialog
			open
			onClose={onClose}
			title="The key of this webhook"
			description="With it the receiver checks that a message is from here. It is shown this once; it can be replaced, never read."
			actions={
				<Button variant="primary" onClick={onClose}>
					I have kept it
				</Button>
			}
		>
			<p className="break-all">
				<CopyId value={signingKey} />
			</p>
			<p className="mt-2 text-xs text-ink-3">How to check a signature is in docs/budgets.md.</p>
		</Dialog>
	);
}
