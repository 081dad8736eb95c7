"use client";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useId, useState } from "react";
import { Money } from "#components/money/money.tsx";
import { monthBefore } from "#components/statements/drill.ts";
import { statementHref } from "#components/statements/search-params.ts";
import { useAfterChange } from "#components/statements/use-change.ts";
import type { StatementView } from "#components/statements/use-statement.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { Field, Textarea } from "#components/ui/input.tsx";
import type { StatementContent } from "#server/domain/statement.ts";
import { monthWords, partialMonthLabels } from "#server/domain/statement-words.ts";

/** Closes the month for the company and all teams; closing again after corrections needs a reason. */
export function CloseDialog({ view, onClose }: { view: StatementView; onClose: () => void }) {
	const id = useId();
	const trpc = useTRPC();
	const router = useRouter();
	const { month, team } = view.content;
	const again = view.versions.length > 0;
	const [reason, setReason] = useState("");
	const after = useAfterChange(() => {
		onClose();
		// An older version may be open; go to the newest.
		router.replace(statementHref(month, team), { scroll: false });
	});
	const close = useMutation(
		trpc.statement.close.mutationOptions({
			onSuccess: ({ written }) =>
				after.done(`${monthWords(month)} closed`, `${written.length} ${written.length === 1 ? "statement" : "statements"} written.`),
			onError: after.failed("Could not close the month"),
		}),
	);
	const missing = again && reason.trim().length < 3;
	return (
		<Dialog
			open
			onClose={onClose}
			title={again ? `Close ${monthWords(month)} again?` : `Close ${monthWords(month)}?`}
			description={
				again
					? "Changed statements get a new version; signed ones stay. Unchanged statements keep their version."
					: "Creates the company's and every team's statement from the current ledger. Statements are immutable; corrections create a new version."
			}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button
						variant="primary"
						busy={close.isPending}
						disabled={missing}
						onClick={() => close.mutate({ month, ...(again ? { correction: reason } : {}) })}
					>
						{again ? "Close again" : "Close month"}
					</Button>
				</>
			}
		>
			{view.changedSince && (
				<p className="mb-3 text-ink-2">
					Posted since closing: <Money value={view.changedSince.deltaMicroUsd} signed className="font-strong text-ink" /> in{" "}
					{view.changedSince.charges} {view.changedSince.charges === 1 ? "charge" : "charges"}.
				</p>
			)}
			<PartialWarning content={view.content} />
			{again ? (
				<Field label="Reason" htmlFor={id} hint="One sentence, printed on the new version.">
					<Textarea
						id={id}
						value={reason}
						maxLength={2_000}
						rows={3}
						aria-describedby={`${id}-note`}
						onChange={(event) => setReason(event.target.value)}
					/>
				</Field>
			) : (
				<dl className="grid grid-cols-[1fr_auto] gap-y-1.5">
					<dt className="text-ink-2">Total in this statement</dt>
					<dd className="num font-strong">
						<Money value={view.content.totals.effectiveMicroUsd} />
					</dd>
				</dl>
			)}
		</Dialog>
	);
}

/** Warns before closing if the ledger covers only a part of this month or the one before. */
function PartialWarning({ content }: { content: StatementContent }) {
	const { month, before } = partialMonthLabels(content);
	if (month === null && before === null) return null;
	return (
		<p role="note" className="mb-3 rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
			{month === null ? `${monthWords(monthBefore(content.month))}: ${before}.` : `${monthWords(content.month)} has charges ${month}.`}
		</p>
	);
}
