"use client";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { LABELS, type Role } from "#server/domain/vocabulary.ts";

/** Built-in roles, then custom ones, as options of a select; the value is the name. */
export function RoleOptions() {
	const { data: roles } = useSuspenseQuery(useTRPC().role.list.queryOptions());
	return roles.map(({ name, base }) => (
		<option key={name} value={name}>
			{base === null ? roleLabel({ role: name as Role, customRole: null }) : name}
		</option>
	));
}

/** The display text of a person's role; a custom role is shown by its name. */
export function roleLabel({ role, customRole }: { role: Role; customRole: string | null }): string {
	return customRole ?? LABELS[role];
}
