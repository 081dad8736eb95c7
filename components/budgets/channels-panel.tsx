"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { AddChannel } from "#components/budgets/channel-dialog.tsx";
import { TOPIC_LABEL } from "#components/budgets/channel-fields.tsx";
import { EditChannelDialog } from "#components/budgets/edit-channel-dialog.tsx";
import { type Channel, DELIVERIES_QUERY } from "#components/budgets/params.ts";
import { describeError } from "#components/page/error-boundary.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button, IconButton } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { PanelHeader } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { notify } from "#components/ui/toast.tsx";
import { CHANNEL_TOPICS, type ChannelTopic } from "#server/domain/alert.ts";

const KIND: Record<Channel["kind"], string> = {
	email: "mail",
	slack: "Slack-compatible",
	teams: "Microsoft Teams",
	webhook: "signed webhook",
	cloudevents: "CloudEvents",
};
const isTopic = (text: string): text is ChannelTopic => (CHANNEL_TOPICS as readonly string[]).includes(text);

/** Destinations of alerts and statements. */
export function ChannelsPanel() {
	const trpc = useTRPC();
	const { data: channels } = useSuspenseQuery(trpc.channel.list.queryOptions());
	return (
		<div className="min-w-0">
			<PanelHeader title="Channels" sub="where alerts go" actions={<AddChannel />} />
			{channels.length === 0 ? (
				<EmptyState icon="info" title="No channels yet">
					Add an email address, or a webhook of Slack, Microsoft Teams or your own program, to receive alerts.
				</EmptyState>
			) : (
				<ul>
					{channels.map((c) => (
						<ChannelLine key={c.id} channel={c} />
					))}
				</ul>
			)}
		</div>
	);
}

function ChannelLine({ channel: c }: { channel: Channel }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [dialog, setDialog] = useState<"edit" | "remove" | null>(null);
	const settled = {
		onSettled: () => void client.invalidateQueries({ queryKey: trpc.channel.pathKey() }),
		onError: (error: unknown) =>
			notify({ tone: "failed" as const, title: "Could not change the channel", detail: describeError(error).detail }),
	};
	const test = useMutation(
		trpc.channel.test.mutationOptions({
			...settled,
			onSuccess: () => notify({ tone: "info", title: `Test sent to ${c.name}`, detail: "The result appears in the log." }),
		}),
	);
	const update = useMutation(trpc.channel.update.mutationOptions(settled));
	const remove = useMutation(trpc.channel.remove.mutationOptions({ ...settled, onSuccess: () => setDialog(null) }));
	const hears = c.topics.filter(isTopic);
	return (
		<li className="hairline-b flex flex-wrap items-center gap-x-3 gap-y-1.5 px-4 py-2.5 last:border-b-0">
			<div className="min-w-0 flex-1 basis-56">
				<p className="flex flex-wrap items-center gap-2">
					<b className="font-semibold">{c.name}</b>
					<span className="text-ink-3">{KIND[c.kind]}</span>
					{!c.enabled && <Chip>off</Chip>}
				</p>
				<p className="truncate text-ink-2" title={c.target}>
					{c.target}
				</p>
				<p className="text-xs text-pretty text-ink-3">
					{hears.length === CHANNEL_TOPICS.length ? "all events" : hears.map((t) => TOPIC_LABEL[t]).join(", ")}
					{c.team && ` of team ${c.team}`}
					{c.pipeline && `, only pipeline ${c.pipeline}`}
					{c.digest !== "immediate" && `, ${c.digest} digest`}
				</p>
				{c.problem && <p className="text-xs text-risk-ink">{c.problem}</p>}
			</div>
			<span className="flex items-center gap-1.5">
				<Button
					size="sm"
					busy={test.isPending}
					disabled={!c.enabled}
					onClick={() => test.mutate({ id: c.id })}
					aria-label={`Send test to ${c.name}`}
				>
					Send test
				</Button>
				<Button
					size="sm"
					busy={update.isPending}
					onClick={() => update.mutate({ id: c.id, enabled: !c.enabled })}
					aria-label={`Turn ${c.enabled ? "off" : "on"} ${c.name}`}
				>
					{c.enabled ? "Turn off" : "Turn on"}
				</Button>
				<Button size="sm" onClick={() => setDialog("edit")} aria-label={`Edit ${c.name}`}>
					Edit
				</Button>
				<IconButton size="sm" icon="x" label={`Remove ${c.name}`} onClick={() => setDialog("remove")} />
			</span>
			{dialog === "edit" && <EditChannelDialog channel={c} onClose={() => setDialog(null)} />}
			<Dialog
				open={dialog === "remove"}
				onClose={() => setDialog(null)}
				title={`Remove ${c.name}?`}
				description="Deletes its address and key; pending deliveries fail. The delivery log stays."
				actions={
					<>
						<Button onClick={() => setDialog(null)}>Keep</Button>
						<Button variant="danger" busy={remove.isPending} onClick={() => remove.mutate({ id: c.id })}>
							Remove
						</Button>
					</>
				}
			/>
		</li>
	);
}

/** Sent and failed deliveries. */
export function DeliveriesPanel() {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.channel.deliveries.queryOptions(DELIVERIES_QUERY));
	return (
		<div className="min-w-0">
			<PanelHeader title="Delivery log" sub={data.nextCursor === null ? "sent and failed" : `last ${data.items.length}`} />
			{data.items.length === 0 ? (
				<p className="px-4 pb-4 text-ink-3">No deliveries yet.</p>
			) : (
				<Table aria-label="Delivery log">
					<thead>
						<tr>
							<Th>Time</Th>
							<Th>Channel</Th>
							<Th>Event</Th>
							<Th>Result</Th>
						</tr>
					</thead>
					<tbody>
						{data.items.map((d) => (
							<Tr key={d.id} className="align-top">
								<Td phone="c" className="py-2 text-ink-2">
									<Time atMs={Date.parse(d.createdAt)} />
								</Td>
								<Td phone="d" className="py-2">
									{d.channelName}
								</Td>
								<Td phone="a" className="py-2 whitespace-normal!">
									{d.title}
								</Td>
								<Td phone="e" className="py-2 whitespace-normal!">
									<span className={d.state === "failed" ? "font-semibold text-risk-ink" : d.state === "pending" ? "text-ink-2" : ""}>
										{d.state === "sent" ? "sent" : d.state === "failed" ? "failed" : d.tries === 0 ? "queued" : "retrying"}
									</span>
									{d.tries > 1 && (
										<span className="text-ink-3">
											, {d.tries} of {d.triesMax} attempts
										</span>
									)}
									{d.nextTryAt && d.tries > 0 && (
										<span className="text-ink-3">
											, next <Time atMs={Date.parse(d.nextTryAt)} />
										</span>
									)}
									{d.lastError && <span className="block text-xs text-pretty text-ink-3">{d.lastError}</span>}
								</Td>
							</Tr>
						))}
					</tbody>
				</Table>
			)}
		</div>
	);
}
