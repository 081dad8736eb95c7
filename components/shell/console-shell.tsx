"use client";
import type { ReactNode } from "react";
import { AppShell } from "#components/shell/app-shell.tsx";
import { DemoBanner, SetupBanner } from "#components/shell/demo-banner.tsx";
import type { ShellUser, SignOut } from "#components/shell/session.ts";
import { formatDay } from "#components/time/format-time.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useAwaitedQuery } from "#components/trpc/queries.ts";
import { LIVE_JOB_STATES } from "#server/domain/states.ts";

type ConsoleShellProps = {
	user: ShellUser;
	nowMs: number;
	/** Date up to which data was simulated; null outside the demo. */
	demoHistory: { fromMs: number; toMs: number } | null;
	/** The user dismissed the demo banner. */
	demoBannerHidden: boolean;
	/** Set-up steps that are neither done nor skipped. */
	openSetupSteps: number;
	signOut: SignOut;
	children: ReactNode;
};

/** The console shell with live data: counts of active jobs and open approvals. */
export function ConsoleShell({ user, nowMs, demoHistory, demoBannerHidden, openSetupSteps, signOut, children }: ConsoleShellProps) {
	const trpc = useTRPC();
	const { data: counts } = useAwaitedQuery(trpc.job.counts.queryOptions());
	const { data: asked } = useAwaitedQuery(trpc.approval.count.queryOptions());
	const active = counts ? LIVE_JOB_STATES.reduce((sum, state) => sum + counts[state], 0) : 0;

	return (
		<AppShell
			user={user}
			nowMs={nowMs}
			counts={{ jobs: active, approvals: asked ? asked.forMe + asked.changes : 0 }}
			signOut={signOut}
			banner={
				demoHistory
					? !demoBannerHidden && (
							<DemoBanner>
								Demo: history before {formatDay(demoHistory.toMs)} and bills are simulated, clouds and clusters are emulated. Nothing here
								costs money.
							</DemoBanner>
						)
					: openSetupSteps > 0 && <SetupBanner steps={openSetupSteps} />
			}
		>
			{children}
		</AppShell>
	);
}
