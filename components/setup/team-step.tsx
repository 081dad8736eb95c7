"use client";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { fieldErrorsOf } from "#components/page/field-errors.ts";
import { TextField } from "#components/settings/text-field.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { NAME } from "#server/domain/schema/values.ts";
import { Step, type StepState } from "./step.tsx";
import { TeamGroups } from "./team-groups.tsx";
import { useSetupSettled, useSkip } from "./use-setup.ts";

/** The first team, which pays for its jobs. */
export function TeamStep({ state, teams }: { state: StepState; teams: readonly string[] }) {
	const trpc = useTRPC();
	const onSettled = useSetupSettled();
	const skip = useSkip();
	const create = useMutation(trpc.team.create.mutationOptions({ onSettled }));
	const [name, setName] = useState("");
	const [costCenter, setCostCenter] = useState("");
	const [isChecked, setIsChecked] = useState(false);
	const own = NAME.test(name) ? undefined : 'Use letters, digits, ".", "_" or "-", such as research.';
	const submit = (event: FormEvent) => {
		event.preventDefault();
		setIsChecked(true);
		if (own === undefined) create.mutate({ name, costCenter: costCenter.trim() || null });
	};
	const failed = create.error ? (fieldErrorsOf(create.error)["name"] ?? describeError(create.error).detail) : undefined;
	return (
		<Step no={3} title="First team" summary={state === "done" ? teams.slice(0, 5).join(", ") : undefined} state={state}>
			{state === "done" ? (
				<TeamGroups teams={teams} />
			) : (
				<form onSubmit={submit} className="grid gap-4" noValidate>
					<div className="grid gap-4 md:grid-cols-2">
						<TextField
							label="Name"
							id="setup-team"
							value={name}
							onChange={setName}
							hint="Used in job files, policies and charges. Cannot be changed later."
							error={isChecked ? (own ?? failed) : undefined}
						/>
						<TextField label="Cost center (optional)" id="setup-cost-center" value={costCenter} maxLength={64} onChange={setCostCenter} />
					</div>
					<div className="flex gap-2">
						<Button type="submit" variant="primary" busy={create.isPending}>
							Add team
						</Button>
						{state === "open" && (
							<Button variant="quiet" busy={skip.isPending} onClick={() => skip.mutate({ step: "team" })}>
								Skip
							</Button>
						)}
					</div>
				</form>
			)}
		</Step>
	);
}
