"use client";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { Time } from "#components/time/relative-time.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { Link } from "#components/ui/link.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { versionsCsv } from "./export-csv.ts";
import { policiesHref, VERSIONS_QUERY, type VersionView } from "./params.ts";

type VersionsPanelProps = {
	mode: "read" | "edit" /** The open draft, listed above the versions. */;
	draft?: { baseVersion: number; changes: number | null; unchecked: boolean };
	/** The panel's header content. */
	actions?: ReactNode;
};

/** All versions, newest first. Versions are immutable; only the active one changes. */
export function VersionsPanel({ mode, draft, actions }: VersionsPanelProps) {
	const trpc = useTRPC();
	const { data: first } = useSuspenseQuery(trpc.policy.versions.queryOptions(VERSIONS_QUERY));
	const [more, setMore] = useState(false);
	const { data: rest } = useQuery(
		trpc.policy.versions.queryOptions(
			{ ...VERSIONS_QUERY, limit: 200, before: first.nextBefore ?? 1 },
			{ enabled: more && first.nextBefore !== null },
		),
	);
	const items = more && rest ? [...first.items, ...rest.items] : first.items;
	return (
		<Panel
			title="Versions"
			sub="immutable"
			actions={
				<>
					{actions}
					<CsvButton size="sm" label="Versions as CSV" fileName="spillway-policy-versions.csv" text={() => versionsCsv(items)} />
				</>
			}
		>
			<ol>
				{draft && (
					<li className="hairline-b grid grid-cols-[2rem_minmax(0,1fr)] gap-x-3 px-4 py-2.75">
						<b className="font-semibold text-ink-3">+</b>
						<span>
							<span className="font-strong text-accent">Draft</span> <span className="text-ink-3">from version {draft.baseVersion}</span>
							<span className="block text-ink-2">
								{draft.unchecked
									? "Could not validate"
									: draft.changes === null
										? "Not a valid policy yet"
										: draft.changes === 0
											? "No changes"
											: `${draft.changes} ${draft.changes === 1 ? "change" : "changes"}`}
							</span>
						</span>
					</li>
				)}
				{items.map((v) => (
					<VersionLine key={v.version} version={v} mode={mode} />
				))}
			</ol>
			{first.nextBefore !== null && !more && (
				<div className="border-t px-4 py-2">
					<Button size="sm" variant="quiet" onClick={() => setMore(true)}>
						Show older
					</Button>
				</div>
			)}
		</Panel>
	);
}

function VersionLine({ version: v, mode }: { version: VersionView; mode: "read" | "edit" }) {
	const last = v.publications.at(-1);
	const rolledBack = last?.kind === "rollback";
	return (
		<li className="hairline-b grid grid-cols-[2rem_minmax(0,1fr)_auto] gap-x-3 gap-y-0.5 px-4 py-2.75 last:border-b-0">
			<b className="tabular font-semibold">{v.version}</b>
			<span className={v.inForce ? "font-strong text-ok-ink" : "text-ink-3"}>
				{v.inForce ? "Active" : "Previous"}
				{rolledBack && ", rolled back to"}
			</span>
			<span className="text-ink-3">
				{last?.byName ?? v.authorName}, <Time atMs={Date.parse(last?.at ?? v.createdAt)} form="short" />
			</span>
			<span className="col-start-2 -col-end-1 text-pretty text-ink-2">
				{v.message || "No message"}{" "}
				<Link href={policiesHref({ mode, version: v.version })} scroll={false} className="text-accent underline underline-offset-3">
					Open version {v.version}
				</Link>
				{last?.approvedByName && <span className="block text-xs text-ink-3">approved by {last.approvedByName}</span>}
				{v.origin?.kind === "git" && (
					<span className="block text-xs text-ink-3">
						from {v.origin.path} in {v.origin.repository}, commit {v.origin.commit.slice(0, 8)}
					</span>
				)}
				{last?.backtestId && <span className="block text-xs text-ink-3">published after backtest {last.backtestId}</span>}
				{last?.noBacktestReason && (
					<span className="block text-xs text-warn-ink">published without a backtest: {last.noBacktestReason}</span>
				)}
			</span>
		</li>
	);
}
