"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { budgetsHref } from "#components/budgets/params.ts";
import { useReadAgain } from "#components/budgets/use-budget.ts";
import { DollarsField } from "#components/money/dollars-field.tsx";
import { formatMoney } from "#components/money/format-money.ts";
import { readDollars } from "#components/money/read-dollars.ts";
import { FormDialog } from "#components/page/form-dialog.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { Field, Input, Select, Textarea } from "#components/ui/input.tsx";
import { startHere } from "#components/ui/show-modal.ts";
import { notify } from "#components/ui/toast.tsx";
import { BUDGET_PERIODS, type BudgetPeriod } from "#server/domain/policy.ts";

/** Opens the dialog; its content loads on open. */
export function AddBudget() {
	const [open, setOpen] = useState(false);
	return (
		<>
			<Button icon="plus" onClick={() => setOpen(true)}>
				Add<span className="max-md:hidden"> budget</span>
			</Button>
			{open && <AddBudgetDialog onClose={() => setOpen(false)} />}
		</>
	);
}

function AddBudgetDialog({ onClose }: { onClose: () => void }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const router = useRouter();
	const readAgain = useReadAgain();
	const { data: teams } = useSuspenseQuery(trpc.team.names.queryOptions());
	const { data: settings } = useSuspenseQuery(trpc.budget.settings.queryOptions());
	const [name, setName] = useState("");
	const [team, setTeam] = useState("");
	const [period, setPeriod] = useState<BudgetPeriod>("month");
	const [cap, setCap] = useState("");
	const [message, setMessage] = useState("");
	const add = useMutation(
		trpc.budget.add.mutationOptions({
			onSuccess: (done) => {
				for (const queryKey of readAgain) void client.invalidateQueries({ queryKey });
				if (done.kind === "changed") {
					notify({ tone: "done", title: `Budget ${name} added`, detail: `Policy version ${done.policyVersion}` });
					router.replace(budgetsHref({ budget: name }), { scroll: false });
				} else notify({ tone: "done", title: "Budget needs a second approver", detail: "See Proposed changes on this screen." });
				onClose();
			},
		}),
	);
	const amount = readDollars(cap);
	const ready = name.trim() !== "" && amount !== null && message.trim().length >= 3;
	// JSON quotes a team's name as CEL does.
	const scope = team === "" ? "true" : `job.team == ${JSON.stringify(team)}`;
	return (
		<FormDialog
			title="Add budget"
			description={
				settings.secondPerson ? "Takes effect after a second person approves." : "Publishes a new policy version with this budget."
			}
			save={settings.secondPerson ? "Propose budget" : "Add budget"}
			ready={ready}
			change={add}
			onSubmit={() => amount && add.mutate({ id: name.trim(), scope, period, capUsd: amount.usd, message })}
			onClose={onClose}
		>
			<Field label="Name" htmlFor="budget-name" hint="Letters, digits, dots, underscores and hyphens">
				<Input
					ref={startHere}
					id="budget-name"
					value={name}
					maxLength={63}
					placeholder="nlp-month"
					autoComplete="off"
					aria-describedby="budget-name-note"
					onChange={(event) => setName(event.target.value)}
				/>
			</Field>
			<div className="grid gap-3 sm:grid-cols-2">
				<Field label="Jobs" htmlFor="budget-team">
					<Select id="budget-team" value={team} onChange={(event) => setTeam(event.target.value)}>
						<option value="">Every team</option>
						{teams.map((each) => (
							<option key={each} value={each}>
								{each}
							</option>
						))}
					</Select>
				</Field>
				<Field label="Period" htmlFor="budget-period">
					<Select id="budget-period" value={period} onChange={(event) => setPeriod(event.target.value as BudgetPeriod)}>
						{BUDGET_PERIODS.map((each) => (
							<option key={each}>{each}</option>
						))}
					</Select>
				</Field>
			</div>
			<DollarsField
				label="Cap ($)"
				id="budget-cap"
				value={cap}
				onChange={setCap}
				error={cap !== "" && amount === null ? "Dollar amount, such as 50000 or 499.50" : null}
				hint={amount ? `${formatMoney(amount.microUsd, "whole")} per ${period}; bursts above it are held` : `Per ${period}`}
			/>
			<Field label="Reason" htmlFor="budget-message" hint="Shown with the policy version and in the audit log.">
				<Textarea
					id="budget-message"
					value={message}
					maxLength={500}
					aria-describedby="budget-message-note"
					onChange={(event) => setMessage(event.target.value)}
				/>
			</Field>
		</FormDialog>
	);
}
