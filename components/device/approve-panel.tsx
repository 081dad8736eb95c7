"use client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { TextField } from "#components/settings/text-field.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { DefinitionList } from "#components/ui/definition-list.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";

/** Approves or denies a command-line sign-in. `code`: from the link; empty asks for it. */
export function ApprovePanel({ code, person }: { code: string; person: string }) {
	const [typed, setTyped] = useState(code);
	const [asked, setAsked] = useState(code);
	const submit = (event: FormEvent) => {
		event.preventDefault();
		setAsked(typed.trim());
	};
	if (asked !== "") return <Answer key={asked} code={asked} person={person} onBack={() => setAsked("")} />;
	return (
		<form onSubmit={submit} className="grid gap-4">
			<TextField label="Code" id="device-code" value={typed} onChange={setTyped} hint="spillway login shows it in the terminal." />
			<Button type="submit" variant="primary" className="h-9" disabled={typed.trim() === ""}>
				Continue
			</Button>
		</form>
	);
}

function Answer({ code, person, onBack }: { code: string; person: string; onBack: () => void }) {
	const trpc = useTRPC();
	const { data, error } = useQuery(trpc.deviceLogin.get.queryOptions({ userCode: code }, { retry: false }));
	const decide = useMutation(trpc.deviceLogin.decide.mutationOptions());
	if (decide.data)
		return (
			<p role="status">
				{decide.data.decision === "approved"
					? "Approved. Return to the terminal; you can close this page."
					: "Denied. The terminal gets no access."}
			</p>
		);
	if (error)
		return (
			<div className="grid gap-3">
				<p role="alert" className="text-risk-ink">
					{describeError(error).detail} Run spillway login again if it is older than 10 minutes.
				</p>
				<Button onClick={onBack}>Enter another code</Button>
			</div>
		);
	if (!data)
		return (
			<div role="status" aria-label="Loading the sign-in">
				<Skeleton className="h-24" />
			</div>
		);
	const answer = (how: "approved" | "denied") => decide.mutate({ userCode: code, answer: how });
	return (
		<div className="grid gap-4">
			<p className="rounded-lg bg-sunken py-3 text-center font-mono text-xl tracking-widest">{code.toUpperCase()}</p>
			<DefinitionList
				items={[
					{ id: "computer", term: "Computer", value: data.clientName },
					{ id: "address", term: "Address", value: data.source ?? "unknown" },
					{ id: "started", term: "Started", value: <Time atMs={Date.parse(data.createdAt)} /> },
					{ id: "person", term: "Signs in as", value: person },
				]}
			/>
			<p className="text-pretty text-ink-2">
				Approve only if your own terminal shows this code. The command line can then do everything that you can, for 30 days.
			</p>
			{Boolean(decide.error) && (
				<p role="alert" className="text-risk-ink">
					{describeError(decide.error).detail}
				</p>
			)}
			<div className="grid grid-cols-2 gap-2">
				<Button className="h-9" disabled={decide.isPending} onClick={() => answer("denied")}>
					Deny
				</Button>
				<Button variant="primary" className="h-9" busy={decide.isPending} onClick={() => answer("approved")}>
					Approve
				</Button>
			</div>
		</div>
	);
}
