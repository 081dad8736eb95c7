/**
 * A safe redirect target after sign-in. Anything but an own path (another host, a scheme, "//host", a backslash)
 * becomes Overview, so that a sign-in link cannot redirect elsewhere.
 */
export function ownPath(wanted: string | readonly string[] | undefined | null): string {
	if (typeof wanted !== "string" || !wanted.startsWith("/") || wanted.includes("\\") || !/^\P{Cc}*$/u.test(wanted)) return "/";
	const base = "http://own.invalid";
	const url = URL.canParse(wanted, base) ? new URL(wanted, base) : null;
	if (url?.origin !== base || url.pathname.startsWith("//") || url.pathname.startsWith("/sign-in")) return "/";
	return `${url.pathname}${url.search}${url.hash}`;
}
