import { handleSession } from "#server/api/handle-session.ts";
import { downloadPlanDecision } from "#server/api/plan-decision-file.ts";
import { sessionActor } from "#server/auth/session.ts";

export const dynamic = "force-dynamic";

/** Downloads a decision as a PDF with a session cookie; API clients use /api/v1/plan/studies. */
export async function GET(_: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
	const { id } = await params;
	return handleSession(await sessionActor(), (ctx) => downloadPlanDecision(ctx, id));
}
