"use client";
import { useQuery } from "@tanstack/react-query";
import { PageHeader } from "#components/page/page-header.tsx";
import { statementHref } from "#components/statements/search-params.ts";
import { StateChip } from "#components/statements/state-chip.tsx";
import { StatementActions } from "#components/statements/statement-actions.tsx";
import { type StatementAt, statementQuery } from "#components/statements/statement-query.ts";
import { TeamMenu } from "#components/statements/team-menu.tsx";
import type { StatementView } from "#components/statements/use-statement.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useHydrated } from "#components/ui/use-hydrated.ts";
import { monthWords } from "#server/domain/statement-words.ts";

/** Rendered even if the statement fails to load; actions that need it load separately. */
export function StatementHeader({ at }: { at: StatementAt }) {
	const trpc = useTRPC();
	const { data } = useQuery(trpc.statement.get.queryOptions(statementQuery(at)));
	const view = useHydrated() ? data : undefined;
	return (
		<div className="contents print:hidden">
			<PageHeader
				title={monthWords(at.month)}
				crumbs={[{ label: "Statements", href: "/statements" }]}
				meta={<span className="max-md:hidden">{view && <StatementOwner at={at} view={view} />}</span>}
				actions={view && <StatementActions view={view} />}
			/>
		</div>
	);
}

export function StatementOwner({ at: { month, team }, view }: { at: StatementAt; view: StatementView }) {
	const teams = [team, ...view.others.map((o) => o.team)].sort();
	return (
		<span className="flex min-w-0 items-center gap-2">
			<TeamMenu team={team} teams={teams.map((t) => ({ team: t, href: statementHref(month, t) }))} />
			<StateChip state={view.state} />
		</span>
	);
}
