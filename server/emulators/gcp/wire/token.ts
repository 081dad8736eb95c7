import { z } from "zod";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { GceError } from "../gce-error.ts";

/** How far a token may come from the future, since clocks differ a little. */
const LEEWAY_MS = 5 * MINUTE_MS;

const claimsSchema = z.looseObject({ iss: z.string(), iat: z.number(), exp: z.number(), aud: z.string().optional() });

/**
 * Who calls: the account that a self-signed token names, as Google's library makes them from a key file. The account
 * must be known and the token must not be over; its signature is not checked. Answers the account's e-mail. The library
 * signs by this computer's clock, and keeps a token for most of its hour: by a clock of the emulator's that goes ten times as
 * fast it would be over much too soon, and no call of a machine's end be let in any more.
 * @param nowMs this computer's time, or what the script says that it is at Google
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
