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

/** As large as a thumb on a phone. */
const LARGE = "max-md:h-11!";

/** Yes to what is shown, yes up to an amount, or no. A plain yes is to the price on the screen, not to one that came since. */
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
					? { tone: "done", title: `${item.job.name} may go`, detail: "It is looked at again at once." }
					: { tone: "done", title: `${item.job.name} stays at home`, detail: "The rule does not ask again unless the requester does." },
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
		<form onSubmit={submit} className="grid gap-3 border-t pt-4" aria-label="Your answer">
			<Field label="Why (optional)" htmlFor="approval-note" hint="Shown to the requester, and kept in the audit.">
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
				label="Up to, dollars (optional)"
				id="approval-up-to"
				className={LARGE}
				value={upTo}
				onChange={setUpTo}
				error={wrong ? "An amount of dollars such as 120 or 99.50" : null}
				hint="Empty: up to the expected cost above. It then asks again if the price rises."
			/>
			{failed && (
				<p role="alert" className="text-risk-ink">
					{describeError(failed).detail}
				</p>
			)}
			<div className="grid grid-cols-2 gap-2">
				<Button variant="danger" className={LARGE} busy={busy} onClick={() => refuse.mutate(said)}>
					No
				</Button>
				<Button variant="primary" type="submit" className={LARGE} busy={busy} disabled={wrong}>
					{limit !== null ? `Yes, up to $${limit}` : `Yes, ${formatMoney(item.quote.costMicroUsd, "estimate")}`}
				</Button>
			</div>
			<p className="text-xs text-ink-3" suppressHydrationWarning>
				Without an answer it waits at home after another {left}.
			</p>
		</form>
	);
}
