import { type NextRequest, NextResponse } from "next/server";

const NONCE_BYTES = 16;

/**
 * Gives each page its content security policy with a fresh nonce, and passes the page's path on, so that signing in leads
 * back to it. Next puts the nonce of the request's policy on its own scripts.
 */
export function proxy(request: NextRequest): NextResponse {
	const nonce = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(NONCE_BYTES))));
	const policy = contentSecurityPolicy(nonce);
	const headers = new Headers(request.headers);
	headers.set("x-spillway-path", `${request.nextUrl.pathname}${request.nextUrl.search}`);
	headers.set("x-nonce", nonce);
	headers.set("content-security-policy", policy);
	const response = NextResponse.next({ request: { headers } });
	response.headers.set("content-security-policy", policy);
	return response;
}

/**
 * Scripts run only with the nonce, or when such a script loads them. Styles stay inline: components set widths and colors
 * in attributes, and no style can run code. No upgrade to https: the demo listens on loopback without it.
 */
function contentSecurityPolicy(nonce: string): string {
	return [
		"default-src 'self'",
		`script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${process.env.NODE_ENV === "development" ? " 'unsafe-eval'" : ""}`,
		"style-src 'self' 'unsafe-inline'",
		"img-src 'self' data: blob:",
		"font-src 'self' data:",
		"connect-src 'self'",
		"object-src 'none'",
		"base-uri 'none'",
		// A sign-in form may lead on to the company's identity provider.
		"form-action 'self' https:",
		"frame-ancestors 'none'",
	].join("; ");
}

export const config = { matcher: ["/((?!api/|agent/|_next/static/|_next/image).*)"] };
