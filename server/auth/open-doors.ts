import type { Db } from "#server/db/client.ts";
import { type Env, publicUrl } from "#server/env.ts";
import type { Clock } from "#server/kernel/clock.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "#server/kernel/units.ts";
import { redeemDeviceLogin, redeemDeviceLoginInput } from "#server/services/governance/device-login/redeem.ts";
import { startDeviceLogin, startDeviceLoginInput } from "#server/services/governance/device-login/start.ts";
import { issueToken } from "#server/services/governance/token/issue.ts";
import { createFirstAdministrator, firstAdministratorInput } from "../services/governance/sign-in/first-administrator.ts";
import { countAttempt } from "../services/governance/sign-in/rate-window.ts";
import { currentSetUpCode } from "../services/governance/sign-in/set-up-code.ts";

const SET_UP_TOKEN_DAYS = 30;
/** Maximum command line sign-ins that an address can start in 15 minutes. */
const LOGINS = { limit: 30, windowMs: 15 * MINUTE_MS };
/** How often a waiting command polls. */
const POLL_SECONDS = 2;

/** A REST operation for callers without a token. Each limits its own attempts. */
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
		[
			"POST /login/device",
			async (body, source) => {
				const given = startDeviceLoginInput.parse(body);
				const nowMs = clock.nowMs();
				if (!(await countAttempt(db, { key: `device-login:${source ?? "unknown"}`, ...LOGINS }, nowMs)))
					throw new SpillwayError("too_many_requests", "Too many sign-ins were started.", { fix: "Wait 15 minutes and try again." });
				const { deviceCode, userCode, expiresAtMs } = await startDeviceLogin(db, given, { nowMs, source });
				const verificationUrl = `${publicUrl(env)}/device?code=${userCode}`;
				const expiresInSeconds = Math.round((expiresAtMs - nowMs) / SECOND_MS);
				return { status: 201, body: { deviceCode, userCode, verificationUrl, expiresInSeconds, intervalSeconds: POLL_SECONDS } };
			},
		],
		[
			"POST /login/token",
			async (body, source) => ({
				status: 200,
				body: await redeemDeviceLogin(db, redeemDeviceLoginInput.parse(body), { nowMs: clock.nowMs(), source }),
			}),
		],
	]);
}
