"use client";
import { useState } from "react";
import { EmptyState, NoResults } from "#components/page/states.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { SearchInput } from "#components/ui/input.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { AccountDialog } from "./account-dialog.tsx";
import type { AccountRow } from "./account-draft.ts";
import { AccountsTable } from "./accounts-table.tsx";
import { GroupMappingsPanel } from "./group-mappings-panel.tsx";
import { RolesPanel } from "./roles-panel.tsx";
import { WaitingSignIns } from "./waiting-sign-ins.tsx";

/** Lists longer than this get a search box. */
const SEARCH_FROM = 10;

/** People, sign-ins that wait for approval, and service accounts. `sso`: an identity provider is configured. */
export function PeoplePanel({ sso }: { sso: boolean }) {
	const trpc = useTRPC();
	const { data: accounts } = useSuspenseQuery(trpc.account.list.queryOptions());
	const people = accounts.filter((account) => account.kind !== "service");
	const services = accounts.filter((account) => account.kind === "service");
	return (
		<>
			{!sso && (
				<p className="rounded-lg border bg-warn-soft px-3.5 py-2.5 text-pretty">
					Single sign-on is not configured, so invited people cannot sign in. Set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET for the
					web server.
				</p>
			)}
			<WaitingSignIns accounts={accounts} />
			<AccountsPanel
				title="People"
				accounts={people}
				service={false}
				add="Add person"
				empty="People you add appear here. Add the first one."
			/>
			<GroupMappingsPanel />
			<RolesPanel />
			<AccountsPanel
				title="Service accounts"
				accounts={services}
				service
				add="Add service account"
				empty="Programs such as CI use service accounts. Add one, then create its token under Tokens."
			/>
		</>
	);
}

interface AccountsPanelProps {
	title: string;
	accounts: readonly AccountRow[];
	service: boolean;
	add: string;
	empty: string;
}

function AccountsPanel({ title, accounts, service, add, empty }: AccountsPanelProps) {
	const [open, setOpen] = useState<{ account: AccountRow | null } | null>(null);
	const [query, setQuery] = useState("");
	const shown = accounts.filter(({ name, email, teams }) => [name, email, ...teams].join(" ").toLowerCase().includes(query.toLowerCase()));
	return (
		<Panel
			title={title}
			sub={accounts.length > 0 ? String(accounts.length) : undefined}
			actions={
				<>
					{accounts.length >= SEARCH_FROM && (
						<SearchInput
							label={`Search ${title.toLowerCase()}`}
							value={query}
							onChange={(event) => setQuery(event.target.value)}
							className="w-56"
						/>
					)}
					<Button size="sm" icon="plus" onClick={() => setOpen({ account: null })}>
						{add}
					</Button>
				</>
			}
		>
			{accounts.length === 0 ? (
				<EmptyState icon="user" title={`No ${title.toLowerCase()} yet`}>
					{empty}
				</EmptyState>
			) : shown.length === 0 ? (
				<NoResults what={title.toLowerCase()} onClear={() => setQuery("")} />
			) : (
				<AccountsTable label={title} accounts={shown} onEdit={(account) => setOpen({ account })} />
			)}
			{open && <AccountDialog account={open.account} service={service} onClose={() => setOpen(null)} />}
		</Panel>
	);
}
