import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { sessionActor } from "#server/auth/session.ts";

type SignedIn = Extract<Awaited<ReturnType<typeof sessionActor>>, { kind: "person" }>;

/** Who is signed in. Anybody else is sent to the sign-in, which leads back to the page asked for. */
export async function signedIn(): Promise<SignedIn> {
	const actor = await sessionActor();
	if (actor?.kind === "person") return actor;
	const path = (await headers()).get("x-spillway-path") ?? "/";
	redirect(path === "/" ? "/sign-in" : `/sign-in?callbackUrl=${encodeURIComponent(path)}`);
}
