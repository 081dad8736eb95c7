"use client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect } from "react";
import { AppShell } from "#components/shell/app-shell.tsx";
import { answerQuery, jobAskedAbout, rankHits } from "#components/shell/command-query.ts";
import { type CommandHit, type CommandSearch, registerCommandSearch } from "#components/shell/command-search.ts";
import { DemoBanner, SetupBanner } from "#components/shell/demo-banner.tsx";
import type { ShellUser, SignOut } from "#components/shell/session.ts";
import { formatDay } from "#components/time/format-time.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useAwaitedQuery } from "#components/trpc/queries.ts";
import { LIVE_JOB_STATES } from "#server/domain/states.ts";
import { MINUTE_MS } from "#server/kernel/units.ts";

type ConsoleShellProps = {
	user: ShellUser;
	nowMs: number;
	/** Date up to which data was simulated; null outside the demo. */
	demoHistory: { fromMs: number; toMs: number } | null;
	/** Set-up steps that are neither done nor skipped. */
	openSetupSteps: number;
	signOut: SignOut;
	children: ReactNode;
};

const PALETTE_HITS = 8;

/** The console shell with live data: active job count and palette search. */
export function ConsoleShell({ user, nowMs, demoHistory, openSetupSteps, signOut, children }: ConsoleShellProps) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const { data: counts } = useAwaitedQuery(trpc.job.counts.queryOptions());
	const { data: asked } = useQuery(trpc.approval.count.queryOptions());
	const active = counts ? LIVE_JOB_STATES.reduce((sum, state) => sum + counts[state], 0) : 0;

	// Synchronizes with the palette's registry, which loads separately.
	useEffect(() => {
		const search: CommandSearch = async (text) => {
			const asked = jobAskedAbout(text);
			const fresh = { staleTime: MINUTE_MS };
			const [page, teams, sites, budgets] = await Promise.all([
				client.fetchQuery(trpc.job.list.queryOptions({ q: asked ?? text, limit: PALETTE_HITS })),
				client.fetchQuery({ ...trpc.team.names.queryOptions(), ...fresh }),
				client.fetchQuery({ ...trpc.site.list.queryOptions(), ...fresh }),
				client.fetchQuery({ ...trpc.budget.list.queryOptions(), ...fresh }).catch(() => []),
			]);
			const jobs = page.items.map(
				(job): CommandHit => ({
					...{ id: job.id, icon: "jobs", detail: `${job.state}, ${job.team}` },
					label: asked === null ? job.name : `Why is ${job.name} ${job.state}?`,
					href: `/jobs/${job.id}${asked === null ? "" : "/decision"}`,
				}),
			);
			const entities = rankHits(
				[
					...teams.map(
						(team): CommandHit => ({ id: `team-${team}`, label: team, detail: "team spend", href: `/spend?team=${team}`, icon: "spend" }),
					),
					...sites.map(
						(site): CommandHit => ({ id: `site-${site.id}`, label: site.name, detail: "site", href: "/sites", icon: "capacity" }),
					),
					...budgets.map(
						(b): CommandHit => ({ id: `budget-${b.id}`, label: b.id, detail: "budget", href: `/budgets?budget=${b.id}`, icon: "budgets" }),
					),
				],
				text,
			);
			return [...answerQuery(text, teams, Date.now()), ...entities.slice(0, 3), ...jobs];
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
				demoHistory ? (
					<DemoBanner>
						Demo: history before {formatDay(demoHistory.toMs)} is simulated and clouds are emulated. Nothing here costs money.
					</DemoBanner>
				) : (
					openSetupSteps > 0 && <SetupBanner steps={openSetupSteps} />
				)
			}
		>
			{children}
		</AppShell>
	);
}
