import { headers } from "next/headers";
import type { NextRequest } from "next/server";
import NextAuth from "next-auth";
import { ADDRESS_HEADER } from "#server/services/governance/audit/client-address.ts";
import { runtime } from "#server/services/runtime.ts";
import { createAuthConfig, providerIds } from "./auth-config.ts";
import { handleAuth } from "./handle-auth.ts";

const source = async () => (await headers()).get(ADDRESS_HEADER) || null;

/** next-auth inside Next. The configuration is separate, so that tests run it without Next. */
const inNext = NextAuth(() => createAuthConfig({ ...runtime(), source }));

export const { auth, signIn, signOut } = inNext;

const guarded = (answer: (request: NextRequest) => Promise<Response>) => (request: NextRequest) =>
	handleAuth(request, () => answer(request), providerIds(runtime().env));

export const handlers = { GET: guarded(inNext.handlers.GET), POST: guarded(inNext.handlers.POST) };
