"use client";
import { useState } from "react";
import { GroupMappingDialog } from "#components/people/group-mapping-dialog.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";

/** Which groups of the identity provider give membership of a team. */
export function TeamGroups({ teams }: { teams: readonly string[] }) {
	const { data } = useSuspenseQuery(useTRPC().groupMapping.list.queryOptions());
	const [isMapping, setIsMapping] = useState(false);
	const mapped = data.mappings.flatMap(({ group, team }) => (team === null ? [] : `${group} → ${team}`));
	return (
		<>
			<p className="text-pretty text-ink-2">
				With single sign-on or SCIM, groups of your identity provider give people their team.
				{data.teamPrefix !== "" && ` A group ${data.teamPrefix}<team> does so by its name.`}
			</p>
			{mapped.length > 0 && (
				<ul aria-label="Mapped groups" className="grid gap-0.5 font-strong">
					{mapped.map((text) => (
						<li key={text}>{text}</li>
					))}
				</ul>
			)}
			<Button className="justify-self-start" onClick={() => setIsMapping(true)}>
				Map group
			</Button>
			{isMapping && (
				<GroupMappingDialog draft={{ group: "", role: "", team: teams[0] ?? "", isNew: true }} onClose={() => setIsMapping(false)} />
			)}
		</>
	);
}
