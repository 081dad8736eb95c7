"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { budgetsHref } from "#components/budgets/params.ts";
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
import { useHydrated } from "#components/ui/use-hydrated.ts";

/** Opens the dialog; its content loads on open. `suggested`: dollars of a link that opens it. */
export function ChangeCap({ budgetId, suggested }: { budgetId: string; suggested: string | null }) {
	const [choice, setChoice] = useState<boolean | null>(null);
	const hydrated = useHydrated();
	const router = useRouter();
	const open = choice ?? (hydrated && suggested !== null);
	const close = () => {
		setChoice(false);
		if (suggested !== null) router.replace(budgetsHref({ budget: budgetId }), { scroll: false });
	};
	return (
		<>
			<Button variant="primary" onClick={() => setChoice(true)}>
				Change cap
			</Button>
			{open && <CapDialog chosen={{ id: budgetId, period: null }} suggested={suggested} onClose={close} />}
		</>
	);
}

type CapDialogProps = { chosen: ChosenBudget; suggested: string | null; onClose: () => void };

function CapDialog({ chosen, suggested, onClose }: CapDialogProps) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const readAgain = useReadAgain();
	const budget = useBudget(chosen);
	const { data: settings } = useSuspenseQuery(trpc.budget.settings.queryOptions());
	const [cap, setCap] = useState(suggested ?? "");
	const [message, setMessage] = useState("");
	const change = useMutation(
		trpc.budget.changeCap.mutationOptions({
			onSuccess: (done) => {
				for (const queryKey of readAgain) void client.invalidateQueries({ queryKey });
				notify(
					done.kind === "changed"
						? {
								tone: "done",
								title: `Cap of ${budget.id}: ${formatMoney(done.toMicroUsd, "whole")}`,
								detail: `Policy version ${done.policyVersion}`,
							}
						: { tone: "done", title: "Change needs a second approver", detail: "See Proposed changes on this screen." },
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
					? "Takes effect after a second person approves."
					: "Publishes a new policy version with this cap. Takes effect immediately."
			}
			save={settings.secondPerson ? "Propose change" : "Change cap"}
			ready={amount !== null && message.trim().length >= 3}
			change={change}
			onSubmit={() => amount && change.mutate({ budgetId: budget.id, capUsd: amount.usd, message, policyVersion: budget.policyVersion })}
			onClose={onClose}
		>
			<p className="text-ink-2">
				Current cap: <b className="text-ink">{formatMoney(budget.capMicroUsd, "whole")}</b> per {budget.period};{" "}
				{formatMoney(budget.postedMicroUsd, "posted")} posted, {formatMoney(budget.heldMicroUsd, "posted")} held.
			</p>
			<DollarsField
				label="New cap ($)"
				id="cap"
				value={cap}
				onChange={setCap}
				error={cap !== "" && amount === null ? "Dollar amount, such as 50000 or 499.50" : null}
				hint={`Per ${budget.period}`}
			/>
			{toMicroUsd !== null && toMicroUsd < spent && (
				<p className="text-warn-ink">
					This is {formatMoney(spent - toMicroUsd, "posted")} below posted plus held. No new bursts start until the end of the{" "}
					{budget.period}.
				</p>
			)}
			{toMicroUsd !== null && budget.forecast && toMicroUsd < budget.forecast.expectedMicroUsd && toMicroUsd >= spent && (
				<p className="text-ink-2">The forecast of {formatMoney(budget.forecast.expectedMicroUsd, "estimate")} exceeds it.</p>
			)}
			<Field label="Reason" htmlFor="cap-message" hint="Shown with the policy version and in the audit log.">
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
