import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import type { Actor } from "#server/services/core/context.ts";
import { trpcContext } from "./init.ts";
import { appRouter } from "./router.ts";

/** Handles a request below /api/trpc. */
export function handleTrpc(req: Request, readActor: () => Promise<Actor | null>): Promise<Response> {
	return fetchRequestHandler({
		endpoint: "/api/trpc",
		req,
		router: appRouter,
		createContext: async () => trpcContext(await readActor(), req.headers),
		// Queries with input too long for a URL are sent as POST.
		allowMethodOverride: true,
	});
}
