import { dehydrate, HydrationBoundary, hashKey, type QueryKey } from "@tanstack/react-query";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { cache, type ReactNode } from "react";
import { signedIn } from "#app/_session.ts";
import { failuresLeftToBrowser } from "#components/trpc/left-to-browser.ts";
import { makeQueryClient } from "#components/trpc/query-client.ts";
import { settleSoon } from "#components/trpc/settle-soon.ts";
import { trpcContext } from "#server/api/trpc/init.ts";
import { appRouter } from "#server/api/trpc/router.ts";
import { sessionActor } from "#server/auth/session.ts";

/** One for each request, shared by the page and its layout. */
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
 * `only`: a layout names its own queries, because it ends last and would send the page's a second time.
 */
export async function HydrateClient({ only, children }: { only?: readonly QueryKey[]; children: ReactNode }): Promise<ReactNode> {
	await signedIn();
	if (!only) await settleSoon(getQueryClient());
	const hashes = only?.map((key) => hashKey(key));
	const state = dehydrate(
		getQueryClient(),
		hashes && { shouldDehydrateQuery: ({ queryHash, state: { status } }) => status === "success" && hashes.includes(queryHash) },
	);
	return <HydrationBoundary state={failuresLeftToBrowser(state)}>{children}</HydrationBoundary>;
}
