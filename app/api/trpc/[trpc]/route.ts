import { answerTrpc } from "#server/api/trpc/answer-trpc.ts";
import { sessionActor } from "#server/auth/session.ts";

export const dynamic = "force-dynamic";

const handler = (req: Request): Promise<Response> => answerTrpc(req, sessionActor);

export { handler as GET, handler as POST };
