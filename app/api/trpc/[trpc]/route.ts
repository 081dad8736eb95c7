import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { trpcContext } from "#server/api/trpc/init.ts";
import { appRouter } from "#server/api/trpc/router.ts";
import { sessionActor } from "#server/auth/session.ts";

export const dynamic = "force-dynamic";

const handler = (req: Request): Promise<Response> =>
	fetchRequestHandler({
		endpoint: "/api/trpc",
		req,
		router: appRouter,
		createContext: async () => trpcContext(await sessionActor(), req.headers),
		// Queries with input too long for a URL are sent by POST.
		allowMethodOverride: true,
	});

export { handler as GET, handler as POST };
