import { cache } from "react";
import type { Actor } from "#server/services/context.ts";
import { runtime } from "#server/services/runtime.ts";
import { actorOfAccount } from "./actor-of-account.ts";
import { auth } from "./next-auth.ts";

/** Who is signed in, read once per request; null for nobody. */
export const sessionActor = cache(async (): Promise<Actor | null> => {
	const session = await auth();
	const id = session?.user.id;
	if (!id) return null;
	const { connection, clock, env } = runtime();
	return actorOfAccount(connection.db, id, { nowMs: clock.nowMs(), demo: env.SPILLWAY_DEMO });
});
