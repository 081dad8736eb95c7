"use client";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { TextField } from "#components/settings/text-field.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { Step, type StepState } from "./step.tsx";
import { useSetupSettled, useSkip } from "./use-setup.ts";

/** Reporting currency and time zone. */
export function CompanyStep({ state, zone }: { state: StepState; zone: string }) {
	const trpc = useTRPC();
	const onSettled = useSetupSettled();
	const skip = useSkip();
	const save = useMutation(trpc.setup.company.mutationOptions({ onSettled }));
	const [typed, setTyped] = useState(zone);
	const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
	const submit = (event: FormEvent) => {
		event.preventDefault();
		save.mutate({ zone: typed.trim() });
	};
	return (
		<Step no={2} title="Company" summary={state === "done" ? `US dollars, ${zone}` : undefined} state={state}>
			{state === "done" ? null : (
				<form onSubmit={submit} className="grid gap-4" noValidate>
					<p className="text-pretty text-ink-2">
						Reports are in US dollars. Days and months of charges follow this time zone; it stays after the first charge.
					</p>
					<TextField
						label="Time zone"
						id="setup-zone"
						list="setup-zones"
						value={typed}
						onChange={setTyped}
						hint={here === typed ? "An IANA name, such as Europe/Berlin." : `Your browser's zone is ${here}.`}
						error={save.error ? describeError(save.error).detail : undefined}
					/>
					<datalist id="setup-zones">
						{Intl.supportedValuesOf("timeZone").map((name) => (
							<option key={name} value={name} />
						))}
					</datalist>
					<div className="flex gap-2">
						<Button type="submit" variant="primary" busy={save.isPending}>
							Save
						</Button>
						{state === "open" && (
							<Button variant="quiet" busy={skip.isPending} onClick={() => skip.mutate({ step: "company" })}>
								Skip
							</Button>
						)}
					</div>
				</form>
			)}
		</Step>
	);
}
