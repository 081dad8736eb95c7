import type { NextAuthConfig } from "next-auth";

/**
 * Sign-in cookies. With https, they use `__Host-` names: browsers accept those only with Secure, Path=/ and no Domain,
 * so no other host of the domain can set them. Plain http (the demo on loopback) cannot use them.
 */
export function cookiesFor(publicAddress: string): Pick<NextAuthConfig, "useSecureCookies" | "cookies"> {
	const secure = new URL(publicAddress).protocol === "https:";
	if (!secure) return { useSecureCookies: false };
	const cookie = (name: string) => ({
		name: `__Host-spillway.${name}`,
		options: { httpOnly: true, sameSite: "lax" as const, path: "/", secure: true },
	});
	return {
		useSecureCookies: true,
		cookies: {
			sessionToken: cookie("session"),
			callbackUrl: cookie("callback-url"),
			csrfToken: cookie("csrf"),
			pkceCodeVerifier: cookie("pkce"),
			state: cookie("state"),
			nonce: cookie("nonce"),
		},
	};
}
