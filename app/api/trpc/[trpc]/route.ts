import { handleTrpc } from "#server/api/trpc/handle-trpc.ts";
import { sessionActor } from "#server/auth/session.ts";

export const dynamic = "force-dynamic";

const handler = (req: Request): Promise<Response> => handleTrpc(req, sessionActor);

export { handler as GET, handler as POST };
