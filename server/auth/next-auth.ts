import { headers } from "next/headers";
import type { NextRequest } from "next/server";
import NextAuth from "next-auth";
import { ADDRESS_HEADER } from "#server/services/governance/audit/client-address.ts";
import { runtime } from "#server/services/runtime.ts";
import { answerAuth } from "./answer-auth.ts";
import { makeAuthConfig, providerIds } from "./auth-config.ts";

const source = async () => (await headers()).get(ADDRESS_HEADER) || null;

/** next-auth inside Next. The configuration is separate, so that tests run it without Next. */
const inNext = NextAuth(() => makeAuthConfig({ ...runtime(), source }));

export const { auth, signIn, signOut } = inNext;

const guarded = (answer: (request: NextRequest) => Promise<Response>) => (request: NextRequest) =>
	answerAuth(request, () => answer(request), providerIds(runtime().env));

export const handlers = { GET: guarded(inNext.handlers.GET), POST: guarded(inNext.handlers.POST) };
