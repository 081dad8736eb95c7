"use client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { AppShell } from "#components/shell/app-shell.tsx";
import { type CommandSearch, registerCommandSearch } from "#components/shell/command-search.ts";
import { DemoBanner } from "#components/shell/demo-banner.tsx";
import type { ShellUser, SignOut } from "#components/shell/session.ts";
import { formatDay } from "#components/time/format-time.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useAwaitedQuery } from "#components/trpc/queries.ts";
import { LIVE_JOB_STATES } from "#server/domain/states.ts";

type ConsoleShellProps = {
	user: ShellUser;
	nowMs: number;
	/** What part of what is shown was simulated; null outside of the demo. */
	demoHistory: { fromMs: number; toMs: number } | null;
	signOut: SignOut;
	children: ReactNode;
};

const PALETTE_HITS = 8;

/** The shell of a signed-in person, with what follows the server: the jobs that are active, and the palette's search. */
export function ConsoleShell({ user, nowMs, demoHistory, signOut, children }: ConsoleShellProps) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const { data: counts } = useAwaitedQuery(trpc.job.counts.queryOptions());
	const { data: asked } = useQuery(trpc.approval.count.queryOptions());
	const active = counts ? LIVE_JOB_STATES.reduce((sum, state) => sum + counts[state], 0) : 0;

	// The external system is the palette's registry, which is loaded apart from this.
	useEffect(() => {
		const search: CommandSearch = async (text) => {
			const page = await client.fetchQuery(trpc.job.list.queryOptions({ q: text, limit: PALETTE_HITS }));
			return page.items.map((job) => ({
				id: job.id,
				label: job.name,
				detail: `${job.state}, ${job.team}`,
				href: `/jobs/${job.id}`,
				icon: "jobs",
			}));
		};
		registerCommandSearch(search);
		return () => registerCommandSearch(null);
	}, [client, trpc]);

	return (
		<AppShell
			user={user}
			nowMs={nowMs}
			counts={{ jobs: active, approvals: asked ? asked.forMe + asked.changes : 0 }}
			signOut={signOut}
			banner={
				demoHistory && (
					<DemoBanner>
						Demo: what ended before {formatDay(demoHistory.toMs)} was made by the project's own simulator, and the clouds are emulated.
						Nothing here costs money.
					</DemoBanner>
				)
			}
		>
			{children}
		</AppShell>
	);
}
