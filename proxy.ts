import { type NextRequest, NextResponse } from "next/server";

/** Tells server components which page was asked for, so that signing in leads back to it. It decides nothing. */
export function proxy(request: NextRequest): NextResponse {
	const headers = new Headers(request.headers);
	headers.set("x-spillway-path", `${request.nextUrl.pathname}${request.nextUrl.search}`);
	return NextResponse.next({ request: { headers } });
}

export const config = { matcher: ["/((?!api/|agent/|_next/|.*\\.[a-z0-9]+$).*)"] };
