import { and, eq, isNotNull } from "drizzle-orm";
import { CredentialsSignin, customFetch, type DefaultSession, type NextAuthConfig } from "next-auth";
import type {} from "next-auth/jwt";
import Credentials from "next-auth/providers/credentials";
import { z } from "zod";
import type { Db } from "#server/db/client.ts";
import { identity } from "#server/db/schema/account.ts";
import { basePath, type Env, publicUrl } from "#server/env.ts";
import { guardedFetch } from "#server/kernel/guarded-fetch.ts";
import { parseAllowance } from "#server/kernel/outgoing.ts";
import { effectiveGroupMap } from "#server/services/core/group-map.ts";
import type { Runtime } from "#server/services/runtime.ts";
import { endSessions, readSessionEpoch } from "../services/governance/sign-in/session-epoch.ts";
import { signInIdentity } from "../services/governance/sign-in/sign-in-identity.ts";
import { cookiesFor } from "./cookies.ts";
import { readClaims } from "./oidc-claims.ts";
import { addUserInfo } from "./oidc-user-info.ts";
import { auditSignIn, auditSignOut, RefusedSignIns } from "./sign-in-audit.ts";
import { signInWithPassword } from "./sign-in-password.ts";

declare module "next-auth" {
	interface Session {
		user: { id: string; epoch: number } & DefaultSession["user"];
	}
}
declare module "next-auth/jwt" {
	interface JWT {
		accountId?: string;
		epoch?: number;
	}
}

const SESSION_SECONDS = 12 * 3600;
const credentials = z.object({ email: z.string().max(256), password: z.string().max(256) });
const refused = new RefusedSignIns();

/** What sign-in needs from its process. */
export type AuthRuntime = Pick<Runtime, "env" | "connection" | "clock"> & {
	/** Address of the current request. */
	source(): Promise<string | null>;
};

async function requestFacts(rt: AuthRuntime): Promise<{ nowMs: number; source: string | null }> {
	return { nowMs: rt.clock.nowMs(), source: await rt.source() };
}

/** Its code appears in the URL of the sign-in page. */
class TooManyAttempts extends CredentialsSignin {
	override code = "too_many_attempts";
}

/** A session holds an account id and an epoch; role and teams are read from the account on each request. */
export function createAuthConfig(rt: AuthRuntime): NextAuthConfig {
	const base = basePath(rt.env);
	return {
		session: { strategy: "jwt", maxAge: SESSION_SECONDS },
		trustHost: true,
		secret: rt.env.AUTH_SECRET,
		...cookiesFor(publicUrl(rt.env)),
		basePath: `${base}/api/auth`,
		pages: { signIn: `${base}/sign-in`, error: `${base}/sign-in` },
		providers: [passwordProvider(rt), ...oidcProviders(rt.env)],
		events: events(rt),
		callbacks: callbacks(rt),
	};
}

function passwordProvider(rt: AuthRuntime) {
	return Credentials({
		credentials: { email: {}, password: { type: "password" } },
		authorize: async (given) => {
			const parsed = credentials.safeParse(given);
			if (!parsed.success) return null;
			const by = await requestFacts(rt);
			const result = await signInWithPassword(rt.connection.db, parsed.data, { ...by, demo: rt.env.SPILLWAY_DEMO });
			if (result.ok) return { id: result.account.id, name: result.account.name, email: result.account.email };
			const tried = { accountId: result.accountId, email: parsed.data.email, with: "credentials" };
			await refused.audit(rt.connection.db, tried, by);
			if (result.why === "limited") throw new TooManyAttempts();
			return null;
		},
	});
}

/** Ids of the sign-in methods, as used in paths. */
export function providerIds(env: Env): string[] {
	return ["credentials", ...oidcProviders(env).map(({ id }) => id)];
}

function oidcProviders(env: Env) {
	if (!env.OIDC_ISSUER || !env.OIDC_CLIENT_ID) return [];
	return [
		{
			id: "oidc",
			name: "Single sign-on",
			type: "oidc" as const,
			issuer: env.OIDC_ISSUER,
			clientId: env.OIDC_CLIENT_ID,
			...(env.OIDC_CLIENT_SECRET ? { clientSecret: env.OIDC_CLIENT_SECRET } : {}),
			checks: ["pkce" as const, "state" as const, "nonce" as const],
			authorization: { params: { scope: env.OIDC_SCOPES } },
			[customFetch]: outgoing(env),
		},
	];
}

/** The issuer's own host is configured and therefore allowed; URLs in its responses are checked. */
function outgoing(env: Env): typeof fetch {
	const issuer = env.OIDC_ISSUER === undefined ? [] : [new URL(env.OIDC_ISSUER).hostname];
	return guardedFetch(parseAllowance([...issuer, ...env.SPILLWAY_OUTGOING_HOSTS]));
}

function events(rt: AuthRuntime): NonNullable<NextAuthConfig["events"]> {
	const { db } = rt.connection;
	return {
		signIn: async ({ user, account, profile }) => {
			const accountId = account?.provider === "oidc" ? await linkedAccount(db, profile) : user.id;
			if (accountId) await auditSignIn(db, accountId, { ...(await requestFacts(rt)), with: account?.provider ?? "unknown" });
		},
		signOut: async (ended) => {
			const accountId = ("token" in ended ? ended.token?.accountId : undefined) ?? "";
			if (accountId) await endSessions(db, accountId);
			await auditSignOut(db, accountId, await requestFacts(rt));
		},
	};
}

function callbacks(rt: AuthRuntime): NonNullable<NextAuthConfig["callbacks"]> {
	const { db } = rt.connection;
	return {
		signIn: async ({ account, profile }) => {
			if (account?.provider !== "oidc") return true;
			const by = await requestFacts(rt);
			const issuer = rt.env.OIDC_ISSUER ?? "";
			const claims = await addUserInfo({ ...profile }, { issuer, accessToken: account.access_token, fetch: outgoing(rt.env) });
			const groupMap = await effectiveGroupMap(db, rt.env.OIDC_GROUP_MAP);
			const rules = { groupsClaim: rt.env.OIDC_GROUPS_CLAIM, groupMap, trustEmail: rt.env.OIDC_TRUST_EMAIL };
			const person = readClaims(claims, rules);
			const refusal = person === null ? "no_identity" : (await signInIdentity(db, person, by)).refusal;
			if (refusal === undefined) return true;
			await refused.audit(db, { accountId: null, email: person?.email ?? null, with: "oidc", why: refusal }, by);
			return `${basePath(rt.env)}/sign-in?error=AccessDenied&code=${refusal}`;
		},
		jwt: async ({ token, user, account, profile }) => {
			if (account === undefined || account === null) return token;
			const accountId = account.provider === "oidc" ? await linkedAccount(db, profile) : user?.id;
			const epoch = accountId ? await readSessionEpoch(db, accountId) : null;
			return accountId && epoch !== null ? { ...token, accountId, epoch } : null;
		},
		session: ({ session, token }) => {
			session.user.id = token.accountId ?? "";
			session.user.epoch = token.epoch ?? -1;
			return session;
		},
	};
}

async function linkedAccount(db: Db, profile: { iss?: unknown; sub?: unknown } | undefined): Promise<string | undefined> {
	if (typeof profile?.iss !== "string" || typeof profile.sub !== "string") return undefined;
	const [row] = await db
		.select({ accountId: identity.accountId })
		.from(identity)
		.where(and(eq(identity.issuer, profile.iss), eq(identity.subject, profile.sub), isNotNull(identity.linkedAt)));
	return row?.accountId;
}
