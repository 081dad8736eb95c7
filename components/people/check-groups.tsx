"use client";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { Field, Input } from "#components/ui/input.tsx";
import type { Role } from "#server/domain/vocabulary.ts";
import { roleLabel } from "./role-options.tsx";

/** Shows the rights of a person in some groups. */
export function CheckGroups() {
	const trpc = useTRPC();
	const [typed, setTyped] = useState("");
	const [groups, setGroups] = useState<string[] | null>(null);
	const [isEmpty, setIsEmpty] = useState(false);
	const check = useQuery({ ...trpc.groupMapping.check.queryOptions({ groups: groups ?? [] }), enabled: groups !== null, retry: false });
	const submit = (event: FormEvent) => {
		event.preventDefault();
		const list = typed
			.split(",")
			.map((group) => group.trim())
			.filter(Boolean);
		setIsEmpty(list.length === 0);
		setGroups(list.length === 0 ? null : list);
	};
	const error = isEmpty ? "Enter a group." : check.error ? describeError(check.error).detail : undefined;
	return (
		<form onSubmit={submit} className="grid gap-2 py-1" noValidate>
			<div className="flex flex-wrap items-start gap-2">
				<Field label="Check groups" htmlFor="check-groups" hint="Separate several with commas." error={error} className="min-w-60 flex-1">
					<Input
						id="check-groups"
						value={typed}
						aria-describedby="check-groups-note"
						aria-invalid={error !== undefined || undefined}
						onChange={(event) => setTyped(event.target.value)}
					/>
				</Field>
				<Button type="submit" className="mt-6" busy={check.isFetching}>
					Check
				</Button>
			</div>
			<p role="status" className="text-ink-2">
				{groups !== null && check.data && answerText(check.data)}
			</p>
		</form>
	);
}

function answerText({
	role,
	customRole,
	teams,
	missingTeams,
	unmapped,
}: {
	role: Role | null;
	customRole: string | null;
	teams: readonly string[];
	missingTeams: readonly string[];
	unmapped: readonly string[];
}): string {
	const notMapped = unmapped.length > 0 ? ` Not mapped: ${unmapped.join(", ")}.` : "";
	if (role === null) return `Cannot sign in.${notMapped}`;
	const missing = missingTeams.length > 0 ? ` Teams that do not exist: ${missingTeams.join(", ")}.` : "";
	return `Role: ${roleLabel({ role, customRole })}. Teams: ${teams.join(", ") || "none"}.${missing}${notMapped}`;
}
