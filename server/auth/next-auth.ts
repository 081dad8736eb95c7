import { headers } from "next/headers";
import { NextRequest } from "next/server";
import NextAuth from "next-auth";
import { basePath } from "#server/env.ts";
import { ADDRESS_HEADER } from "#server/services/governance/audit/client-address.ts";
import { runtime } from "#server/services/runtime.ts";
import { createAuthConfig, providerIds } from "./auth-config.ts";
import { handleAuth } from "./handle-auth.ts";

const source = async () => (await headers()).get(ADDRESS_HEADER) || null;

/** next-auth inside Next. The configuration is separate, so that tests run it without Next. */
const inNext = NextAuth(() => createAuthConfig({ ...runtime(), source }));

export const { auth, signIn, signOut } = inNext;

const guarded = (answer: (request: NextRequest) => Promise<Response>) => (request: NextRequest) =>
	handleAuth(request, () => answer(withBase(request)), providerIds(runtime().env));

/** Next takes the base path off the request of a route; next-auth makes its addresses from it. */
function withBase(request: NextRequest): NextRequest {
	const base = basePath(runtime().env);
	if (base === "") return request;
	const url = new URL(request.url);
	url.pathname = `${base}${url.pathname}`;
	return new NextRequest(url, request);
}

export const handlers = { GET: guarded(inNext.handlers.GET), POST: guarded(inNext.handlers.POST) };
