"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { DollarsField } from "#components/money/dollars-field.tsx";
import { formatMoney } from "#components/money/format-money.ts";
import { FormDialog } from "#components/page/form-dialog.tsx";
import type { ChargeLine } from "#components/spend/prepare-charges.ts";
import { readRefund } from "#components/spend/prepare-refund.ts";
import { formatClockSeconds, formatDay } from "#components/time/format-time.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { Field, Textarea } from "#components/ui/input.tsx";
import { notify } from "#components/ui/toast.tsx";

/** Refunds a charge in full or in part. Only the ledger knows the remainder; it rejects larger amounts. */
export function RefundDialog({ charge, onClose }: { charge: ChargeLine; onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [amount, setAmount] = useState("");
	const [reason, setReason] = useState("");
	const refund = useMutation(
		trpc.spend.refund.mutationOptions({
			onSuccess: (done) => {
				for (const queryKey of [trpc.spend.pathKey(), trpc.budget.pathKey(), trpc.overview.pathKey()])
					void client.invalidateQueries({ queryKey });
				notify({
					tone: "done",
					title: `${formatMoney(done.refundedMicroUsd, "posted")} refunded`,
					detail: `${formatMoney(done.leftMicroUsd, "posted")} left. Recorded next to the charge and in the audit log.`,
				});
				onClose();
			},
		}),
	);
	const part = readRefund(amount, charge.effectiveMicroUsd);
	return (
		<FormDialog
			title="Refund charge"
			description="Posts a correction in the same job, team and hour; budgets are credited immediately. Cannot be undone."
			save={part.kind === "all" ? "Refund remaining" : "Refund amount"}
			ready={part.kind !== "wrong" && reason.trim().length >= 3}
			change={refund}
			onSubmit={() => refund.mutate({ ...{ chargeId: charge.id, reason }, ...(part.kind === "part" ? { amountUsd: part.amountUsd } : {}) })}
			onClose={onClose}
		>
			<p className="text-ink-2">
				<b className="text-ink">{formatMoney(charge.effectiveMicroUsd, "posted")}</b> of {charge.jobName ?? charge.cause.id},{" "}
				{formatDay(charge.periodStartMs, false)}, {formatClockSeconds(charge.periodStartMs)} to {formatClockSeconds(charge.periodEndMs)}{" "}
				UTC.
			</p>
			<DollarsField
				label="Amount ($)"
				id="refund-amount"
				value={amount}
				onChange={setAmount}
				error={part.kind === "wrong" ? part.message : null}
				hint="Leave empty to refund all that is left."
			/>
			<Field label="Reason" htmlFor="refund-reason" hint="Recorded in the audit log.">
				<Textarea
					id="refund-reason"
					value={reason}
					maxLength={2_000}
					onChange={(event) => setReason(event.target.value)}
					aria-describedby="refund-reason-note"
				/>
			</Field>
		</FormDialog>
	);
}
