"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { CheckField } from "#components/ui/checkbox.tsx";
import { Field, Select } from "#components/ui/input.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { notify } from "#components/ui/toast.tsx";
import { WORK_EVENTS, type WorkEvent } from "#server/domain/notice.ts";

type Settings = Outputs["notification"]["get"];

const EVENT_TEXT: Record<WorkEvent, { label: string; hint: string }> = {
	finished: { label: "Finished", hint: "A job or pipeline succeeded." },
	failed: { label: "Failed", hint: "A job or pipeline failed." },
	needs_approval: { label: "Needs approval", hint: "A job waits until a person approves its cloud placement." },
	over_forecast: { label: "Over forecast", hint: "A job still runs after its P90 finish time." },
	reclaimed: { label: "Reclaimed twice", hint: "The cloud reclaimed a job's spot machine for the second time." },
};

const EVERY: readonly (readonly [minutes: number, label: string])[] = [
	[1, "1 minute"],
	[5, "5 minutes"],
	[15, "15 minutes"],
	[60, "1 hour"],
	[1_440, "1 day"],
];

/** The person's mail notifications. */
export function NotificationsPanel() {
	const trpc = useTRPC();
	const client = useQueryClient();
	const { data: saved } = useSuspenseQuery(trpc.notification.get.queryOptions());
	const [events, setEvents] = useState<readonly WorkEvent[]>(saved.events);
	const [digestMinutes, setDigestMinutes] = useState(saved.digestMinutes);
	const set = useMutation(
		trpc.notification.set.mutationOptions({
			onSettled: () => void client.invalidateQueries({ queryKey: trpc.notification.pathKey() }),
			onSuccess: () => notify({ tone: "done", title: "Saved notifications" }),
		}),
	);
	const choices = EVERY.some(([minutes]) => minutes === saved.digestMinutes)
		? EVERY
		: [...EVERY, [saved.digestMinutes, `${saved.digestMinutes} minutes`] as const];
	return (
		<Panel title="Your jobs and pipelines" sub={`by mail to ${saved.email}`} padded footer={<LastMail mail={saved.lastMail} />}>
			<form
				className="grid max-w-xl gap-x-8 gap-y-4 rail:max-w-none rail:grid-cols-2"
				onSubmit={(event) => {
					event.preventDefault();
					set.mutate({ events: [...events], digestMinutes });
				}}
			>
				<fieldset className="grid gap-2">
					<legend className="sr-only">Events</legend>
					{WORK_EVENTS.map((event) => (
						<CheckField
							key={event}
							{...EVENT_TEXT[event]}
							checked={events.includes(event)}
							onChange={({ target }) => setEvents(target.checked ? [...events, event] : events.filter((one) => one !== event))}
						/>
					))}
				</fieldset>
				<Field label="At most one mail in" htmlFor="digest-minutes" hint="Events are collected for this long, then sent together.">
					<Select
						id="digest-minutes"
						className="max-w-52"
						value={digestMinutes}
						onChange={(event) => setDigestMinutes(Number(event.target.value))}
						aria-describedby="digest-minutes-note"
					>
						{choices.map(([minutes, label]) => (
							<option key={minutes} value={minutes}>
								{label}
							</option>
						))}
					</Select>
				</Field>
				{Boolean(set.error) && (
					<p role="alert" className="col-span-full text-risk-ink">
						{describeError(set.error).detail}
					</p>
				)}
				<div className="col-span-full">
					<Button variant="primary" type="submit" busy={set.isPending}>
						Save
					</Button>
				</div>
			</form>
		</Panel>
	);
}

const STATE_TEXT = { pending: "Waiting to be sent", sent: "Sent", failed: "Not sent" } as const;

function LastMail({ mail }: { mail: Settings["lastMail"] }) {
	if (mail === null) return "No mail yet";
	return (
		<>
			Last mail: {mail.title}. {STATE_TEXT[mail.state]} <Time atMs={Date.parse(mail.at)} />
			{mail.error && <span className="block text-risk-ink">{mail.error}</span>}
		</>
	);
}
