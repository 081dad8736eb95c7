import { downloadAudit } from "#server/api/audit-file.ts";
import { answerSession } from "#server/api/session-answer.ts";
import { sessionActor } from "#server/auth/session.ts";

export const dynamic = "force-dynamic";

/** The audit as a file for who is signed in; programs use /api/v1/exports/audit. */
export async function GET(request: Request): Promise<Response> {
	const { searchParams } = new URL(request.url);
	return answerSession(await sessionActor(), (ctx) => downloadAudit(ctx, searchParams));
}
