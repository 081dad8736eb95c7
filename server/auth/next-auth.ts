import { headers } from "next/headers";
import NextAuth, { type DefaultSession } from "next-auth";
import type {} from "next-auth/jwt";
import Credentials from "next-auth/providers/credentials";
import { z } from "zod";
import { ADDRESS_HEADER } from "#server/services/audit/client-address.ts";
import { runtime } from "#server/services/runtime.ts";
import { accountByEmail } from "./actor-of-account.ts";
import { upsertFromIssuer } from "./oidc-account.ts";
import { verifyPassword } from "./password.ts";
import { auditSignIn, auditSignOut, RefusedSignIns } from "./sign-in-audit.ts";

declare module "next-auth" {
	interface Session {
		user: { id: string } & DefaultSession["user"];
	}
}
declare module "next-auth/jwt" {
	interface JWT {
		accountId?: string;
	}
}

const credentials = z.object({ email: z.string().max(256), password: z.string().max(256) });

/** Where the request that is being answered came from. */
async function address(): Promise<string | null> {
	return (await headers()).get(ADDRESS_HEADER) || null;
}

const refused = new RefusedSignIns();

/** The one place that knows next-auth. Sessions hold an account id; role and teams are read from the account. */
export const { handlers, auth, signIn, signOut } = NextAuth(() => {
	const { env, connection, clock } = runtime();
	const whence = async () => ({ nowMs: clock.nowMs(), source: await address() });
	return {
		session: { strategy: "jwt", maxAge: 12 * 3600 },
		trustHost: true,
		secret: env.AUTH_SECRET,
		pages: { signIn: "/sign-in", error: "/sign-in" },
		providers: [
			// Demo accounts exist in demo mode alone; elsewhere the provider itself is not there.
			...(env.SPILLWAY_DEMO
				? [
						Credentials({
							credentials: { email: {}, password: { type: "password" } },
							authorize: async (given) => {
								const parsed = credentials.safeParse(given);
								if (!parsed.success) return null;
								const row = await accountByEmail(connection.db, parsed.data.email);
								if (row?.demo && row.passwordHash && (await verifyPassword(parsed.data.password, row.passwordHash)))
									return { id: row.id, name: row.name, email: row.email };
								const tried = { accountId: row?.id ?? null, email: parsed.data.email, with: "credentials" };
								await refused.audit(connection.db, tried, await whence());
								return null;
							},
						}),
					]
				: []),
			...(env.OIDC_ISSUER && env.OIDC_CLIENT_ID
				? [
						{
							id: "oidc",
							name: "Single sign-on",
							type: "oidc" as const,
							issuer: env.OIDC_ISSUER,
							clientId: env.OIDC_CLIENT_ID,
							...(env.OIDC_CLIENT_SECRET ? { clientSecret: env.OIDC_CLIENT_SECRET } : {}),
							checks: ["pkce" as const, "state" as const, "nonce" as const],
							authorization: { params: { scope: "openid profile email groups" } },
						},
					]
				: []),
		],
		events: {
			signIn: async ({ user, account }) => {
				// Of single sign-on, `user` is the issuer's; ours was made or found by its address.
				const accountId = account?.provider === "oidc" ? (await accountByEmail(connection.db, user.email ?? ""))?.id : user.id;
				if (accountId === undefined) return;
				await auditSignIn(connection.db, accountId, { ...(await whence()), with: account?.provider ?? "unknown" });
			},
			signOut: async (ended) => {
				const accountId = "token" in ended ? ended.token?.accountId : undefined;
				await auditSignOut(connection.db, accountId ?? "", await whence());
			},
		},
		callbacks: {
			// False is told to the person as a refusal.
			signIn: async ({ account, profile }) => {
				if (account?.provider !== "oidc") return true;
				const by = await whence();
				if ((await upsertFromIssuer(connection.db, profile, by.nowMs, by.source)) !== null) return true;
				await refused.audit(connection.db, { accountId: null, email: profile?.email ?? null, with: "oidc" }, by);
				return false;
			},
			jwt: async ({ token, user, account }) => {
				if (account?.provider === "oidc")
					return { ...token, accountId: (await accountByEmail(connection.db, token.email ?? ""))?.id ?? "" };
				return user?.id ? { ...token, accountId: user.id } : token;
			},
			session: ({ session, token }) => {
				session.user.id = token.accountId ?? "";
				return session;
			},
		},
	};
});
