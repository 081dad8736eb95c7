import type { Db } from "#server/db/client.ts";
import type { Env } from "#server/env.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { DAY_MS } from "#server/kernel/units.ts";
import { issueToken } from "#server/services/governance/token/issue.ts";
import { createFirstAdministrator, firstAdministratorInput } from "./first-administrator.ts";
import { currentSetUpCode } from "./set-up-code.ts";

const SET_UP_TOKEN_DAYS = 30;

/** An operation of REST for callers who have no token yet. Each limits its own attempts. */
export type OpenDoor = (body: unknown, source: string | null) => Promise<{ status: number; body: unknown }>;

/** By method and path below /api/v1. */
export function openDoors(rt: { env: Env; db: Db; clock: Clock }): ReadonlyMap<string, OpenDoor> {
	const { env, db, clock } = rt;
	return new Map<string, OpenDoor>([
		["GET /setup/administrator", async () => ({ status: 200, body: { isNeeded: (await currentSetUpCode(db, env)) !== null } })],
		[
			"POST /setup/administrator",
			async (body, source) => {
				const nowMs = clock.nowMs();
				const at = { nowMs, source, secret: env.SPILLWAY_SECRET, demo: env.SPILLWAY_DEMO };
				const { accountId } = await createFirstAdministrator(db, firstAdministratorInput.parse(body), at);
				const expiresAtMs = nowMs + SET_UP_TOKEN_DAYS * DAY_MS;
				const { token } = await issueToken(db, { accountId, name: "set-up", nowMs, expiresAtMs });
				return { status: 201, body: { accountId, token, expiresAt: new Date(expiresAtMs).toISOString() } };
			},
		],
	]);
}
