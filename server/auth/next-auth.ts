import { headers } from "next/headers";
import NextAuth from "next-auth";
import { ADDRESS_HEADER } from "#server/services/governance/audit/client-address.ts";
import { runtime } from "#server/services/runtime.ts";
import { makeAuthConfig } from "./auth-config.ts";

const source = async () => (await headers()).get(ADDRESS_HEADER) || null;

/** next-auth inside Next. The configuration is apart, so that tests run it without Next. */
export const { handlers, auth, signIn, signOut } = NextAuth(() => makeAuthConfig({ ...runtime(), source }));
