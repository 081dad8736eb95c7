const CALLBACK = "callbackUrl";

/**
 * Handles a sign-in request. A return address that is not http, and an unconfigured provider, are the caller's
 * mistakes: next-auth would report its own configuration with 500.
 */
export async function handleAuth(request: Request, answer: () => Promise<Response>, providers: readonly string[]): Promise<Response> {
	const url = new URL(request.url);
	const refusal = refusalOf(url, request.headers.get("cookie") ?? "", providers);
	return refusal === null ? answer() : Response.json({ message: refusal }, { status: 400, headers: { "cache-control": "no-store" } });
}

function refusalOf(url: URL, cookies: string, providers: readonly string[]): string | null {
	const given = url.searchParams.getAll(CALLBACK).filter((text) => text !== "");
	if ([...given, ...callbackCookies(cookies)].some((text) => !isReturn(text, url.origin))) return "The address to return to is not valid.";
	const [, action, provider] = /^\/api\/auth\/(signin|callback)\/([^/]*)/.exec(url.pathname) ?? [];
	return action !== undefined && !providers.includes(provider ?? "") ? "There is no such way to sign in." : null;
}

function isReturn(text: string, origin: string): boolean {
	return /^https?:$/.test(URL.parse(text, text.startsWith("/") ? origin : undefined)?.protocol ?? "");
}

function callbackCookies(header: string): string[] {
	return header
		.split(";")
		.map((part) => part.trim().split("="))
		.filter(([name = ""]) => /[.-]callback-url$/.test(name))
		.map(([, value = ""]) => decoded(value));
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
