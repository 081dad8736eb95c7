import { cache } from "react";
import type { Actor } from "#server/services/core/context.ts";
import { runtime } from "#server/services/runtime.ts";
import { actorOfSession } from "../services/governance/sign-in/session-epoch.ts";
import { auth } from "./next-auth.ts";

/** The signed-in person, read once per request; null if there is none. */
export const sessionActor = cache(async (): Promise<Actor | null> => {
	const session = await auth();
	// Without a user when next-auth rejects a cookie of the request.
	if (!session?.user?.id) return null;
	const { connection, env } = runtime();
	return actorOfSession(connection.db, { accountId: session.user.id, epoch: session.user.epoch }, env.SPILLWAY_DEMO);
});
