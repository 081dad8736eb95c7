import { z } from "zod";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { GceError } from "../gce-error.ts";

/** How far in the future a token may be issued, to allow for clock skew. */
const LEEWAY_MS = 5 * MINUTE_MS;

const claimsSchema = z.looseObject({ iss: z.string(), iat: z.number(), exp: z.number(), aud: z.string().optional() });

/**
 * Returns the e-mail address of the calling account from a self-signed token, as Google's library creates them from a key file.
 * The account must be known and the token must not be expired; its signature is not checked. The library signs by this computer's
 * clock and reuses a token for most of its hour. By an emulator clock that runs ten times as fast, the token would expire much
 * too early, and no call to end a machine would be accepted any more.
 * @param nowMs this computer's time, or Google's time according to the fault script
 * @throws GceError required, authError
 */
export function accountOf(authorization: string | undefined, accounts: readonly string[], nowMs: number): string {
	if (authorization === undefined) throw new GceError("required");
	const [, payload = ""] = /^Bearer [\w-]+\.([\w-]+)\.[\w-]+$/.exec(authorization) ?? [];
	const claims = claimsSchema.safeParse(readJson(Buffer.from(payload, "base64url").toString()));
	if (!claims.success || !accounts.includes(claims.data.iss)) throw new GceError("authError");
	if (claims.data.exp * 1_000 <= nowMs || claims.data.iat * 1_000 > nowMs + LEEWAY_MS) throw new GceError("authError");
	return claims.data.iss;
}

function readJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}
