"use client";

import { QueryClientProvider } from "@tanstack/react-query";
import { createTRPCClient, httpBatchStreamLink, httpLink, httpSubscriptionLink, splitLink, type TRPCLink } from "@trpc/client";
import { createTRPCContext } from "@trpc/tanstack-react-query";
import { type ReactNode, useState } from "react";
import superjson from "superjson";
import { underBase } from "#components/ui/under-base.ts";
import type { AppRouter } from "#server/api/trpc/router.ts";
import { browserClientOf } from "./browser-client.ts";
import { leftToBrowser } from "./left-to-browser.ts";
import { makeQueryClient } from "./query-client.ts";

export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();

const URL_PATH = underBase("/api/trpc");
const WHOLE_FILES = new Set([
	"quote",
	"template.quote",
	"job.import",
	"bill.uploadPart",
	"plan.uploadPart",
	"policy.check",
	"policy.diff",
	"policy.merge",
	"policy.complete",
	"policy.tryRule",
]);

/** Provides the query client and tRPC. `owner`: the id of the signed-in account; an empty string without one. */
export function TrpcProviders({ owner, children }: { owner: string; children: ReactNode }): ReactNode {
	const client = typeof window === "undefined" ? makeQueryClient() : browserClientOf(owner);
	const [trpcClient] = useState(() =>
		createTRPCClient<AppRouter>({ links: typeof window === "undefined" ? [leftToBrowser] : [toTheApi()] }),
	);
	return (
		<QueryClientProvider client={client}>
			<TRPCProvider trpcClient={trpcClient} queryClient={client}>
				{children}
			</TRPCProvider>
		</QueryClientProvider>
	);
}

function toTheApi(): TRPCLink<AppRouter> {
	return splitLink({
		condition: (op) => op.type === "subscription",
		true: httpSubscriptionLink({ url: URL_PATH, transformer: superjson }),
		false: splitLink({
			// These requests carry a whole file, too long for a URL, and must not delay a batch.
			condition: (op) => WHOLE_FILES.has(op.path),
			true: httpLink({ url: URL_PATH, transformer: superjson, methodOverride: "POST" }),
			false: httpBatchStreamLink({ url: URL_PATH, transformer: superjson }),
		}),
	});
}
