import { downloadFocus } from "#server/api/focus-file.ts";
import { handleSession } from "#server/api/handle-session.ts";
import { sessionActor } from "#server/auth/session.ts";

export const dynamic = "force-dynamic";

/** Downloads a month as FOCUS with a session cookie; API clients use /api/v1/exports/focus. */
export async function GET(request: Request): Promise<Response> {
	return handleSession(await sessionActor(), (ctx) => downloadFocus(ctx, request));
}
