"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { DollarsField } from "#components/money/dollars-field.tsx";
import { formatMoney } from "#components/money/format-money.ts";
import { readDollars } from "#components/money/read-dollars.ts";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTime } from "#components/time/clock.tsx";
import { formatSpan } from "#components/time/format-time.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { Field, Textarea } from "#components/ui/input.tsx";
import { notify } from "#components/ui/toast.tsx";
import type { ApprovalItem } from "./params.ts";
import { dollarsOf } from "./words.ts";

/** Large enough for a thumb. */
const LARGE = "max-md:h-11!";

/** Approve, approve up to an amount, or reject. A plain approval covers the price on screen, not a later one. */
export function AnswerForm({ item }: { item: ApprovalItem }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [note, setNote] = useState("");
	const [upTo, setUpTo] = useState("");
	const left = useTime((now) => formatSpan(Math.max(0, Math.ceil((Date.parse(item.expiresAt) - now) / 60_000) * 60_000)));
	const settled = {
		onSuccess: (done: { state: "granted" | "refused" }) =>
			notify(
				done.state === "granted"
					? { tone: "done", title: `${item.job.name} approved`, detail: "It is rescheduled now." }
					: { tone: "done", title: `${item.job.name} rejected`, detail: "It stays on owned GPUs. The requester can ask again." },
			),
		onSettled: () => {
			for (const queryKey of [trpc.approval.pathKey(), trpc.job.pathKey()]) void client.invalidateQueries({ queryKey });
		},
	};
	const grant = useMutation(trpc.approval.grant.mutationOptions(settled));
	const refuse = useMutation(trpc.approval.refuse.mutationOptions(settled));
	const busy = grant.isPending || refuse.isPending;
	const said = { id: item.id, ...(note.trim() === "" ? {} : { note: note.trim() }) };
	const typed = readDollars(upTo);
	const limit = typed !== null && typed.microUsd > 0n ? typed.usd : null;
	const wrong = upTo !== "" && limit === null;
	const failed = grant.error ?? refuse.error;
	const submit = (event: SubmitEvent) => {
		event.preventDefault();
		if (!wrong) grant.mutate({ ...said, upToUsd: limit ?? dollarsOf(item.quote.costMicroUsd) });
	};
	return (
		<form onSubmit={submit} className="grid gap-3 border-t pt-4" aria-label="Decision">
			<Field label="Reason (optional)" htmlFor="approval-note" hint="Shown to the requester and recorded in the audit log.">
				<Textarea
					id="approval-note"
					className="min-h-14"
					maxLength={1_000}
					value={note}
					onChange={(event) => setNote(event.target.value)}
					aria-describedby="approval-note-note"
				/>
			</Field>
			<DollarsField
				label="Limit ($, optional)"
				id="approval-up-to"
				className={LARGE}
				value={upTo}
				onChange={setUpTo}
				error={wrong ? "Dollar amount, such as 120 or 99.50" : null}
				hint="Leave empty to approve the expected cost. A higher price needs a new approval."
			/>
			{failed && (
				<p role="alert" className="text-risk-ink">
					{describeError(failed).detail}
				</p>
			)}
			<div className="grid grid-cols-2 gap-2">
				<Button variant="danger" className={LARGE} busy={busy} onClick={() => refuse.mutate(said)}>
					Reject
				</Button>
				<Button variant="primary" type="submit" className={LARGE} busy={busy} disabled={wrong}>
					{limit !== null ? `Approve up to $${limit}` : `Approve ${formatMoney(item.quote.costMicroUsd, "estimate")}`}
				</Button>
			</div>
			<p className="text-xs text-ink-3" suppressHydrationWarning>
				Without a decision, the job stays queued for owned GPUs after another {left}.
			</p>
		</form>
	);
}
