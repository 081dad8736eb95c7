import { DAY_MS } from "../kernel/units.ts";
import type { Expiry } from "./alert-facts.ts";

const NOTICE_MAX_MS = 14 * DAY_MS;
/** Short-lived certificates and tokens are renewed by programs in their last third. */
const NOTICE_SHARE = 10;

/** Whether people must act: it is over, or in the last tenth of its life and at most 14 days from its end. */
export function isExpiring({ startsAtMs, expiresAtMs }: Pick<Expiry, "startsAtMs" | "expiresAtMs">, nowMs: number): boolean {
	const lifeMs = startsAtMs === null ? Number.POSITIVE_INFINITY : expiresAtMs - startsAtMs;
	return nowMs >= expiresAtMs - Math.min(NOTICE_MAX_MS, lifeMs / NOTICE_SHARE);
}
