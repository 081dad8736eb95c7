import { downloadFocus } from "#server/api/focus-file.ts";
import { answerSession } from "#server/api/session-answer.ts";
import { sessionActor } from "#server/auth/session.ts";

export const dynamic = "force-dynamic";

/** Downloads a month as FOCUS with a session cookie; API clients use /api/v1/exports/focus. */
export async function GET(request: Request): Promise<Response> {
	const { searchParams } = new URL(request.url);
	return answerSession(await sessionActor(), (ctx) => downloadFocus(ctx, searchParams));
}
