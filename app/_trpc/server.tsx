import { dehydrate, HydrationBoundary } from "@tanstack/react-query";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { cache, type ReactNode } from "react";
import { signedIn } from "#app/_session.ts";
import { failuresLeftToBrowser } from "#components/trpc/left-to-browser.ts";
import { makeQueryClient } from "#components/trpc/query-client.ts";
import { trpcContext } from "#server/api/trpc/init.ts";
import { appRouter } from "#server/api/trpc/router.ts";
import { sessionActor } from "#server/auth/session.ts";

/** For server components: one query client per request, procedures called without HTTP. */
export const getQueryClient = cache(makeQueryClient);

const context = cache(async () => trpcContext(await sessionActor()));

export const trpc = createTRPCOptionsProxy({ ctx: context, router: appRouter, queryClient: getQueryClient });

/** The procedures as functions, for queries that are put together of several calls; for who is signed in. */
export const caller = cache(async () => {
	await signedIn();
	return appRouter.createCaller(await context());
});

/**
 * Hands what was prefetched to the browser, so that it is in the page and not fetched again. Only for who is signed in: a page
 * renders beside its layout, which sends visitors to the sign-in, and every refused query would be an error in the log.
 */
export async function HydrateClient({ children }: { children: ReactNode }): Promise<ReactNode> {
	await signedIn();
	return <HydrationBoundary state={failuresLeftToBrowser(dehydrate(getQueryClient()))}>{children}</HydrationBoundary>;
}
