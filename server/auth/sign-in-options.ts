import { and, asc, eq, isNull } from "drizzle-orm";
import { account } from "#server/db/schema/account.ts";
import type { Role } from "#server/domain/vocabulary.ts";
import { runtime } from "#server/services/runtime.ts";

export interface SignInOptions {
	/** The accounts of the demo, without their passwords; null outside of demo mode, where nobody signs in with a password. */
	demoAccounts: { email: string; name: string; role: Role }[] | null;
	/** Whether an OIDC issuer is configured. */
	sso: boolean;
}

/** In which ways a person may sign in here. Read before anybody is signed in: it holds no secret. */
export async function signInOptions(): Promise<SignInOptions> {
	const { env, connection } = runtime();
	const demoAccounts = env.SPILLWAY_DEMO
		? await connection.db
				.select({ email: account.email, name: account.name, role: account.role })
				.from(account)
				.where(and(eq(account.demo, true), isNull(account.disabledAt)))
				.orderBy(asc(account.role), asc(account.id))
		: null;
	return { demoAccounts, sso: Boolean(env.OIDC_ISSUER && env.OIDC_CLIENT_ID) };
}
