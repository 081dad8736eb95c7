import { dehydrate, HydrationBoundary } from "@tanstack/react-query";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { cache, type ReactNode } from "react";
import { signedIn } from "#app/_session.ts";
import { failuresLeftToBrowser } from "#components/trpc/left-to-browser.ts";
import { makeQueryClient } from "#components/trpc/query-client.ts";
import { trpcContext } from "#server/api/trpc/init.ts";
import { appRouter } from "#server/api/trpc/router.ts";
import { sessionActor } from "#server/auth/session.ts";

/** Each role's main concern: own jobs, the month's work, or pending approvals. */
export const getQueryClient = cache(makeQueryClient);

const context = cache(async () => trpcContext(await sessionActor()));

export const trpc = createTRPCOptionsProxy({ ctx: context, router: appRouter, queryClient: getQueryClient });

/** The procedures as plain functions for a signed-in user, for queries that combine several calls. */
export const caller = cache(async () => {
	await signedIn();
	return appRouter.createCaller(await context());
});

/**
 * Sends prefetched data to the browser so that it is not fetched twice. Only when signed in: a page renders in parallel
 * with its layout, which redirects visitors, and every rejected query would log an error.
 */
export async function HydrateClient({ children }: { children: ReactNode }): Promise<ReactNode> {
	await signedIn();
	return <HydrationBoundary state={failuresLeftToBrowser(dehydrate(getQueryClient()))}>{children}</HydrationBoundary>;
}
