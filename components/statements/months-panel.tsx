"use client";
import { Money } from "#components/money/money.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { ClosingDay } from "#components/statements/closing-day-dialog.tsx";
import { statementHref, statementsHref } from "#components/statements/search-params.ts";
import { StateChip } from "#components/statements/state-chip.tsx";
import { TeamMenu } from "#components/statements/team-menu.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";
import { monthWords } from "#server/domain/statement-words.ts";

type Item = Outputs["statement"]["list"]["items"][number];

/** All ledger months with their statement status. */
export function MonthsPanel({ team: asked }: { team: string | null }) {
	const trpc = useTRPC();
	const { data } = useSuspenseQuery(trpc.statement.list.queryOptions(asked === null ? {} : { team: asked }));
	const { team, teams, items } = data;
	if (team === null) {
		return (
			<Panel>
				<EmptyState icon="statements" title="You are not in a team yet">
					Statements are per team. Ask a platform engineer to add you to yours.
				</EmptyState>
			</Panel>
		);
	}
	return (
		<Panel
			title="Months"
			sub={`in the ledger's time zone; the previous month closes automatically on day ${data.closing.day}`}
			actions={
				<>
					{data.closing.mayChange && <ClosingDay day={data.closing.day} />}
					<TeamMenu team={team} teams={teams.map((t) => ({ team: t, href: statementsHref(t === teams[0] ? null : t) }))} />
				</>
			}
		>
			{items.length === 0 ? (
				<EmptyState icon="statements" title="No charges yet" action={{ label: "Submit job", href: "/jobs/new" }}>
					A month appears here with its first charge.
				</EmptyState>
			) : (
				<Table aria-label="Statements by month">
					<thead>
						<tr>
							<Th>Month</Th>
							<Th>State</Th>
							<Th n>Owned</Th>
							<Th n>Cloud</Th>
							<Th n>Total</Th>
							<Th n>Version</Th>
							<Th n>Closed</Th>
							<Th>Signed by</Th>
						</tr>
					</thead>
					<tbody>
						{items.map((item) => (
							<MonthRow key={item.month} item={item} team={team} />
						))}
					</tbody>
				</Table>
			)}
		</Panel>
	);
}

function MonthRow({ item, team }: { item: Item; team: string }) {
	const { closed } = item;
	return (
		<Tr>
			<Td phone="a">
				<Link
					href={statementHref(item.month, team)}
					className="font-strong underline decoration-line-strong underline-offset-4 hover:decoration-current"
				>
					{monthWords(item.month)}
				</Link>
			</Td>
			<Td phone="c">
				<StateChip state={item.state} />
				{closed?.changedSince && (
					<span className="ml-2 text-ink-2">
						by <Money value={closed.changedSince.deltaMicroUsd} signed />
					</span>
				)}
			</Td>
			<Td n>{closed ? <Money value={closed.ownedMicroUsd} /> : <span className="text-ink-3">not closed</span>}</Td>
			<Td n>{closed ? <Money value={closed.cloudMicroUsd} /> : null}</Td>
			<Td n phone="b" className="font-semibold">
				{!closed && <span className="font-book text-ink-3">{item.state === "open" ? "to date " : "posted "}</span>}
				<Money value={closed?.totalMicroUsd ?? item.ledgerMicroUsd} fact={`month/${item.month}/${team}/total`} />
			</Td>
			<Td n>{closed?.version}</Td>
			<Td n phone="d">
				{closed && <Time atMs={closed.closedAt.getTime()} form="short" />}
			</Td>
			<Td>{closed && (closed.signedBy.length > 0 ? closed.signedBy.join(", ") : <span className="text-ink-3">not signed</span>)}</Td>
		</Tr>
	);
}
