import { dehydrate, HydrationBoundary } from "@tanstack/react-query";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { cache, type ReactNode } from "react";
import { makeQueryClient } from "#components/trpc/query-client.ts";
import { trpcContext } from "#server/api/trpc/init.ts";
import { appRouter } from "#server/api/trpc/router.ts";
import { sessionActor } from "#server/auth/session.ts";

/** For server components: one query client per request, procedures called without HTTP. */
export const getQueryClient = cache(makeQueryClient);

const context = cache(async () => trpcContext(await sessionActor()));

export const trpc = createTRPCOptionsProxy({ ctx: context, router: appRouter, queryClient: getQueryClient });

/** The procedures as functions, for queries that are put together of several calls. */
export const caller = cache(async () => appRouter.createCaller(await context()));

/** Hands what was prefetched to the browser, so that it is in the page and not fetched again. */
export function HydrateClient({ children }: { children: ReactNode }): ReactNode {
	return <HydrationBoundary state={dehydrate(getQueryClient())}>{children}</HydrationBoundary>;
}
