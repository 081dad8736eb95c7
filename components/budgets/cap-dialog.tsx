"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type ChosenBudget, useBudget, useReadAgain } from "#components/budgets/use-budget.ts";
import { DollarsField } from "#components/money/dollars-field.tsx";
import { formatMoney } from "#components/money/format-money.ts";
import { readDollars } from "#components/money/read-dollars.ts";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { Field, Textarea } from "#components/ui/input.tsx";
import { notify } from "#components/ui/toast.tsx";

/** The button that opens the dialog; its content is read only when it is opened. */
export function ChangeCap({ budgetId }: { budgetId: string }) {
	const [open, setOpen] = useState(false);
	return (
		<>
			<Button variant="primary" onClick={() => setOpen(true)}>
				Change the cap
			</Button>
			{open && <CapDialog chosen={{ id: budgetId, period: null }} onClose={() => setOpen(false)} />}
		</>
	);
}

function CapDialog({ chosen, onClose }: { chosen: ChosenBudget; onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const readAgain = useReadAgain();
	const budget = useBudget(chosen);
	const { data: settings } = useSuspenseQuery(trpc.budget.settings.queryOptions());
	const [cap, setCap] = useState("");
	const [message, setMessage] = useState("");
	const change = useMutation(
		trpc.budget.changeCap.mutationOptions({
			onSuccess: (done) => {
				for (const queryKey of readAgain) void client.invalidateQueries({ queryKey });
				notify(
					done.kind === "changed"
						? {
								tone: "done",
								title: `The cap of ${budget.id} is ${formatMoney(done.toMicroUsd, "whole")}`,
								detail: `Policy version ${done.policyVersion}`,
							}
						: { tone: "done", title: "The change waits for a second person", detail: "It is under Approvals on this screen." },
				);
				onClose();
			},
		}),
	);
	const amount = readDollars(cap);
	const toMicroUsd = amount?.microUsd ?? null;
	const spent = budget.postedMicroUsd + budget.heldMicroUsd;
	return (
		<FormDialog
			title={`Change the cap of ${budget.id}`}
			description={
				settings.secondPerson
					? "Another person has to agree before it counts."
					: "The policy is published anew with this one figure changed. It counts at once."
			}
			save={settings.secondPerson ? "Propose the change" : "Change the cap"}
			ready={amount !== null && message.trim().length >= 3}
			change={change}
			onSubmit={() => amount && change.mutate({ budgetId: budget.id, capUsd: amount.usd, message, policyVersion: budget.policyVersion })}
			onClose={onClose}
		>
			<p className="text-ink-2">
				The cap is <b className="text-ink">{formatMoney(budget.capMicroUsd, "whole")}</b> a {budget.period};{" "}
				{formatMoney(budget.postedMicroUsd, "posted")} is posted and {formatMoney(budget.heldMicroUsd, "posted")} held.
			</p>
			<DollarsField
				label="New cap, dollars"
				id="cap"
				value={cap}
				onChange={setCap}
				error={cap !== "" && amount === null ? "An amount of dollars such as 50000 or 499.50" : null}
				hint={`For a ${budget.period}`}
			/>
			{toMicroUsd !== null && toMicroUsd < spent && (
				<p className="text-warn-ink">
					That is {formatMoney(spent - toMicroUsd, "posted")} less than what is posted and held: no new burst starts until the{" "}
					{budget.period} ends.
				</p>
			)}
			{toMicroUsd !== null && budget.forecast && toMicroUsd < budget.forecast.expectedMicroUsd && toMicroUsd >= spent && (
				<p className="text-ink-2">The forecast is {formatMoney(budget.forecast.expectedMicroUsd, "estimate")}, which would pass it.</p>
			)}
			<Field label="Why" htmlFor="cap-message" hint="Stands beside the policy's version and in the audit.">
				<Textarea
					id="cap-message"
					value={message}
					maxLength={500}
					onChange={(event) => setMessage(event.target.value)}
					aria-describedby="cap-message-note"
				/>
			</Field>
		</FormDialog>
	);
}
