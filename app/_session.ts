import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { sessionActor } from "#server/auth/session.ts";

type SignedIn = Extract<Awaited<ReturnType<typeof sessionActor>>, { kind: "person" }>;

/** Returns the signed-in user. Redirects others to sign-in, which returns to the requested page. */
export async function signedIn(): Promise<SignedIn> {
	const actor = await sessionActor();
	if (actor?.kind === "person") return actor;
	const path = (await headers()).get("x-spillway-path") ?? "/";
	redirect(path === "/" ? "/sign-in" : `/sign-in?callbackUrl=${encodeURIComponent(path)}`);
}
