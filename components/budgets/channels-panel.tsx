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

const KIND: Record<Channel["kind"], string> = { email: "mail", slack: "Slack-compatible", webhook: "signed webhook" };
const isTopic = (text: string): text is ChannelTopic => (CHANNEL_TOPICS as readonly string[]).includes(text);

/** Where alerts and statements go. */
export function ChannelsPanel() {
	const trpc = useTRPC();
	const { data: channels } = useSuspenseQuery(trpc.channel.list.queryOptions());
	return (
		<div className="min-w-0">
			<PanelHeader title="Channels" sub="where it is told" actions={<AddChannel />} />
			{channels.length === 0 ? (
				<EmptyState icon="info" title="Nobody is told yet">
					Add a mail address, a Slack-compatible webhook or a signed one. What opens from then on is sent there.
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
		onError: (error: unknown) => notify({ tone: "failed" as const, title: "That was not possible", detail: describeError(error).detail }),
	};
	const test = useMutation(
		trpc.channel.test.mutationOptions({
			...settled,
			onSuccess: () => notify({ tone: "info", title: `A test goes to ${c.name}`, detail: "How it fares is in the log." }),
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
					{hears.length === CHANNEL_TOPICS.length ? "Everything" : hears.map((t) => TOPIC_LABEL[t]).join(", ")}
					{c.team && ` of team ${c.team}`}
				</p>
				{c.problem && <p className="text-xs text-risk-ink">{c.problem}</p>}
			</div>
			<span className="flex items-center gap-1.5">
				<Button
					size="sm"
					busy={test.isPending}
					disabled={!c.enabled}
					onClick={() => test.mutate({ id: c.id })}
					aria-label={`Send a test to ${c.name}`}
				>
					Send a test
				</Button>
				<Button
					size="sm"
					busy={update.isPending}
					onClick={() => update.mutate({ id: c.id, enabled: !c.enabled })}
					aria-label={`Switch ${c.enabled ? "off" : "on"} ${c.name}`}
				>
					{c.enabled ? "Switch off" : "Switch on"}
				</Button>
				<Button size="sm" onClick={() => setDialog("edit")} aria-label={`Change ${c.name}`}>
					Change
				</Button>
				<IconButton size="sm" icon="x" label={`Remove ${c.name}`} onClick={() => setDialog("remove")} />
			</span>
			{dialog === "edit" && <EditChannelDialog channel={c} onClose={() => setDialog(null)} />}
			<Dialog
				open={dialog === "remove"}
				onClose={() => setDialog(null)}
				title={`Remove ${c.name}?`}
				description="Its address and key are deleted, and what still waits to be sent there fails. The log of what was sent stays."
				actions={
					<>
						<Button onClick={() => setDialog(null)}>Keep it</Button>
						<Button variant="danger" busy={remove.isPending} onClick={() => remove.mutate({ id: c.id })}>
							Remove it
						</Button>
					</>
				}
			/>
		</li>
	);
}

/** What was sent, and what could not be. */
export function DeliveriesPanel() {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.channel.deliveries.queryOptions(DELIVERIES_QUERY));
	return (
		<div className="min-w-0">
			<PanelHeader title="Log" sub={data.nextCursor === null ? "what was sent" : `the last ${data.items.length}`} />
			{data.items.length === 0 ? (
				<p className="px-4 pb-4 text-ink-3">Nothing was sent yet.</p>
			) : (
				<Table aria-label="Log of what was sent">
					<thead>
						<tr>
							<Th>When</Th>
							<Th>To</Th>
							<Th>What</Th>
							<Th>How it went</Th>
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
										{d.state === "sent" ? "sent" : d.state === "failed" ? "failed" : d.tries === 0 ? "to be sent" : "tried again"}
									</span>
									{d.tries > 1 && (
										<span className="text-ink-3">
											, {d.tries} of {d.triesMax} tries
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
