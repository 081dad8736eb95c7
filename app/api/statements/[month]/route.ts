import { handleSession } from "#server/api/handle-session.ts";
import { downloadStatement } from "#server/api/statement-file.ts";
import { sessionActor } from "#server/auth/session.ts";

export const dynamic = "force-dynamic";

/** Downloads a statement with a session cookie; API clients use /api/v1/statements. */
export async function GET(request: Request, { params }: { params: Promise<{ month: string }> }): Promise<Response> {
	const { month } = await params;
	const { searchParams } = new URL(request.url);
	return handleSession(await sessionActor(), (ctx) => downloadStatement(ctx, month, searchParams));
}
