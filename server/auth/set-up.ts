import { ADDRESS_HEADER } from "#server/services/governance/audit/client-address.ts";
import { runtime } from "#server/services/runtime.ts";
import { createFirstAdministrator } from "../services/governance/sign-in/first-administrator.ts";
import { currentSetUpCode } from "../services/governance/sign-in/set-up-code.ts";

type Given = Parameters<typeof createFirstAdministrator>[1];

/** Whether no administrator can sign in, so that the set-up page asks for the code. */
export async function needsAdministrator(): Promise<boolean> {
	const { env, connection } = runtime();
	return (await currentSetUpCode(connection.db, env)) !== null;
}

/**
 * createFirstAdministrator for the set-up page.
 * @throws the same errors
 */
export async function setUpAdministrator(given: Given, headers: Headers): Promise<void> {
	const { env, connection, clock } = runtime();
	const at = { nowMs: clock.nowMs(), source: headers.get(ADDRESS_HEADER) || null, secret: env.SPILLWAY_SECRET, demo: env.SPILLWAY_DEMO };
	await createFirstAdministrator(connection.db, given, at);
}
