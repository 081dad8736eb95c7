import { z } from "zod";

const TIMEOUT_MS = 10_000;
const discoverySchema = z.looseObject({ userinfo_endpoint: z.url({ protocol: /^https?$/ }).optional() });

/**
 * Adds the claims of the userinfo endpoint to those of the ID token, which take precedence. Issuers that follow OpenID
 * Connect Core 5.4 strictly only put email and groups there. Returns the ID token's claims when there is no such
 * endpoint.
 * @throws Error when the endpoint fails, or responds for another subject (Core 5.3.2)
 */
export async function addUserInfo(
	claims: Record<string, unknown>,
	from: { issuer: string; accessToken: string | undefined; fetch: typeof fetch },
): Promise<Record<string, unknown>> {
	if (!from.accessToken) return claims;
	const read = async (url: string, headers: Record<string, string> = {}): Promise<unknown> => {
		const answer = await from.fetch(url, { headers, redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
		if (!answer.ok) throw new Error(`${url} answered ${answer.status}.`);
		return answer.json();
	};
	const discovery = discoverySchema.parse(await read(`${from.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`));
	if (!discovery.userinfo_endpoint) return claims;
	const info = z
		.looseObject({ sub: z.string() })
		.parse(await read(discovery.userinfo_endpoint, { authorization: `Bearer ${from.accessToken}` }));
	if (info.sub !== claims["sub"]) throw new Error("The userinfo endpoint answered for another subject than the ID token.");
	return { ...info, ...claims };
}
