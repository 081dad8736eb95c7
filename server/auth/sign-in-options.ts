import { and, asc, eq, isNotNull, isNull } from "drizzle-orm";
import { account } from "#server/db/schema/account.ts";
import type { Role } from "#server/domain/vocabulary.ts";
import { runtime } from "#server/services/runtime.ts";

export interface SignInOptions {
	/** Demo accounts, without their passwords; null outside demo mode. */
	demoAccounts: { email: string; name: string; role: Role }[] | null;
	/** Whether some account can sign in with a password. */
	password: boolean;
	/** Whether an OIDC issuer is configured. */
	sso: boolean;
	/** Contact for access. */
	contact: string;
}

/** The available sign-in methods. Public, so it contains no secret. */
export async function signInOptions(): Promise<SignInOptions> {
	const { env, connection } = runtime();
	const enabled = and(isNotNull(account.passwordHash), isNull(account.disabledAt), env.SPILLWAY_DEMO ? undefined : eq(account.demo, false));
	const rows = await connection.db
		.select({ email: account.email, name: account.name, role: account.role, demo: account.demo })
		.from(account)
		.where(enabled)
		.orderBy(asc(account.role), asc(account.id));
	const demoAccounts = env.SPILLWAY_DEMO ? rows.filter((r) => r.demo).map(({ email, name, role }) => ({ email, name, role })) : null;
	return {
		demoAccounts,
		password: rows.length > 0,
		sso: Boolean(env.OIDC_ISSUER && env.OIDC_CLIENT_ID),
		contact: env.SPILLWAY_ACCESS_CONTACT,
	};
}
