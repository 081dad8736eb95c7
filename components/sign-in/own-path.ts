/**
 * The path of our own that a sign-in may lead to. Anything else (another host, a scheme, "//host", a backslash) becomes
 * the Overview: a link to our sign-in page must not lead on to somebody else's.
 */
export function ownPath(wanted: string | readonly string[] | undefined | null): string {
	if (typeof wanted !== "string" || !wanted.startsWith("/") || wanted.includes("\\") || !/^\P{Cc}*$/u.test(wanted)) return "/";
	const base = "http://own.invalid";
	const url = URL.canParse(wanted, base) ? new URL(wanted, base) : null;
	if (url?.origin !== base || url.pathname.startsWith("//") || url.pathname.startsWith("/sign-in")) return "/";
	return `${url.pathname}${url.search}${url.hash}`;
}
