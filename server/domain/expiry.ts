import { DAY_MS } from "../kernel/units.ts";
import type { Expiry } from "./alert-facts.ts";

const NOTICE_MAX_MS = 14 * DAY_MS;
/** Programs renew short-lived certificates and tokens in the last third of their lifetime. */
const NOTICE_SHARE = 10;

/** Whether people must act: it has expired, or is in the last tenth of its lifetime and at most 14 days from expiry. */
export function isExpiring({ startsAtMs, expiresAtMs }: Pick<Expiry, "startsAtMs" | "expiresAtMs">, nowMs: number): boolean {
	const lifeMs = startsAtMs === null ? Number.POSITIVE_INFINITY : expiresAtMs - startsAtMs;
	return nowMs >= expiresAtMs - Math.min(NOTICE_MAX_MS, lifeMs / NOTICE_SHARE);
}
