import { cookies } from "next/headers";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import type { ReactNode } from "react";
import { signedIn } from "#app/_session.ts";
import { getQueryClient, HydrateClient, trpc } from "#app/_trpc/server.tsx";
import { ConsoleShell } from "#components/shell/console-shell.tsx";
import { DEMO_BANNER_COOKIE } from "#components/shell/demo-banner-cookie.ts";
import { TrpcProviders } from "#components/trpc/client.tsx";
import { LiveUpdates } from "#components/trpc/live-updates.tsx";
import { hasPermission, permissionsOf } from "#server/domain/custom-role.ts";
import { LABELS } from "#server/domain/vocabulary.ts";
import { SECOND_MS } from "#server/kernel/units.ts";
import { signOutHere } from "./sign-out.ts";

export const dynamic = "force-dynamic";

/** Wraps every screen with the session, API client, live connection and shell. */
export default async function ConsoleLayout({ children }: { children: ReactNode }) {
	// The page renders in parallel and may already have started.
	const drawnAtMs = Date.now() - SECOND_MS;
	const actor = await signedIn();
	const client = getQueryClient();
	await Promise.all([client.prefetchQuery(trpc.job.counts.queryOptions()), client.prefetchQuery(trpc.approval.count.queryOptions())]);
	const demoHistory = await client.fetchQuery(trpc.overview.summary.queryOptions()).then(
		(summary) => summary.demoHistory,
		// The shell renders even if this fails; Overview shows the error.
		() => null,
	);
	const setup = hasPermission(actor, "account:manage") ? await client.fetchQuery(trpc.setup.get.queryOptions()).catch(() => null) : null;
	const openSteps = setup?.isStarted ? Object.values(setup.steps).filter((state) => state === "open").length : 0;
	return (
		<TrpcProviders owner={actor.accountId}>
			<NuqsAdapter>
				<HydrateClient only={[trpc.job.counts.queryKey(), trpc.approval.count.queryKey()]}>
					<LiveUpdates drawnAtMs={drawnAtMs}>
						<ConsoleShell
							user={{
								name: actor.name,
								role: actor.customRole?.name ?? LABELS[actor.role],
								permissions: permissionsOf(actor),
								team: actor.teams.length > 0 ? actor.teams.join(", ") : null,
							}}
							nowMs={Date.now()}
							demoHistory={demoHistory}
							demoBannerHidden={(await cookies()).get(DEMO_BANNER_COOKIE) !== undefined}
							openSetupSteps={openSteps}
							signOut={signOutHere}
						>
							{children}
						</ConsoleShell>
					</LiveUpdates>
				</HydrateClient>
			</NuqsAdapter>
		</TrpcProviders>
	);
}
