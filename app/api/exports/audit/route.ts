import { downloadAudit } from "#server/api/audit-file.ts";
import { handleSession } from "#server/api/handle-session.ts";
import { sessionActor } from "#server/auth/session.ts";

export const dynamic = "force-dynamic";

/** Downloads the audit log with a session cookie; API clients use /api/v1/exports/audit. */
export async function GET(request: Request): Promise<Response> {
	return handleSession(await sessionActor(), (ctx) => downloadAudit(ctx, request));
}
